"""What the reading loop asks of a runtime: forward, gather, nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor


class Backend(Protocol):
    """A model with one cache whose units can be dropped per layer and KV head.

    Every head of every layer holds the same number of units, `length`; a unit's RoPE position is its slot, 0..length-1.
    """

    layers: int
    kv_heads: int

    @property
    def length(self) -> int:
        """Units that each head holds now."""
        ...

    def forward(self, tokens: Sequence[int]) -> Tensor | None:
        """Runs the tokens over the cache at slots length..length+n-1 and appends them to it.

        Returns the raw CIS of the new units, float32 (layers, kv_heads, n), or None when no retaining heads are loaded.
        """
        ...

    def keep(self, slots: Tensor) -> None:
        """Keeps only these units and renumbers them.

        slots: int64 (layers, kv_heads, kept), ascending in each head. The unit at slots[l, h, i] moves to slot i and
        its key is rotated to it. Nothing is left of the others.
        """
        ...

    def clear(self) -> None:
        """Empties the cache."""
        ...
