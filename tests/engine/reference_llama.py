"""A plain Llama in torch with a cache of slots, for the tests of the method: the architecture of the reference
models.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from engine.locret.heads import from_state_dict


def rotate(x: Tensor, positions: Tensor, theta: float) -> Tensor:
    """RoPE, half-split pairs. x: (heads, n, head_dim), positions: (n,) or (heads, n)."""
    half = x.shape[-1] // 2
    frequencies = theta ** (-torch.arange(half, dtype=torch.float32) / half)
    angles = positions[..., None].float() * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class ReferenceLlama:
    """Implements `engine.locret.backend.Backend`. Keys are kept unrotated and rotated at each forward."""

    def __init__(self, weights: dict[str, Tensor], config: dict) -> None:
        self.weights, self.config = weights, config
        self.layers: int = config["num_hidden_layers"]
        self.heads: int = config["num_attention_heads"]
        self.kv_heads: int = config["num_key_value_heads"]
        self.head_dim: int = config["hidden_size"] // self.heads
        self.retaining = from_state_dict(weights)
        self.position_limit: int = config["max_position_embeddings"]
        self.last_logits = torch.empty(0)
        self.clear()

    @property
    def length(self) -> int:
        return self.keys.shape[2]

    @property
    def position(self) -> int:
        return self.length + self.dropped

    def clear(self) -> None:
        self.dropped = 0
        self.places = torch.empty(self.layers, self.kv_heads, 0, dtype=torch.long)
        self.keys = torch.empty(self.layers, self.kv_heads, 0, self.head_dim)
        self.values = torch.empty(self.layers, self.kv_heads, 0, self.head_dim)

    def keep(self, slots: Tensor, compact: bool = True) -> None:
        kept = slots.shape[-1]
        self.dropped = 0 if compact else self.dropped + self.length - kept
        self.places = torch.arange(kept).expand_as(slots) if compact else self.places.gather(2, slots)
        index = slots[..., None].expand(*slots.shape, self.head_dim)
        self.keys, self.values = self.keys.gather(2, index), self.values.gather(2, index)

    def _linear(self, x: Tensor, layer: int, name: str) -> Tensor:
        return x @ self.weights[f"model.layers.{layer}.{name}.weight"].T

    def _norm(self, x: Tensor, name: str) -> Tensor:
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.config["rms_norm_eps"])
        return x * scale * self.weights[name]

    def forward(self, tokens: Sequence[int]) -> Tensor:
        hidden = self.weights["model.embed_tokens.weight"][torch.as_tensor(list(tokens))]
        cis, new_keys, new_values = [], [], []
        new = torch.arange(self.position, self.position + len(tokens)).expand(self.layers, self.kv_heads, -1)
        self.places = torch.cat([self.places, new], dim=-1)
        for layer in range(self.layers):
            x = self._norm(hidden, f"model.layers.{layer}.input_layernorm.weight")
            q, k, v = (self._linear(x, layer, f"self_attn.{name}_proj") for name in "qkv")
            cis.append(self.retaining.score(layer, torch.cat([q, k, v], dim=-1)))
            attended, keys, values = self._attend(layer, q, k, v)
            new_keys.append(keys)
            new_values.append(values)
            hidden = hidden + self._linear(attended, layer, "self_attn.o_proj")
            x = self._norm(hidden, f"model.layers.{layer}.post_attention_layernorm.weight")
            gated = nn.functional.silu(self._linear(x, layer, "mlp.gate_proj")) * self._linear(x, layer, "mlp.up_proj")
            hidden = hidden + self._linear(gated, layer, "mlp.down_proj")
        self.keys, self.values = torch.stack(new_keys), torch.stack(new_values)
        self.last_logits = self._norm(hidden[-1], "model.norm.weight") @ self.weights["lm_head.weight"].T
        return torch.stack(cis)

    def _attend(self, layer: int, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n, past = len(q), self.keys.shape[2]
        theta = self.config["rope_theta"]
        query = rotate(q.view(n, self.heads, -1).transpose(0, 1), self.places[layer, 0, -n:], theta)
        keys = torch.cat([self.keys[layer], k.view(n, self.kv_heads, -1).transpose(0, 1)], dim=1)
        values = torch.cat([self.values[layer], v.view(n, self.kv_heads, -1).transpose(0, 1)], dim=1)
        group = self.heads // self.kv_heads
        rotated = rotate(keys, self.places[layer], theta).repeat_interleave(group, dim=0)
        causal = torch.ones(n, past + n, dtype=torch.bool).tril(past)
        mixed = nn.functional.scaled_dot_product_attention(
            query, rotated, values.repeat_interleave(group, dim=0), attn_mask=causal
        )
        return mixed.transpose(0, 1).reshape(n, -1), keys, values
