"""The shape of a model from the header of its GGUF file. It knows the format's fields, and reads no weights.

A sliding window is not looked for: llama.cpp lays its cache out for it, and a cache that cannot be evicted is found out
when the model is loaded.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from engine.errors import UserError
from engine.model_shape import ModelShape, model_name

# GGUF value types: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_LONGEST_ARRAY_READ = 4096
_LONGEST_STRING = 1 << 26
_MOST_DIMENSIONS = 4
_ALIGNMENT = 32
_FLOAT32 = 0


@dataclass(frozen=True)
class SkippedArray:
    """An array too long to be of interest."""

    length: int

    def __len__(self) -> int:
        return self.length


@dataclass(frozen=True)
class TensorInfo:
    """elements: how many. kind: ggml's number of their type. offset: bytes from where the data begin."""

    elements: int
    kind: int
    offset: int


@dataclass(frozen=True)
class Header:
    """fields: the metadata by name. tensors: by name. data_start: where in the file the tensors' data begin."""

    fields: Mapping[str, Any]
    tensors: Mapping[str, TensorInfo]
    data_start: int


def read_shape(path: Path) -> ModelShape:
    """path: a file that is there. Raises UserError("model_broken")."""
    try:
        header = read_header(path)
    except (OSError, struct.error, ValueError, MemoryError, OverflowError) as error:
        message = (
            f"{path.name} is not a whole GGUF model. "
            "Download it again, or choose another in the settings, or with --model."
        )
        raise UserError("model_broken", message, cause=str(error)) from error
    try:
        return _shape(path, header)
    except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError) as error:
        message = f"{path.name} is a GGUF file, but not of a language model that Keepsake can run."
        raise UserError("model_broken", message, cause=str(error)) from error


def _shape(path: Path, header: Header) -> ModelShape:
    fields = header.fields
    architecture = str(fields.get("general.architecture", ""))
    heads = _largest(fields[f"{architecture}.attention.head_count"])
    hidden = int(fields[f"{architecture}.embedding_length"])
    vocabulary = fields.get(f"{architecture}.vocab_size") or len(fields["tokenizer.ggml.tokens"])
    return ModelShape(
        path=path,
        name=model_name(path),
        architecture=architecture,
        layers=int(fields[f"{architecture}.block_count"]),
        heads=heads,
        kv_heads=_largest(fields.get(f"{architecture}.attention.head_count_kv", heads)),
        head_dim=int(fields.get(f"{architecture}.attention.key_length") or hidden // heads),
        context=int(fields[f"{architecture}.context_length"]),
        file_bytes=path.stat().st_size,
        hidden=hidden,
        feed_forward=_largest(fields.get(f"{architecture}.feed_forward_length", 0)),
        vocabulary=int(vocabulary),
        parameters=sum(tensor.elements for tensor in header.tensors.values()),
        tied="output.weight" not in header.tensors,
        gguf=True,
    )


def _largest(value: Any) -> int:
    """Of a value that some models give for each layer."""
    return int(max(value)) if isinstance(value, list) else int(value)


def read_header(path: Path) -> Header:
    """Everything but the weights; too long arrays are passed over. Raises struct.error, ValueError."""
    with path.open("rb") as file:
        magic, version, tensors, count = struct.unpack("<4sIQQ", file.read(24))
        if magic != b"GGUF" or version < 2:
            raise ValueError("no GGUF magic")
        fields = {_read_string(file): _read_value(file, _unpack(file, "I")) for _ in range(count)}
        found = dict(_read_tensor(file) for _ in range(tensors))
        alignment = int(fields.get("general.alignment", _ALIGNMENT))
        return Header(fields, found, -(-file.tell() // alignment) * alignment)


def read_floats(path: Path, header: Header, name: str) -> tuple[float, ...]:
    """A tensor of float32. Raises KeyError, ValueError for one of another type, struct.error."""
    tensor = header.tensors[name]
    if tensor.kind != _FLOAT32:
        raise ValueError(f"{name} is not float32")
    with path.open("rb") as file:
        file.seek(header.data_start + tensor.offset)
        return struct.unpack(f"<{tensor.elements}f", file.read(4 * tensor.elements))


def _read_tensor(file: BinaryIO) -> tuple[str, TensorInfo]:
    name, dimensions = _read_string(file), _unpack(file, "I")
    if dimensions > _MOST_DIMENSIONS:
        raise ValueError("a tensor of impossible shape")
    *shape, kind, offset = struct.unpack(f"<{dimensions}QIQ", file.read(dimensions * 8 + 12))
    return name, TensorInfo(math.prod(shape), kind, offset)


def _unpack(file: BinaryIO, code: str) -> Any:
    return struct.unpack("<" + code, file.read(struct.calcsize("<" + code)))[0]


def _read_string(file: BinaryIO) -> str:
    return file.read(_string_length(file)).decode()


def _string_length(file: BinaryIO) -> int:
    length = int(_unpack(file, "Q"))
    if length > _LONGEST_STRING:
        raise ValueError("a string of impossible length")
    return length


def _read_value(file: BinaryIO, kind: int) -> Any:
    if kind in _SCALARS:
        return _unpack(file, _SCALARS[kind])
    if kind == _STRING:
        return _read_string(file)
    if kind == _ARRAY:
        return _read_array(file, *struct.unpack("<IQ", file.read(12)))
    raise ValueError(f"unknown value type {kind}")


def _read_array(file: BinaryIO, item: int, length: int) -> list[Any] | SkippedArray:
    if length > _LONGEST_ARRAY_READ and item in _SCALARS:
        file.seek(length * struct.calcsize("<" + _SCALARS[item]), 1)
        return SkippedArray(length)
    if length > _LONGEST_ARRAY_READ and item == _STRING:
        for _ in range(length):
            file.seek(_string_length(file), 1)
        return SkippedArray(length)
    return [_read_value(file, item) for _ in range(length)]
