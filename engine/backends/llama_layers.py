"""A llama.cpp cache layer by layer, as it is stored, out of the one block of bytes that llama.cpp takes and gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.backends import llama_state
from engine.backends.base import LayerState
from engine.backends.llama_state import SequenceState
from engine.backends.places import Places

_ANOTHER_MODELS = "this state is not of this model"


def empty(layers: int, width: int) -> list[LayerState]:
    """Of a cache without units. width: kv_heads * head_dim."""
    return [LayerState(np.empty((0, width), np.float16), np.empty((0, width), np.float16)) for _ in range(layers)]


def exported(state: SequenceState, places: Places) -> list[LayerState]:
    """Views into the state, with the positions of its units."""
    layers, units, _ = state.keys.shape
    return [
        LayerState(state.keys[layer].numpy(), state.values[layer].numpy(), *places.exported(layer, units))
        for layer in range(layers)
    ]


def filled(
    stored: Iterator[LayerState], layers: int, kv_heads: int, head_dim: int
) -> tuple[SequenceState | None, Places]:
    """The layers as llama.cpp takes them, None for an empty cache, and where their units stand; never holds two of
    them. Raises ValueError for another model's, and whatever asking for a layer raised.
    """
    first = next(stored, None)
    if first is None:
        raise ValueError(_ANOTHER_MODELS)
    units, position = len(first.keys), first.next_position
    state = llama_state.blank(layers, units, kv_heads * head_dim, (position or units) - units)
    positions = [_copied(state, 0, first)]
    del first
    positions += [_copied(state, index, next(stored, None)) for index in range(1, layers)]
    if next(stored, None) is not None:
        raise ValueError(_ANOTHER_MODELS)
    places = Places(layers, kv_heads)
    places.put(positions, position, units)
    return state if units else None, places


def _copied(state: SequenceState, index: int, layer: LayerState | None) -> NDArray[np.int32] | None:
    """Copies a layer to its place and returns its positions. Raises ValueError where it is missing or of another
    shape.
    """
    shape = state.keys.shape[1:]
    if layer is None or layer.keys.shape != shape or layer.values.shape != shape:
        raise ValueError(_ANOTHER_MODELS)
    state.keys[index].numpy()[:] = layer.keys
    state.values[index].numpy()[:] = layer.values
    return layer.positions
