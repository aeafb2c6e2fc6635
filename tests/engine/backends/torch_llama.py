"""A plain torch Llama over a GGUF file's weights, with a cache whose units can be dropped by layer and head.

Independent of the code under test: weights by the gguf package, rows put back in the checkpoint's order, float32
throughout, keys kept unrotated and turned to their position at every use.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F


class TorchLlama:
    """keys, values: by layer, float32 (kv_heads, units, head_dim). features: by layer, of the last forward."""

    def __init__(self, path: Path) -> None:
        reader = gguf.GGUFReader(path)
        architecture = reader.fields["general.architecture"].contents()

        def field(name: str) -> float:
            return reader.fields[f"{architecture}.{name}"].contents()

        self.layers, self.heads = int(field("block_count")), int(field("attention.head_count"))
        self.kv_heads = int(field("attention.head_count_kv"))
        width = f"{architecture}.attention.key_length"
        self.head_dim = int(
            field("attention.key_length") if width in reader.fields else field("embedding_length") // self.heads
        )
        self.epsilon = field("attention.layer_norm_rms_epsilon")
        pairs = torch.arange(0, self.head_dim, 2, dtype=torch.float64)
        self.frequencies = field("rope.freq_base") ** (-pairs / self.head_dim)
        self.weights = {
            tensor.name: torch.from_numpy(np.array(gguf.dequantize(tensor.data, tensor.tensor_type)))
            for tensor in reader.tensors
        }
        for layer in range(self.layers):
            self._to_checkpoint_order(f"blk.{layer}.attn_q.weight", self.heads)
            self._to_checkpoint_order(f"blk.{layer}.attn_k.weight", self.kv_heads)
        self.features: list[Tensor] = []
        self.clear()

    def _to_checkpoint_order(self, name: str, heads: int) -> None:
        rows = self.weights[name]
        self.weights[name] = rows.view(heads, self.head_dim // 2, 2, -1).transpose(1, 2).reshape(rows.shape)

    def clear(self) -> None:
        empty = torch.empty(self.kv_heads, 0, self.head_dim)
        self.keys, self.values = [empty] * self.layers, [empty] * self.layers
        self.places = torch.empty(self.layers, self.kv_heads, 0, dtype=torch.int64)
        self.position = 0

    def keep(self, slots: Tensor, compact: bool = True) -> None:
        """slots: (layers, kv_heads, kept). compact: keys stand at their slots from then on, else where they stood."""
        self.places = torch.arange(slots.shape[-1]).expand_as(slots) if compact else self.places.gather(2, slots)
        self.position = slots.shape[-1] if compact else self.position
        for layer in range(self.layers):
            rows = slots[layer][..., None].expand(-1, -1, self.head_dim)
            self.keys[layer] = self.keys[layer].gather(1, rows)
            self.values[layer] = self.values[layer].gather(1, rows)

    @torch.inference_mode()
    def forward(self, tokens: list[int]) -> Tensor:
        """Logits of the last token, (vocabulary,)."""
        self.features = []
        new = torch.arange(self.position, self.position + len(tokens)).expand(self.layers, self.kv_heads, -1)
        self.places, self.position = torch.cat([self.places, new], dim=2), self.position + len(tokens)
        hidden = self.weights["token_embd.weight"][tokens]
        for layer in range(self.layers):
            hidden = hidden + self._attention(layer, self._norm(hidden, f"blk.{layer}.attn_norm"))
            normed = self._norm(hidden, f"blk.{layer}.ffn_norm")
            gate, up = self._linear(normed, f"blk.{layer}.ffn_gate"), self._linear(normed, f"blk.{layer}.ffn_up")
            hidden = hidden + self._linear(F.silu(gate) * up, f"blk.{layer}.ffn_down")
        output = self.weights.get("output.weight", self.weights["token_embd.weight"])
        return output @ self._norm(hidden[-1:], "output_norm")[0]

    def rotated_keys(self, layer: int) -> Tensor:
        """(kv_heads, units, head_dim), each at its position, in the checkpoint's order."""
        return self._rotate(self.keys[layer], self.places[layer])

    def _attention(self, layer: int, normed: Tensor) -> Tensor:
        projected = [self._linear(normed, f"blk.{layer}.attn_{name}") for name in "qkv"]
        self.features.append(torch.cat(projected, dim=-1))
        queries, keys, values = (p.view(len(normed), -1, self.head_dim).transpose(0, 1) for p in projected)
        before = self.keys[layer].shape[1]
        self.keys[layer] = torch.cat([self.keys[layer], keys], dim=1)
        self.values[layer] = torch.cat([self.values[layer], values], dim=1)
        group = self.heads // self.kv_heads
        mask = torch.ones(len(normed), before + len(normed), dtype=torch.bool).tril(before)
        attended = F.scaled_dot_product_attention(
            self._rotate(queries, self.places[layer, :1, before:])[None],
            self.rotated_keys(layer).repeat_interleave(group, 0)[None],
            self.values[layer].repeat_interleave(group, 0)[None],
            attn_mask=mask,
        )[0]
        return self._linear(attended.transpose(0, 1).flatten(1), f"blk.{layer}.attn_output")

    def _rotate(self, vectors: Tensor, positions: Tensor) -> Tensor:
        """vectors: (heads, n, head_dim), positions: (heads or 1, n)."""
        angles = positions[..., None].double() * self.frequencies
        cos, sin = angles.cos().float(), angles.sin().float()
        left, right = vectors.chunk(2, dim=-1)
        return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)

    def _linear(self, inputs: Tensor, name: str) -> Tensor:
        return inputs @ self.weights[f"{name}.weight"].T

    def _norm(self, hidden: Tensor, name: str) -> Tensor:
        return F.rms_norm(hidden, hidden.shape[-1:], self.weights[f"{name}.weight"], self.epsilon)
