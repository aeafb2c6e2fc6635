"""Rotary positions: a model's frequencies, and turning keys from one position to another.

It knows the arithmetic of ggml's rope (ggml-cpu/ops.cpp), not where keys come from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rope:
    """The parameters of one ggml ROPE operation.

    dimensions: of each head, rotated. interleaved: pairs are (2i, 2i+1), otherwise (i, i + dimensions/2).
    factors: what each pair's frequency is divided by (Llama 3, longrope), or () for none.
    """

    dimensions: int
    interleaved: bool
    original_context: int
    base: float
    scale: float
    extrapolation: float
    attention: float
    beta_fast: float
    beta_slow: float
    factors: tuple[float, ...] = ()

    def frequencies(self) -> Tensor:
        """Radians a position for each pair, float64 (dimensions/2,)."""
        pair = torch.arange(self.dimensions // 2, dtype=torch.float64)
        trained = self.base ** (-2 * pair / self.dimensions)
        if self.factors:
            trained = trained / torch.tensor(self.factors, dtype=torch.float64)
        scaled = trained * self.scale
        if self.extrapolation == 0:
            return scaled
        first, last = self._yarn_range()
        mix = (1 - ((pair - first) / max(0.001, last - first)).clamp(0, 1)) * self.extrapolation
        return scaled * (1 - mix) + trained * mix

    @property
    def magnitude(self) -> float:
        """What a key's length is multiplied by (YaRN and longrope; 1 otherwise)."""
        if self.extrapolation == 0:
            return self.attention
        return self.attention * (1 + 0.1 * math.log(1 / self.scale))

    def _yarn_range(self) -> tuple[float, float]:
        def pair_that_turns(times: float) -> float:
            wavelengths = self.original_context / (times * 2 * math.pi)
            return self.dimensions * math.log(wavelengths) / (2 * math.log(self.base))

        first, last = math.floor(pair_that_turns(self.beta_fast)), math.ceil(pair_that_turns(self.beta_slow))
        return max(0, first), min(self.dimensions - 1, last)


def turn(rope: Rope, keys: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """keys: (..., head_dim), changed in place and returned. cos, sin: (..., dimensions/2), of each pair's angle."""
    rotated = keys[..., : rope.dimensions]
    first, second = (rotated[..., 0::2], rotated[..., 1::2]) if rope.interleaved else rotated.chunk(2, dim=-1)
    turned = first * cos - second * sin
    second.mul_(cos).addcmul_(first, sin)
    first.copy_(turned)
    return keys


class Rotation:
    """Turns keys back by whole numbers of positions in float32: at once up to `reach`, in two steps beyond it."""

    def __init__(self, rope: Rope, reach: int) -> None:
        self._rope = rope
        angles = torch.arange(reach + 1, dtype=torch.float64).neg().outer(rope.frequencies())
        self._cos, self._sin = angles.cos().float(), angles.sin().float()

    def back(self, keys: Tensor, positions: Tensor) -> Tensor:
        """keys: float32 (n, head_dim), rotated in place by -positions, int64 (n,). Returns them.

        A key turned back by 0 keeps its bits.
        """
        strides, steps = positions // len(self._cos), positions % len(self._cos)
        if strides.any():
            angles = torch.arange(int(strides.max()) + 1, dtype=torch.float64) * -len(self._cos)
            angles = angles.outer(self._rope.frequencies())
            cos, sin = angles.cos().float(), angles.sin().float()
            keys = turn(self._rope, keys, cos.index_select(0, strides), sin.index_select(0, strides))
        return turn(self._rope, keys, self._cos.index_select(0, steps), self._sin.index_select(0, steps))
