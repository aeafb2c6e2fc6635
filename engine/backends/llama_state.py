"""The bytes of llama.cpp's sequence state (llama-cpp-python 0.3.36): one sequence's cells, keys and values.

Layout: magic u32, sequence i32, streams u32, cells u32; for each cell position i32, sequences u32, sequence i32;
transposed u32, layers u32; for each layer key type i32, row bytes u64, rows; then the same for the values.
It knows the layout alone: no model, no context.
"""

from __future__ import annotations

import struct
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


def blank(layers: int, cells: int, width: int) -> SequenceState:
    """A state of `cells` cells at positions 0..cells-1, whose keys and values are for the caller to fill in."""
    start = _HEADER.size + cells * _CELL.itemsize + _LAYERS.size
    block = _ROWS.size + cells * width * _HALF
    buffer = torch.empty(start + 2 * layers * block, dtype=torch.uint8)
    data = buffer.numpy().data
    _HEADER.pack_into(data, 0, _MAGIC, _SEQUENCE, 1, cells)
    table = np.zeros(cells, _CELL)
    table["position"], table["sequences"], table["sequence"] = np.arange(cells), 1, _SEQUENCE
    data[_HEADER.size : start - _LAYERS.size] = table.tobytes()
    _LAYERS.pack_into(data, start - _LAYERS.size, 0, layers)
    for index in range(2 * layers):
        _ROWS.pack_into(data, start + index * block, _F16, width * _HALF)
    return _views(buffer, start, layers, cells, width)


def _parse_cells(data: memoryview) -> tuple[int, int, int]:
    """Number of cells, number of layers, and where the first layer's block starts."""
    magic, _, streams, cells = _HEADER.unpack_from(data, 0)
    if magic != _MAGIC:
        raise StateLayoutError("this llama.cpp writes its state in another layout")
    if streams != 1:
        raise StateLayoutError(f"it has {streams} streams")
    end = _HEADER.size + cells * _CELL.itemsize
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
