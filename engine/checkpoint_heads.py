"""Retaining heads out of a published checkpoint, as the authors of Locret publish theirs, and their conversion to our
head file.

It knows files of tensors and the names the heads have in them. It runs no model, and knows none but by its shape.
"""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from engine.locret.heads import HEAD_TENSOR, HeadFileError, RetainingHeads, from_state_dict, heads_sha256, save_heads
from engine.model_shape import ModelShape

# transformers' names in `hidden_act`; its other kinds of gelu are other functions.
_ACTIVATIONS = {"silu": "silu", "swish": "silu", "gelu": "gelu", "relu": "relu"}
_TORCH_SUFFIXES = (".bin", ".pt", ".pth")
_SUFFIXES = (".safetensors", *_TORCH_SUFFIXES)
_INDEX = ".index.json"
_ZIP_MAGIC = b"PK\x03\x04"
_EXACT = (torch.float16, torch.bfloat16)


@dataclass
class _Found:
    """The heads' tensors as they are stored, and the metadata where the file is one of ours."""

    tensors: dict[str, Tensor]
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Checkpoint:
    """dtype: the one that holds the heads exactly."""

    heads: RetainingHeads
    dtype: torch.dtype
    metadata: dict[str, str]

    @cached_property
    def digest(self) -> str:
        return heads_sha256(self.heads, self.dtype)


def read_checkpoint(path: Path) -> RetainingHeads:
    """The retaining heads of a checkpoint: a file of tensors, an index of shards, or a folder that holds one of them.

    A file is .safetensors, .bin, .pt or .pth; an index ends in .index.json. In a folder an index whose shards hold
    heads goes first, then .safetensors, then the others by name. `hidden_act` of a config.json beside it is the
    activation, silu where nothing says. A head file of ours comes with its own activation and calibration. Only the
    heads' tensors are read into memory, except from .bin files in torch's format before 1.6, which can only be read
    whole. Nothing in a file is run. Raises HeadFileError.
    """
    return _read(path).heads


def converted(source: Path, shape: ModelShape, fingerprint: str, folder: Path) -> Path:
    """The head file in folder that holds the source's heads and names the model, written where it is not there yet.

    The file's name ends in the first 12 digits of the heads' `heads_sha256`, so heads are written once; for another
    model file with the same shape, its fingerprint is added to the metadata. Raises HeadFileError, also for another
    shape.

    The weights keep the source's dtype (float32 for mixed and wider ones), so scores and kept units are the same bit
    for bit. What halving float32 would cost was measured on random heads and features (d_R 1024, width 6,144, the top
    409 of 4,096 units in 8 KV heads): float16 exchanges 0.03 % of the kept units, bfloat16 0.2 %.
    """
    checkpoint = _read(source)
    ending = f"-{checkpoint.digest[:12]}.safetensors"
    before = sorted(folder.glob(f"*{ending}"))
    file = before[0] if before else folder / f"{_stem(source)}{ending}"
    _write(checkpoint, source, shape, fingerprint, file)
    return file


def convert_to(file: Path, source: Path, shape: ModelShape, fingerprint: str) -> None:
    """Writes the source's heads for this model to the file, as `converted` does. Raises HeadFileError."""
    _write(_read(source), source, shape, fingerprint, file)


def _write(checkpoint: _Checkpoint, source: Path, shape: ModelShape, fingerprint: str, file: Path) -> None:
    _check_shape(checkpoint.heads, shape, source)
    written = _metadata_of(file)
    same = written.get("heads_sha256") == checkpoint.digest
    known = checkpoint.metadata.get("model_sha256", "").split()
    if same:
        known = written.get("model_sha256", "").split()
        if fingerprint in known:
            return
    about = (written if same else checkpoint.metadata) or {"source": _name(source), "licence": "unknown"}
    metadata = {**about, "model_sha256": " ".join(dict.fromkeys([*known, fingerprint]))}
    save_heads(checkpoint.heads, file, metadata, checkpoint.dtype)


def _check_shape(heads: RetainingHeads, shape: ModelShape, source: Path) -> None:
    width = (shape.heads + 2 * shape.kv_heads) * shape.head_dim
    if (heads.layers, heads.kv_heads, heads.width) != (shape.layers, shape.kv_heads, width):
        raise HeadFileError(
            f"The retaining heads in {_name(source)} are for {heads.layers} layers of {heads.kv_heads} KV heads and "
            f"{heads.width} features; {shape.name} has {shape.layers} layers of {shape.kv_heads} KV heads and {width} "
            "features"
        )


def _metadata_of(file: Path) -> dict[str, str]:
    """Empty where there is no whole head file."""
    try:
        with safe_open(file, framework="pt") as opened:
            return dict(opened.metadata() or {})
    except Exception:  # safetensors raises its own type, or OSError
        return {}


def _name(path: Path) -> str:
    return path.name or path.resolve().name


def _stem(path: Path) -> str:
    if path.name.endswith(_INDEX):
        return _name(path.parent)
    return path.stem if path.suffix in _SUFFIXES else _name(path)


def _read(path: Path) -> _Checkpoint:
    found = _find(path)
    activation = found.metadata.get("activation") or _activation(path if path.is_dir() else path.parent)
    dtypes = {tensor.dtype for name, tensor in found.tensors.items() if HEAD_TENSOR.search(name)}
    dtype = dtypes.pop() if len(dtypes) == 1 else torch.float32
    try:
        heads = from_state_dict(found.tensors, activation)
    except HeadFileError as error:
        raise HeadFileError(f"The retaining heads in {_name(path)} cannot be used: {error}") from error
    return _Checkpoint(heads, dtype if dtype in _EXACT else torch.float32, found.metadata)


