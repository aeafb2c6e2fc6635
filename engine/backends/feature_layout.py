"""Where queries, keys and values lie in a runtime's features, and how the model turns them by position.

It knows the shape and the rotary frequencies that the runtime gives it, no runtime and no score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


def interleaved_columns(heads: int, kv_heads: int, head_dim: int) -> Tensor:
    """For each feature in interleaved order, its place in the checkpoint's: int64 ((heads + 2 * kv_heads) * head_dim,).

    GGUF files of the `llama` architecture store row i + j * head_dim/2 of each Q and K head (j 0 or 1) as row 2i + j,
    and leave V alone.
    """
    columns = torch.arange((heads + 2 * kv_heads) * head_dim)
    rotated = columns[: (heads + kv_heads) * head_dim].view(heads + kv_heads, 2, head_dim // 2)
    return torch.cat([rotated.transpose(1, 2).reshape(-1), columns[(heads + kv_heads) * head_dim :]])


@dataclass(frozen=True)
class FeatureLayout:
    """What a runtime's features are: concat(Q, K, V) of a token before RoPE, rows of `width`.

    columns: for each of the features its place in the checkpoint's order; None: they are in it. frequencies:
    (dimensions/2,), radians a position, of the pairs (i, i + dimensions/2) of each head in the checkpoint's order.
    magnitude: what a rotated vector's length is multiplied by. rotated: by layer, whether it is rotated at all.
    device, dtype: of the features.
    """

    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    columns: Tensor | None
    frequencies: Tensor
    magnitude: float
    rotated: Sequence[bool]
    device: torch.device
    dtype: torch.dtype

    @property
    def width(self) -> int:
        return (self.heads + 2 * self.kv_heads) * self.head_dim


class HeadVectors:
    """Takes features apart: Q (heads, n, d), K and V (kv_heads, n, d), float32, in the checkpoint's order."""

    def __init__(self, layout: FeatureLayout) -> None:
        self.layout = layout
        self._order = None if layout.columns is None else layout.columns.argsort().to(layout.device)
        self._frequencies = layout.frequencies.double().cpu()
        self._cos = self._sin = torch.empty(0, len(self._frequencies), device=layout.device)

    def split(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """features: (n, width)."""
        layout = self.layout
        ordered = features if self._order is None else features[:, self._order]
        by_head = ordered.float().view(len(features), -1, layout.head_dim).transpose(0, 1)
        query, key, value = torch.split(by_head, [layout.heads, layout.kv_heads, layout.kv_heads])
        return query, key, value

    def turned(self, layer: int, vectors: Tensor) -> Tensor:
        """vectors: (..., n, d), turned as the layer turns them at positions 0..n-1. What compares vectors with each
        other does not depend on where the first of them stands.
        """
        if not self.layout.rotated[layer]:
            return vectors
        tokens = vectors.shape[-2]
        if tokens > len(self._cos):
            angles = torch.arange(tokens, dtype=torch.float64).outer(self._frequencies)
            self._cos = (angles.cos() * self.layout.magnitude).float().to(self.layout.device)
            self._sin = (angles.sin() * self.layout.magnitude).float().to(self.layout.device)
        return turn_pairs(vectors, self._cos[:tokens], self._sin[:tokens])

    def mean_turn(self, layer: int, first: int, positions: int) -> tuple[Tensor, Tensor]:
        """Cosines and sines averaged over that many positions from `first` on, (dimensions/2,): for `turn_pairs`."""
        if not self.layout.rotated[layer]:
            pairs = len(self._frequencies)
            return torch.ones(pairs, device=self.layout.device), torch.zeros(pairs, device=self.layout.device)
        angles = torch.arange(first, first + positions, dtype=torch.float64).outer(self._frequencies)
        cos, sin = angles.cos().mean(dim=0), angles.sin().mean(dim=0)
        cos, sin = ((part * self.layout.magnitude).float().to(self.layout.device) for part in (cos, sin))
        return cos, sin


def turn_pairs(vectors: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """vectors: (..., d), their pairs (i, i + dimensions/2) turned; cos, sin: (..., dimensions/2). What lies beyond the
    dimensions stays.
    """
    half = cos.shape[-1]
    first, second, rest = vectors[..., :half], vectors[..., half : 2 * half], vectors[..., 2 * half :]
    return torch.cat([first * cos - second * sin, second * cos + first * sin, rest], dim=-1)
