"""The shape of a model from the header of its GGUF file, without loading it: what the memory planner and the heads
need.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from engine.errors import UserError

# GGUF value types: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True)
class ModelShape:
    """What a model's memory depends on. file_bytes: the weights. context: tokens that it was trained on."""

    path: Path
    name: str
    architecture: str
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    context: int
    file_bytes: int

    @property
    def unit_bytes(self) -> int:
        """Bytes of one slot: float16 key and value in every layer and KV head."""
        return self.layers * self.kv_heads * self.head_dim * 2 * 2


def read_shape(path: Path) -> ModelShape:
    """Raises UserError("model_missing" or "model_broken")."""
    if not path.is_file():
        raise UserError("model_missing", f"There is no model at {path}. Choose a GGUF file in the settings.")
    try:
        with path.open("rb") as file:
            fields = _read_header(file)
    except (struct.error, UnicodeDecodeError, ValueError, MemoryError) as error:
        message = f"{path.name} is not a whole GGUF model. Download it again, or choose another in the settings."
        raise UserError("model_broken", message, cause=str(error)) from error
    return _shape(path, fields)


def _shape(path: Path, fields: Mapping[str, Any]) -> ModelShape:
    architecture = str(fields.get("general.architecture", ""))
    try:
        heads = _first(fields[f"{architecture}.attention.head_count"])
        return ModelShape(
            path=path,
            name=path.stem,
            architecture=architecture,
            layers=int(fields[f"{architecture}.block_count"]),
            heads=heads,
            kv_heads=_first(fields.get(f"{architecture}.attention.head_count_kv", heads)),
            head_dim=int(
                fields.get(f"{architecture}.attention.key_length")
                or fields[f"{architecture}.embedding_length"] // heads
            ),
            context=int(fields[f"{architecture}.context_length"]),
            file_bytes=path.stat().st_size,
        )
    except (KeyError, TypeError, IndexError, ZeroDivisionError) as error:
        message = f"{path.name} is a GGUF file, but not of a language model that Keepsake can run."
        raise UserError("model_broken", message, cause=str(error)) from error


def _first(value: Any) -> int:
    return int(max(value)) if isinstance(value, list) else int(value)


def _read_header(file: BinaryIO) -> dict[str, Any]:
    magic, version, _tensors, count = struct.unpack("<4sIQQ", file.read(24))
    if magic != b"GGUF" or version < 2:
        raise ValueError("no GGUF magic")
    return {_read_string(file): _read_value(file, _unpack(file, "I")) for _ in range(count)}


def _unpack(file: BinaryIO, code: str) -> Any:
    return struct.unpack("<" + code, file.read(struct.calcsize("<" + code)))[0]


def _read_string(file: BinaryIO) -> str:
    length = _unpack(file, "Q")
    if length > 1 << 26:
        raise ValueError("a string of impossible length")
    return file.read(length).decode()


def _read_value(file: BinaryIO, kind: int) -> Any:
    if kind in _SCALARS:
        return _unpack(file, _SCALARS[kind])
    if kind == _STRING:
        return _read_string(file)
    if kind == _ARRAY:
        item, length = struct.unpack("<IQ", file.read(12))
        if item in _SCALARS:
            size = struct.calcsize("<" + _SCALARS[item])
            if length > 4096:
                file.seek(length * size, 1)
                return None
            return list(struct.unpack(f"<{length}{_SCALARS[item]}", file.read(length * size)))
        return [_read_value(file, item) for _ in range(length)]
    raise ValueError(f"unknown value type {kind}")