def _find(path: Path) -> _Found:
    if path.is_dir():
        return _in_folder(path)
    if path.name.endswith(_INDEX):
        return _in_shards(path, _shards(path))
    return _in_file(path)


def _in_folder(folder: Path) -> _Found:
    for index in _sorted(folder, _INDEX):
        if places := _shards(index):
            return _in_shards(index, places)
    failures: list[str] = []
    for file in (file for suffix in _SUFFIXES for file in _sorted(folder, suffix)):
        try:
            return _in_file(file)
        except HeadFileError as error:
            failures.append(str(error))
    if len(failures) == 1:
        raise HeadFileError(failures[0])
    names = " or ".join(_SUFFIXES)
    message = f"No file in {_name(folder)} that ends in {names} holds retaining heads"
    raise HeadFileError(". ".join([message, *failures[:3]]))


def _sorted(folder: Path, ending: str) -> list[Path]:
    """Indexes of safetensors come before those of .bin files, as .safetensors does."""
    return sorted(folder.glob(f"*{ending}"), key=lambda file: (".safetensors" not in file.name, file.name))


def _shards(index: Path) -> dict[str, str]:
    """The shard of each of the heads' tensors; empty where the index names no heads."""
    places = _json(index).get("weight_map")
    if not isinstance(places, dict):
        raise HeadFileError(f"{index.name} is no index of a checkpoint: it has no weight_map")
    return {str(name): str(shard) for name, shard in places.items() if HEAD_TENSOR.search(name)}


def _in_shards(index: Path, places: dict[str, str]) -> _Found:
    if not places:
        raise HeadFileError(f"{index.name} has no retaining heads (self_attn.fc1.weight) in it")
    tensors: dict[str, Tensor] = {}
    for shard in sorted(set(places.values())):
        if Path(shard).name != shard:
            raise HeadFileError(f"{index.name} names a shard outside its folder: {shard}")
        tensors |= _in_file(index.parent / shard).tensors
    if missing := sorted(places.keys() - tensors.keys()):
        raise HeadFileError(f"{index.name} and its shards disagree: {missing[0]} is in none of them")
    return _Found({name: tensors[name] for name in places})


def _in_file(file: Path) -> _Found:
    if not file.is_file():
        raise HeadFileError(f"There is no file {file}")
    if file.suffix not in _SUFFIXES:
        raise HeadFileError(f"{file.name} is no checkpoint: its name would end in {', '.join(_SUFFIXES)} or {_INDEX}")
    found = _in_torch_file(file) if file.suffix in _TORCH_SUFFIXES else _in_safetensors(file)
    if not found.tensors:
        raise HeadFileError(f"{file.name} has no retaining heads (self_attn.fc1.weight) in it")
    return found


def _in_safetensors(file: Path) -> _Found:
    try:
        with safe_open(file, framework="pt") as opened:
            metadata = dict(opened.metadata() or {})
            ours = "activation" in metadata
            names = [name for name in opened.keys() if _wanted(name, ours)]  # noqa: SIM118 (not a dict)
            return _Found({name: opened.get_tensor(name) for name in names}, metadata if ours else {})
    except Exception as error:  # safetensors raises its own type, OSError or ValueError
        raise HeadFileError(f"{file.name} is damaged, or no safetensors file: {error}") from error


def _wanted(name: str, ours: bool) -> bool:
    return HEAD_TENSOR.search(name) is not None or (ours and name.startswith("calibration."))


def _in_torch_file(file: Path) -> _Found:
    """Tensors of a zip file stay on the disk until they are used; the format before torch 1.6 has no such way."""
    try:
        with file.open("rb") as opened:
            mapped = opened.read(len(_ZIP_MAGIC)) == _ZIP_MAGIC
        state: Any = torch.load(file, map_location="cpu", weights_only=True, mmap=mapped)
    except pickle.UnpicklingError as error:
        # torch's own text advises to load it without the check, which must not be followed here.
        message = f"{file.name} is refused: it is no file of plain tensors, but damaged or made to run code when opened"
        raise HeadFileError(message) from error
    except Exception as error:  # torch raises RuntimeError, EOFError, OSError and more for damaged files
        reason = str(error).partition("\n")[0]
        raise HeadFileError(f"{file.name} is damaged, or no file of torch's: {reason or 'it is empty'}") from error
    if not isinstance(state, dict):
        raise HeadFileError(f"{file.name} holds no state dict")
    tensors = {str(name): value for name, value in state.items() if isinstance(value, Tensor)}
    return _Found({name: tensor for name, tensor in tensors.items() if HEAD_TENSOR.search(name)})


def _activation(folder: Path) -> str:
    config = folder / "config.json"
    name = _json(config).get("hidden_act", "silu") if config.is_file() else "silu"
    if name not in _ACTIVATIONS:
        raise HeadFileError(f"Heads with the activation {name} cannot be used; known: {', '.join(_ACTIVATIONS)}")
    return _ACTIVATIONS[name]


def _json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HeadFileError(f"{file.name} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise HeadFileError(f"{file.name} is damaged")
    return content
