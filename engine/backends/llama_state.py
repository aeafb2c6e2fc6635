"""The bytes of llama.cpp's sequence state (llama-cpp-python 0.3.36): one sequence's cells, keys and values.

Layout: magic u32, sequence i32, streams u32, cells u32; for each cell position i32, sequences u32, sequence i32;
transposed u32, layers u32; for each layer key type i32, row bytes u64, rows; then the same for the values.
It knows the layout alone: no model, no context.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from llama_cpp import llama_cpp as lib
from torch import Tensor

_HEADER = struct.Struct("<IiII")
_CELL = np.dtype([("position", "<i4"), ("sequences", "<u4"), ("sequence", "<i4")])
_LAYERS = struct.Struct("<II")
_ROWS = struct.Struct("<iQ")
_MAGIC = 0xAF143CD8
_SEQUENCE = 0
_F16 = lib.GGML_TYPE_F16
_HALF = 2
Rows = Callable[[int, Tensor], Tensor]


class StateLayoutError(ValueError):
    """The bytes are no plain float16 cache of one sequence; the text says what is in the way."""


@dataclass(frozen=True)
class SequenceState:
    """A state's bytes and what they hold.

    buffer: uint8. keys, values: float16 (layers, cells, width), views into it: writing to them changes the bytes.
    """

    buffer: Tensor
    keys: Tensor
    values: Tensor


def parse(buffer: Tensor) -> SequenceState:
    """buffer: uint8. Raises StateLayoutError for what eviction cannot handle."""
    data: memoryview = buffer.numpy().data
    try:
        cells, layers, start = _parse_cells(data)
        width = _check_rows(data, start, cells, layers)
    except struct.error as error:
        raise StateLayoutError("the state ends early") from error
    return _views(buffer, start, layers, cells, width)


def blank(layers: int, cells: int, width: int, position: int = 0) -> SequenceState:
    """A state of `cells` cells at position, position+1, ..., whose keys and values are for the caller to fill in."""
    start = _start(cells)
    buffer = allocate(start + 2 * layers * (_ROWS.size + cells * width * _HALF))
    _write_header(buffer, layers, cells, position)
    for block in range(2 * layers):
        _write_block_header(buffer, start, block, cells, width)
    return _views(buffer, start, layers, cells, width)


def compact(state: SequenceState, cells: int, keys: Rows, values: Rows, position: int = 0) -> SequenceState:
    """The state with at most as many cells, written over the old one, so that no second copy is needed.

    position: of the first cell; the others follow. keys, values: called with a layer and its old rows, float16 (old
    cells, width); they return its new ones, float16 (cells, width), which must not be views of the old.
    """
    layers, old_cells, width = state.keys.shape
    if cells > old_cells:
        raise ValueError(f"{cells} cells do not fit in the place of {old_cells}")
    start = _start(cells)
    size = start + 2 * layers * (_ROWS.size + cells * width * _HALF)
    new = _views(state.buffer[:size], start, layers, cells, width)
    _write_header(state.buffer, layers, cells, position)
    # Each new block ends before the next old one begins, so nothing is overwritten before it was read.
    for old_side, new_side, rows, first in (
        (state.keys, new.keys, keys, 0),
        (state.values, new.values, values, layers),
    ):
        for layer in range(layers):
            gathered = rows(layer, old_side[layer])
            _write_block_header(state.buffer, start, first + layer, cells, width)
            new_side[layer] = gathered
    return new


def allocate(size: int) -> Tensor:
    """Unset bytes; by numpy, which asks Linux for huge pages, so that touching them all takes half the time."""
    return torch.from_numpy(np.empty(size, np.uint8))


def _start(cells: int) -> int:
    """Where the first layer's block begins."""
    return _HEADER.size + cells * _CELL.itemsize + _LAYERS.size


def _write_header(buffer: Tensor, layers: int, cells: int, position: int) -> None:
    data = buffer.numpy().data
    table = np.zeros(cells, _CELL)
    table["position"], table["sequences"], table["sequence"] = position + np.arange(cells), 1, _SEQUENCE
    _HEADER.pack_into(data, 0, _MAGIC, _SEQUENCE, 1, cells)
    data[_HEADER.size : _start(cells) - _LAYERS.size] = table.tobytes()
    _LAYERS.pack_into(data, _start(cells) - _LAYERS.size, 0, layers)


def _write_block_header(buffer: Tensor, start: int, block: int, cells: int, width: int) -> None:
    offset = start + block * (_ROWS.size + cells * width * _HALF)
    _ROWS.pack_into(buffer.numpy().data, offset, _F16, width * _HALF)


def _parse_cells(data: memoryview) -> tuple[int, int, int]:
    """Number of cells, number of layers, and where the first layer's block starts."""
    magic, _, streams, cells = _HEADER.unpack_from(data, 0)
    if magic != _MAGIC:
        raise StateLayoutError("this llama.cpp writes its state in another layout")
    if streams != 1:
        raise StateLayoutError(f"it has {streams} streams")
    end = _start(cells) - _LAYERS.size
    if end + _LAYERS.size > len(data):
        raise StateLayoutError("the state ends early")
    table = np.frombuffer(data[_HEADER.size : end], _CELL)
    steps = np.diff(table["position"])
    if not ((steps == 1).all() and (table["sequences"] == 1).all()):
        raise StateLayoutError("its cells are not one sequence in order")
    transposed, layers = _LAYERS.unpack_from(data, end)
    if transposed:
        raise StateLayoutError("its values are transposed")
    return cells, layers, end + _LAYERS.size


def _check_rows(data: memoryview, start: int, cells: int, layers: int) -> int:
    """Width of a row, which must be the same in every layer, for keys and values."""
    _, row_bytes = _ROWS.unpack_from(data, start)
    stride = _ROWS.size + cells * row_bytes
    for block in range(2 * layers):
        kind, size = _ROWS.unpack_from(data, start + block * stride)
        if kind != _F16:
            raise StateLayoutError("its keys and values are not float16")
        if size != row_bytes:
            raise StateLayoutError("its layers, or keys and values, differ in width")
    if start + 2 * layers * stride != len(data):
        raise StateLayoutError("it holds more than one plain cache")
    return int(row_bytes) // _HALF


def _views(buffer: Tensor, start: int, layers: int, cells: int, width: int) -> SequenceState:
    stride = (_ROWS.size + cells * width * _HALF) // _HALF
    halves = buffer[: buffer.numel() // _HALF * _HALF].view(torch.float16)
    first = (start + _ROWS.size) // _HALF
    shape, strides = (layers, cells, width), (stride, width, 1)
    keys = halves.as_strided(shape, strides, first)
    return SequenceState(buffer, keys, halves.as_strided(shape, strides, first + layers * stride))
