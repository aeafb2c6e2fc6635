"""A transformers cache of ours whose heads hold different numbers of units, each in buffers of its own, so that a head
that keeps less takes less memory.

It is the UnitCache of allocations that are not uniform: keys and values of a layer are lists, one tensor a KV head.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin

from engine.backends.torch_cache import LayerUnits, Rotation


class Head:
    """One head's units: `length` of them in buffers of (cells, head_dim), keys unrotated, values, and keys rotated.

    rotated: whether the layer has positions; otherwise the keys are kept once.
    """

    def __init__(self, keys: Tensor, values: Tensor, rotated: bool) -> None:
        """keys, values: empty buffers, which are taken as they are."""
        self.length = 0
        self.keys, self.values = keys, values
        self.turned = torch.zeros_like(keys) if rotated else keys

    @property
    def cells(self) -> int:
        return len(self.keys)

    def append(self, keys: Tensor, values: Tensor, turned: Tensor | None) -> None:
        """keys, values, turned: (n, head_dim)."""
        first, last = self.length, self.length + len(keys)
        self.keys[first:last], self.values[first:last] = keys, values
        if turned is not None:
            self.turned[first:last] = turned
        self.length = last

    def drop_last(self, units: int) -> None:
        """Forgets and zeroes them."""
        for buffer in (self.keys, self.values, self.turned):
            buffer[self.length - units : self.length] = 0
        self.length -= units

    def keep(self, units: Tensor, cells: int) -> None:
        """Only these are left, int64 (kept,), in buffers of that many cells; one at a time is there twice."""
        units = units.to(self.keys.device)
        alone = self.turned is not self.keys
        self.keys = _moved(self.keys, units, cells)
        self.values = _moved(self.values, units, cells)
        self.turned = _moved(self.turned, units, cells) if alone else self.keys
        self.length = len(units)


def _moved(buffer: Tensor, units: Tensor, cells: int) -> Tensor:
    moved = buffer.new_zeros(cells, buffer.shape[-1])
    torch.index_select(buffer, 0, units, out=moved[: len(units)])
    return moved


class RaggedLayer(CacheLayerMixin):
    """The units of one layer. position: of the token that comes next. rotation None: this layer has no positions."""

    is_sliding = False

    def __init__(self, cells: int, rotation: Rotation | None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.heads: list[Head] = []
        self.position = 0
        self._cells, self.rotation = cells, rotation

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """key_states, value_states: (1, kv_heads, n, head_dim); they give shape, dtype and device."""
        self.heads = [
            Head(
                key_states.new_zeros(self._cells, key_states.shape[-1]),
                value_states.new_zeros(self._cells, value_states.shape[-1]),
                self.rotation is not None,
            )
            for _ in range(key_states.shape[1])
        ]
        self.is_initialized = True

    def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Any, Any]:
        """Appends unrotated keys and values, (1, kv_heads, n, head_dim), at the next positions.

        Returns all keys, rotated, and all values: a list of (1, 1, length, head_dim), views, one a head.
        """
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        turned = None if self.rotation is None else self.rotation.turn(key_states[0], self.position)
        for index, head in enumerate(self.heads):
            head.append(key_states[0, index], value_states[0, index], None if turned is None else turned[index])
        self.position += key_states.shape[2]
        return (
            [head.turned[None, None, : head.length] for head in self.heads],
            [head.values[None, None, : head.length] for head in self.heads],
        )

    @property
    def total(self) -> int:
        """Units of all heads."""
        return sum(head.length for head in self.heads)

    def drop_to(self, position: int) -> None:
        """Forgets what was appended from this position on."""
        for head in self.heads:
            head.drop_last(self.position - position)
        self.position = position

    def clear(self) -> None:
        """Forgets every unit and gives their memory back."""
        self.heads, self.position, self.is_initialized = [], 0, False

    def units(self) -> LayerUnits:
        """What the layer holds, head after head: (units of all heads, head_dim)."""
        return LayerUnits(
            torch.cat([head.keys[: head.length] for head in self.heads]),
            torch.cat([head.values[: head.length] for head in self.heads]),
        )

    def put(self, units: LayerUnits, positions: NDArray[np.int32] | None, next_position: int | None) -> None:
        """Puts units, as `units` gives them, in the place of all that there is, in buffers of just their size.

        positions, next_position: as a LayerState has them, and never None.
        """
        if positions is None or next_position is None:
            raise ValueError("this state does not say where its units stand")
        self.clear()
        begin = 0
        for places in torch.from_numpy(positions).long():
            own = places[places >= 0]
            keys, values = (part[begin : begin + len(own)] for part in (units.keys, units.values))
            head = Head(torch.empty_like(keys), torch.empty_like(values), self.rotation is not None)
            turned = None if self.rotation is None else self.rotation.turn_to(keys[None], own[None])[0]
            head.append(keys, values, turned)
            self.heads.append(head)
            begin += len(own)
        self.position, self.is_initialized = next_position, True

    def get_seq_length(self) -> int:
        return max((head.length for head in self.heads), default=0)

    def get_max_length(self) -> int:
        return self._cells

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.get_seq_length() + query_length, 0


class RaggedCache(Cache):
    """One RaggedLayer a layer. cells: units that each head can hold in the mean; every head has room for as many new
    ones as any other. rotations: one a layer, None for a layer without positions.
    """

    def __init__(self, cells: int, rotations: Sequence[Rotation | None]) -> None:
        self.units = [RaggedLayer(cells, rotation) for rotation in rotations]
        self._cells = cells
        super().__init__(layers=[*self.units])

    @property
    def length(self) -> int:
        """Units that a head holds in the mean over all heads."""
        return sum(layer.total for layer in self.units) // max(1, sum(len(layer.heads) for layer in self.units))

    @property
    def width(self) -> int:
        """Units that the longest head holds."""
        return max(layer.get_seq_length() for layer in self.units)

    @property
    def lengths(self) -> Tensor:
        """int64 (layers, kv_heads)."""
        return torch.tensor([[head.length for head in layer.heads] for layer in self.units])

    @property
    def position(self) -> int:
        """The RoPE position of the token that comes next."""
        return self.units[0].position

    def keep(self, slots: Tensor, compact: bool) -> None:
        """slots: int64 (layers, kv_heads, kept), aligned at the end, -1 in front where a head keeps fewer.

        compact: keys are turned to their new slots. Heads whose buffers shrink come first, so that those which grow
        find the memory given back.
        """
        lengths, kept, width = self.lengths, (slots >= 0).sum(dim=-1), slots.shape[-1]
        in_front, spare = self.width - lengths, self._spare(int(kept.sum()) // kept.numel())
        cells = torch.tensor([[head.cells for head in layer.heads] for layer in self.units])
        for place in (kept + spare - cells).flatten().argsort(stable=True).tolist():
            index, head = divmod(place, slots.shape[1])
            units = int(kept[index, head])
            layer, row = self.units[index], slots[index, head, width - units :] - in_front[index, head]
            layer.heads[head].keep(row, units + spare)
            if compact and layer.rotation is not None:
                held = layer.heads[head]
                held.turned[:units] = layer.rotation.turn(held.keys[:units], width - units)
        if compact:
            for layer in self.units:
                layer.position = width

    def make_room(self) -> None:
        """After units were put there: gives every head the room that it would have had."""
        spare = self._spare(self.length)
        for layer in self.units:
            for head in layer.heads:
                head.keep(torch.arange(head.length), head.length + spare)

    def drop_to(self, position: int) -> None:
        """Forgets what was appended from this position on, in every layer."""
        for layer in self.units:
            layer.drop_to(position)

    def clear(self) -> None:
        """Forgets every unit."""
        for layer in self.units:
            layer.clear()

    def _spare(self, length: int) -> int:
        return self._cells - length
