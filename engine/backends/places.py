"""Where the units of a cache stand: their RoPE positions, which an eviction leaves alone or turns into slots.

It knows no keys: how one gets from a position to another is the runtime's affair.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class Places:
    """The positions of all units, those of a cache of any length: what is appended stands side by side.

    A length is that of the longest head; where a shorter one has no unit, in front, slots and positions are -1. shift:
    how far the next token's position is ahead of its slot.
    """

    def __init__(self, layers: int, kv_heads: int, ragged: bool = False) -> None:
        """ragged: heads may hold different numbers of units, so that what is exported always says where they stand."""
        self._heads, self._ragged = (layers, kv_heads), ragged
        self.clear()

    def clear(self) -> None:
        """Every unit stands at its slot, and so will those that come; every head has as many."""
        self.shift = 0
        self._kept: Tensor | None = None

    def at(self, length: int) -> Tensor:
        """The positions of that many units: int64 (layers, kv_heads, length)."""
        kept = torch.empty(*self._heads, 0, dtype=torch.int64) if self._kept is None else self._kept.long()
        since = torch.arange(kept.shape[-1], length) + self.shift
        return torch.cat([kept, since.expand(*self._heads, -1)], dim=-1)

    def keep(self, slots: Tensor, length: int) -> None:
        """Of `length` units only these are left, where they are. slots: int64 (layers, kv_heads, kept)."""
        self._kept = self.at(length).gather(-1, slots.clamp_min(0)).masked_fill_(slots < 0, -1).int()
        self.shift += length - slots.shape[-1]

    def compact(self, slots: Tensor) -> None:
        """Only these are left, each at its new slot."""
        self.clear()
        if (slots < 0).any():
            self._kept = torch.where(slots < 0, -1, torch.arange(slots.shape[-1])).int()

    def exported(self, layer: int, length: int) -> tuple[NDArray[np.int32] | None, int]:
        """Of one layer, as a LayerState has it: positions, or None where they are slots, and that of the next token."""
        if self._kept is None and not self._ragged:
            return None, length
        return self.at(length)[layer].int().numpy(), length + self.shift

    def put(self, positions: list[NDArray[np.int32] | None], next_position: int | None, length: int) -> None:
        """Takes over the positions of `length` units of an exported cache, one array a layer."""
        self.clear()
        if next_position is not None and positions[0] is not None:
            self._kept = torch.from_numpy(np.stack([_present(layer) for layer in positions]))
            self.shift = next_position - length


def _present(positions: NDArray[np.int32] | None) -> NDArray[np.int32]:
    if positions is None:
        raise ValueError("this state does not say where its units stand")
    return positions
