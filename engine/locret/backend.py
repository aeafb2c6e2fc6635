"""What the reading loop asks of a runtime: forward, gather, nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor


class Backend(Protocol):
    """A model with one cache whose units can be dropped per layer and KV head.

    Every head of every layer holds the same number of units, `length`, unless the runtime can do otherwise; then
    `length` is their mean, which is whole, and rows of units are aligned at their end: slots count from the front of
    the longest head, and -1 stands where a shorter one has no unit. A unit's RoPE position is the one at which it was
    read until it is compacted; from then on it is its slot.
    """

    layers: int
    kv_heads: int
    position_limit: int
    """RoPE positions that the model knows: 0..position_limit-1."""

    @property
    def length(self) -> int:
        """Units that each head holds now, or their mean."""
        ...

    @property
    def position(self) -> int:
        """The RoPE position of the token that comes next; `length` until something is evicted, and once compacted."""
        ...

    def forward(self, tokens: Sequence[int]) -> Tensor | None:
        """Runs the tokens over the cache at positions position..position+n-1 and appends them to it.

        Returns the raw CIS of the new units, float32 (layers, kv_heads, n), or None when no retaining heads are loaded.
        """
        ...

    def keep(self, slots: Tensor, compact: bool = True) -> None:
        """Keeps only these units; nothing is left of the others.

        slots: int64 (layers, kv_heads, kept), ascending in each head. The unit at slots[l, h, i] moves to slot i.
        compact: its key is rotated to position i, and the next token comes after the last slot; otherwise keys and
        `position` stay as they are.
        """
        ...

    def clear(self) -> None:
        """Empties the cache."""
        ...
