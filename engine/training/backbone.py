"""The frozen model that heads are trained for: a context read once, branches after it, features layer by layer.

Written out rather than taken from a library because a step needs the projections before RoPE and branches that share
one context. It knows nothing of text, labels or heads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from engine.training.gguf_llama import LlamaLayer, LlamaWeights


@dataclass(frozen=True)
class LayerFeatures:
    """What one layer computed of a context of n tokens and of m branch tokens.

    features: (n, width), concat(Q, K, V) of the context before RoPE. keys: (kv_heads, n, head_dim), after RoPE.
    queries: (heads, m, head_dim) of all branches' tokens, after RoPE.
    """

    features: Tensor
    keys: Tensor
    queries: Tensor


class Backbone:
    """A Llama in torch. Each branch sees the context and itself; its positions go on after the context."""

    def __init__(self, weights: LlamaWeights) -> None:
        self.weights, self.shape = weights, weights.shape

    @torch.no_grad()
    def layers(self, context: Sequence[int], branches: Sequence[Sequence[int]]) -> Iterator[LayerFeatures]:
        """Runs the tokens through the model and yields each layer as it is computed."""
        for layer, _ in self._run(context, branches):
            yield layer

    @torch.no_grad()
    def logits(self, context: Sequence[int]) -> Tensor:
        """The logits of every token, (n, vocabulary)."""
        *_, (_, hidden) = self._run(context, [])
        return (
            F.rms_norm(hidden, hidden.shape[-1:], self.weights.norm, self.shape.norm_eps) @ self.weights.unembedding.T
        )

    def _run(self, context: Sequence[int], branches: Sequence[Sequence[int]]) -> Iterator[tuple[LayerFeatures, Tensor]]:
        lengths = [len(branch) for branch in branches]
        tokens = torch.tensor([*context, *(token for branch in branches for token in branch)])
        positions = torch.cat([torch.arange(len(context)), *(len(context) + torch.arange(n) for n in lengths)])
        cos, sin = self._rotation(positions)
        hidden = self.weights.embedding[tokens]
        mask = _branch_mask(len(context), lengths, hidden.dtype) if branches else None
        for layer in self.weights.layers:
            normed = F.rms_norm(hidden, hidden.shape[-1:], layer.attention_norm, self.shape.norm_eps)
            features = normed @ layer.qkv.T
            query, key, value = self._split(features)
            query, key = _rotate(query, cos, sin), _rotate(key, cos, sin)
            yielded = LayerFeatures(features[: len(context)], key[:, : len(context)], query[:, len(context) :])
            hidden = hidden + _attend(query, key, value, len(context), mask) @ layer.output.T
            hidden = hidden + self._mlp(layer, hidden)
            yield yielded, hidden

    def _mlp(self, layer: LlamaLayer, hidden: Tensor) -> Tensor:
        normed = F.rms_norm(hidden, hidden.shape[-1:], layer.mlp_norm, self.shape.norm_eps)
        gate = F.silu(normed @ layer.gate.T, inplace=True)
        return gate.mul_(normed @ layer.up.T) @ layer.down.T

    def _split(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(n, width) to Q (heads, n, d), K and V (kv_heads, n, d)."""
        shape = self.shape
        by_head = features.view(len(features), -1, shape.head_dim).transpose(0, 1)
        query, key, value = torch.split(by_head, [shape.heads, shape.kv_heads, shape.kv_heads])
        return query, key, value

    def _rotation(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        half = self.shape.head_dim // 2
        frequencies = self.shape.rope_theta ** (-torch.arange(half, dtype=torch.float32) / half)
        angles = positions.float()[:, None] * frequencies
        dtype = self.weights.embedding.dtype
        return angles.cos().to(dtype), angles.sin().to(dtype)


def _rotate(vectors: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = vectors.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def _attend(query: Tensor, key: Tensor, value: Tensor, context: int, mask: Tensor | None) -> Tensor:
    """Attention of context and branches, (n, heads * d); the context never sees a branch."""
    group = query.shape[0] // key.shape[0]
    key, value = key.repeat_interleave(group, 0), value.repeat_interleave(group, 0)
    parts = [
        F.scaled_dot_product_attention(
            query[None, :, :context], key[None, :, :context], value[None, :, :context], is_causal=True
        )
    ]
    if mask is not None:
        parts.append(F.scaled_dot_product_attention(query[None, :, context:], key[None], value[None], attn_mask=mask))
    return torch.cat(parts, dim=2)[0].transpose(0, 1).flatten(1)


def _branch_mask(context: int, lengths: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Additive mask (1, 1, m, context + m): a branch's token sees the context and its own branch up to itself."""
    branch = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    same = branch[:, None] == branch[None, :]
    visible = torch.cat([torch.ones(len(branch), context, dtype=torch.bool), same.tril()], dim=1)
    return torch.zeros(visible.shape, dtype=dtype).masked_fill_(~visible, torch.finfo(dtype).min)[None, None]
