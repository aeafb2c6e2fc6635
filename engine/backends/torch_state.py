"""A cache of the torch runtime as bytes, keys unrotated, and back, layer by layer.

It knows the two kinds of caches and where their units stand; no model runs here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.backends.base import LayerState
from engine.backends.places import Places
from engine.backends.torch_cache import LayerUnits, UnitCache, UnitLayer
from engine.backends.torch_ragged import RaggedCache, RaggedLayer

STATE_DTYPES: dict[torch.dtype, np.dtype[Any]] = {
    torch.float32: np.dtype(np.float32),
    torch.float16: np.dtype(np.float16),
    torch.bfloat16: np.dtype(np.uint16),  # numpy has no bfloat16: its bits
}


@dataclass(frozen=True)
class CacheState:
    """The cache of a model of this shape, and the positions of its units."""

    cache: UnitCache | RaggedCache
    places: Places
    kv_heads: int
    head_dim: int
    dtype: torch.dtype
    device: torch.device

    @property
    def units(self) -> Sequence[UnitLayer | RaggedLayer]:
        """The cache's layers."""
        return self.cache.units

    def exported(self) -> Iterator[LayerState]:
        """Each layer copied when it is asked for."""
        if not self.cache.length:
            return (self._empty_layer() for _ in self.units)
        return (self._exported(index, layer.units()) for index, layer in enumerate(self.units))

    def put(self, layers: Iterable[LayerState]) -> None:
        """Fills the cache, which is empty. Raises ValueError for another model's, and whatever asking for a layer
        raised; the cache may then hold a part.
        """
        given, positions, following = 0, [], None
        for layer, state in zip(self.units, layers, strict=True):
            self._check(state, given)
            given, following = len(state.keys), state.next_position
            positions.append(state.positions)
            if given:
                units = LayerUnits(self._imported(state.keys), self._imported(state.values))
                layer.put(units, state.positions, state.next_position)
        if isinstance(self.cache, RaggedCache):
            self.cache.make_room()
        self.places.put(positions, following, self.cache.width)

    def _exported(self, layer: int, units: LayerUnits) -> LayerState:
        positions, following = self.places.exported(layer, self.cache.width)
        return LayerState(_as_rows(units.keys), _as_rows(units.values), positions, following)

    def _imported(self, rows: NDArray[Any]) -> Tensor:
        tensor = torch.from_numpy(rows.copy())
        tensor = tensor.view(torch.bfloat16) if self.dtype == torch.bfloat16 else tensor
        if isinstance(self.cache, RaggedCache):
            return tensor.to(self.device)
        return tensor.view(len(rows), self.kv_heads, self.head_dim).transpose(0, 1).to(self.device)

    def _empty_layer(self) -> LayerState:
        shape = (0, self.kv_heads * self.head_dim)
        return LayerState(np.empty(shape, STATE_DTYPES[self.dtype]), np.empty(shape, STATE_DTYPES[self.dtype]))

    def _check(self, state: LayerState, units_before: int) -> None:
        """units_before: of the layer before it, 0 for the first."""
        shape = (units_before or len(state.keys), self.kv_heads * self.head_dim)
        if isinstance(self.cache, RaggedCache) and len(state.keys):
            shape = (_units_of(state), self.head_dim)
        if {state.keys.shape, state.values.shape} != {shape}:
            raise ValueError("this state is not of this model")
        if {state.keys.dtype, state.values.dtype} != {STATE_DTYPES[self.dtype]}:
            raise ValueError("this state was stored in another precision")


def _as_rows(units: Tensor) -> NDArray[Any]:
    """(kv_heads, n, head_dim) to (n, kv_heads * head_dim), a copy; rows of a ragged cache as they are."""
    rows = (units if units.ndim == 2 else units.transpose(0, 1).reshape(units.shape[1], -1)).cpu()
    return (rows.view(torch.uint16) if rows.dtype == torch.bfloat16 else rows).numpy()


def _units_of(state: LayerState) -> int:
    """Units of all heads of a ragged layer, by their positions."""
    if state.positions is None:
        return len(state.keys)
    return int((state.positions >= 0).sum())
