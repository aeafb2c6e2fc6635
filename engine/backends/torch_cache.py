"""A transformers cache of ours: what is kept in each layer and KV head, each key rotated to its position.

It keeps every key twice: as it was before rotation, from which it is turned to its slot anew when it is compacted, so
that nothing drifts, and rotated, so that decoding turns no key but the new one. It knows no model, only shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin

_GROWTH = 1.5
_FIRST_CELLS = 1024
_BLOCK = 1024


class Rotation:
    """RoPE by position, half-split pairs (i, i + dimensions/2), computed in float32 and rounded once.

    frequencies: (dimensions/2,), radians a position; the first `dimensions` of each head are turned. magnitude: what a
    rotated vector's length is multiplied by (YaRN, longrope; 1 otherwise). Tables cover `reach` positions, and `limit`,
    or as many as it takes, once one beyond is asked for.
    """

    def __init__(self, frequencies: Tensor, magnitude: float, reach: int, limit: int, device: torch.device) -> None:
        self._frequencies, self._magnitude, self._device = frequencies.double().cpu(), magnitude, device
        self._limit, self._width = limit, 2 * len(frequencies)
        self._cos = self._sin = torch.empty(0)
        self._taken = (-1, -1), self._cos, self._sin
        self._make_tables(reach)

    def turn(self, vectors: Tensor, first: int) -> Tensor:
        """vectors: (..., n, head_dim), unrotated, for positions first..first+n-1. Returns them rotated, in their
        dtype.
        """
        return self._turned(vectors, *self._rows(first, first + vectors.shape[-2], vectors.device))

    def turn_to(self, vectors: Tensor, positions: Tensor) -> Tensor:
        """vectors: (kv_heads, n, head_dim), unrotated; positions: int64 (kv_heads, n). The same bits as of `turn`."""
        if positions.numel():
            self._reach(int(positions.max()) + 1)
        positions = positions.to(self._cos.device)
        cos, sin = (table[positions].to(vectors.device) for table in (self._cos, self._sin))
        return self._turned(vectors, *_paired(cos, sin))

    def _turned(self, vectors: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Products and sums are rounded one by one, so that no bit depends on how many vectors there are."""
        exact, half = vectors[..., : self._width].float(), self._width // 2
        swapped = torch.cat([exact[..., half:], exact[..., :half]], dim=-1)
        turned = (exact * cos).add_(swapped.mul_(sin)).to(vectors.dtype)
        return turned if self._width == vectors.shape[-1] else torch.cat([turned, vectors[..., self._width :]], dim=-1)

    def _rows(self, first: int, last: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """The tables for these positions: the last ones asked for are kept, since every layer asks for the same."""
        where, cos, sin = self._taken
        if where != (first, last) or cos.device != device:
            self._reach(last)
            cos, sin = _paired(self._cos[first:last].to(device), self._sin[first:last].to(device))
            self._taken = (first, last), cos, sin
        return cos, sin

    def _reach(self, positions: int) -> None:
        if positions > len(self._cos):
            self._make_tables(max(self._limit, positions))

    def _make_tables(self, positions: int) -> None:
        """In blocks, always the same, so that a position's numbers are the same in every table."""
        self._cos = self._sin = torch.empty(0)
        self._taken = (-1, -1), self._cos, self._sin
        cos, sin = (torch.empty(positions, len(self._frequencies)) for _ in range(2))
        for first in range(0, positions, _BLOCK):
            angles = torch.arange(first, first + _BLOCK, dtype=torch.float64).outer(self._frequencies)
            rows = min(_BLOCK, positions - first)
            cos[first : first + rows] = (angles.cos() * self._magnitude)[:rows]
            sin[first : first + rows] = (angles.sin() * self._magnitude)[:rows]
        self._cos, self._sin = cos.to(self._device), sin.to(self._device)


def _paired(cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """(..., dimensions/2) each, as both halves of a vector are multiplied by them: (..., dimensions)."""
    return torch.cat([cos, cos], dim=-1), torch.cat([-sin, sin], dim=-1)


@dataclass
class LayerUnits:
    """One layer's units, unrotated keys and values: (kv_heads, n, head_dim), as views of the cache; where heads hold
    different numbers of them (units of all heads, head_dim).
    """

    keys: Tensor
    values: Tensor


class UnitLayer(CacheLayerMixin):
    """The units of one layer in buffers of `cells` slots, or of as many as are needed, at most `cells`, if it grows.

    shift: how far the next token's position is ahead of its slot. rotation None: this layer has no positions (SmolLM3),
    and its keys are kept once.
    """

    is_sliding = False

    def __init__(self, cells: int, grows: bool, rotation: Rotation | None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.length = self.shift = 0
        self._cells, self._grows, self._rotation = cells, grows, rotation
        self._keys = self._values = self._turned = torch.empty(0)

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """key_states, value_states: (1, kv_heads, n, head_dim); they give shape, dtype and device."""
        _, heads, tokens, width = key_states.shape
        cells = min(self._cells, max(_FIRST_CELLS, tokens)) if self._grows else self._cells
        self._keys = key_states.new_zeros(heads, cells, width)
        self._values = value_states.new_zeros(heads, cells, value_states.shape[-1])
        self._turned = torch.zeros_like(self._keys) if self._rotation else self._keys
        self.is_initialized = True

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        """Appends unrotated keys and values, (1, kv_heads, n, head_dim), at the next slots.

        Returns all keys, rotated, and all values: (1, kv_heads, length, head_dim), views.
        """
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        first, last = self.length, self.length + key_states.shape[2]
        self._make_room(last)
        self._keys[:, first:last] = key_states[0]
        self._values[:, first:last] = value_states[0]
        if self._rotation is not None:
            self._turned[:, first:last] = self._rotation.turn(key_states[0], first + self.shift)
        self.length = last
        return self._turned[None, :, :last], self._values[None, :, :last]

    def keep(self, slots: Tensor, compact: bool) -> None:
        """slots: int64 (kv_heads, kept), ascending. They move to slots 0..kept-1; the others are zeroed.

        compact: the kept keys are turned to their slots; otherwise they stay turned as they are.
        """
        kept = slots.shape[1]
        index = slots.to(self._keys.device)[..., None]
        turned = [] if compact or self._rotation is None else [self._turned]
        for buffer in (self._keys, self._values, *turned):
            buffer[:, :kept] = buffer.gather(1, index.expand(-1, -1, buffer.shape[-1]))
        if compact and self._rotation is not None:
            self._turned[:, :kept] = self._rotation.turn(self._keys[:, :kept], 0)
        self._zero(kept, self.length)
        self.shift = 0 if compact else self.shift + self.length - kept
        self.length = kept

    def drop_from(self, slot: int) -> None:
        """Forgets the units from this slot on."""
        if self.length > slot:
            self._zero(slot, self.length)
            self.length = slot
        if slot == 0:
            self.shift = 0

    @property
    def total(self) -> int:
        """Units of all heads."""
        return self.length * self._keys.shape[0]

    def units(self) -> LayerUnits:
        """What the layer holds."""
        return LayerUnits(self._keys[:, : self.length], self._values[:, : self.length])

    def put(
        self, units: LayerUnits, positions: NDArray[np.int32] | None = None, next_position: int | None = None
    ) -> None:
        """Puts units in the place of all that there is, as a LayerState has them."""
        self.drop_from(0)
        if not self.is_initialized:
            self.lazy_initialization(units.keys[None], units.values[None])
        self._make_room(units.keys.shape[1])
        self.length = units.keys.shape[1]
        self.shift = 0 if next_position is None else next_position - self.length
        self._keys[:, : self.length] = units.keys
        self._values[:, : self.length] = units.values
        keys = self._keys[:, : self.length]
        if self._rotation is not None and positions is None:
            self._turned[:, : self.length] = self._rotation.turn(keys, 0)
        elif self._rotation is not None and positions is not None:
            self._turned[:, : self.length] = self._rotation.turn_to(keys, torch.from_numpy(positions).long())

    def get_seq_length(self) -> int:
        return self.length

    def get_max_length(self) -> int:
        return self._cells

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.length + query_length, 0

    def _zero(self, first: int, last: int) -> None:
        for buffer in (self._keys, self._values, self._turned):
            buffer[:, first:last] = 0

    def _make_room(self, cells: int) -> None:
        held = self._keys.shape[1]
        if cells <= held:
            return
        if cells > self._cells:
            raise ValueError(f"{cells} units do not fit {self._cells}")
        size = min(self._cells, max(cells, int(held * _GROWTH)))
        self._keys, self._values = (_grown(buffer, size) for buffer in (self._keys, self._values))
        self._turned = _grown(self._turned, size) if self._rotation else self._keys


class UnitCache(Cache):
    """One UnitLayer a layer, all of the same length.

    cells: slots of each head. grows: whether memory is taken as it is needed (a full cache) or at once. rotations: one
    a layer, None for a layer without positions.
    """

    def __init__(self, cells: int, grows: bool, rotations: Sequence[Rotation | None]) -> None:
        self.units = [UnitLayer(cells, grows, rotation) for rotation in rotations]
        super().__init__(layers=[*self.units])

    @property
    def length(self) -> int:
        """Units that each head holds."""
        return self.units[0].length

    @property
    def width(self) -> int:
        """Units that the longest head holds: they all hold as many."""
        return self.length

    @property
    def position(self) -> int:
        """The RoPE position of the token that comes next."""
        return self.length + self.units[0].shift

    def keep(self, slots: Tensor, compact: bool) -> None:
        """slots: int64 (layers, kv_heads, kept), ascending in each head."""
        for layer, kept in zip(self.units, slots, strict=True):
            layer.keep(kept, compact)

    def drop_to(self, position: int) -> None:
        """Forgets what was appended from this position on, in every layer."""
        for layer in self.units:
            layer.drop_from(position - layer.shift)

    def clear(self) -> None:
        """Forgets every unit."""
        for layer in self.units:
            layer.drop_from(0)


def _grown(buffer: Tensor, cells: int) -> Tensor:
    larger = buffer.new_zeros(buffer.shape[0], cells, buffer.shape[2])
    larger[:, : buffer.shape[1]] = buffer
    return larger
