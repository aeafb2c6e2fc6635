"""The shape of a model from its Hugging Face folder: config.json and the headers of its weight files.

Standard library only: it is asked before anything heavy is imported. It knows the names that configs of Llama's kind
share, and nothing of what runs them.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.errors import UserError
from engine.model_shape import ModelShape, model_name

CONFIG = "config.json"
# What torch runs here, by transformers' names. SmolLM 1 and 2 are llama; others differ in cache, mask or projections.
ARCHITECTURES = ("llama", "mistral", "phi3", "qwen2", "qwen3", "smollm3")
# As transformers chooses among them: the first that is there.
_SINGLE_FILES = ("model.safetensors", "pytorch_model.bin")
_INDEX = ".index.json"
_LONGEST_HEADER = 100_000_000  # the format's own limit
_UNEMBEDDING = "lm_head.weight"
_DTYPES = {"F32": "float32", "BF16": "bfloat16", "F16": "float16"}
_POSITIVE = ("num_attention_heads", "hidden_size", "num_hidden_layers", "intermediate_size", "vocab_size")
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json")
_TIED_UNSAID = ("smollm3",)  # the others keep their own unembedding where the configuration is silent
_FIRST_HEAD = "model.layers.0.self_attn.fc1.weight"
_HEADS = (".self_attn.fc1.weight", ".self_attn.fc2.weight")
# Their sliding window is off unless it is switched on.
_WINDOW_SWITCHED_OFF = ("qwen2", "qwen3")
# What transformers takes where the configuration is silent.
_WINDOW_UNSAID = {"mistral": 4096, "qwen2": 4096, "qwen3": 4096}


@dataclass(frozen=True)
class Weights:
    """bytes: of all files. tensors: elements by name, empty where the files are not safetensors. stored: their
    dtype, or "" where they differ or it is not known.
    """

    bytes: int
    tensors: Mapping[str, int]
    stored: str


def read_shape(folder: Path) -> ModelShape:
    """folder: one that is there. Raises UserError("model_broken")."""
    config = _read_config(folder)
    if "model_type" in config:
        refuse_unknown(str(config["model_type"]))
    weights = _read_weights(folder)
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        raise _not_whole(folder, "no tokenizer")
    try:
        return _shape(folder, config, weights)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        message = (
            f"{folder.name} is no language model that Keepsake can run. "
            "Choose another in the settings, or with --model."
        )
        raise UserError("model_broken", message, cause=str(error)) from error


def refuse_unknown(model_type: str) -> None:
    """Raises UserError("model_broken") for an architecture that torch does not run here, by its name."""
    if model_type not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        message = (
            f"Keepsake cannot run models of the kind {model_type} through torch; it knows {known}. Try its GGUF file."
        )
        raise UserError("model_broken", message)


def _shape(folder: Path, config: Mapping[str, Any], weights: Weights) -> ModelShape:
    if any(int(config[name]) < 1 for name in _POSITIVE):
        raise ValueError("a size below 1")
    heads, hidden = int(config["num_attention_heads"]), int(config["hidden_size"])
    window = _window(config)
    context = int(config["max_position_embeddings"])
    shape = ModelShape(
        path=folder,
        name=model_name(folder),
        architecture=str(config["model_type"]),
        layers=int(config["num_hidden_layers"]),
        heads=heads,
        kv_heads=int(config.get("num_key_value_heads") or heads),
        head_dim=int(config.get("head_dim") or hidden // heads),
        context=min(context, window or context),
        file_bytes=weights.bytes,
        hidden=hidden,
        feed_forward=int(config["intermediate_size"]),
        vocabulary=int(config["vocab_size"]),
        parameters=1,
        window=window,
        tied=_tied(config),
        stored=weights.stored,
    )
    shape = replace(shape, head_hidden=weights.tensors.get(_FIRST_HEAD, 0) // shape.feature_width)
    return _counted(shape, config, weights)


def _counted(shape: ModelShape, config: Mapping[str, Any], weights: Weights) -> ModelShape:
    """With its parameters: the files', or as its shape tells where the files hide them."""
    packed = "quantization_config" in config  # several weights to an element
    if packed or not weights.tensors:
        return replace(shape, parameters=estimated_parameters(shape))
    again = weights.tensors.get(_UNEMBEDDING, 0) if shape.tied else 0
    backbone = sum(size for name, size in weights.tensors.items() if not name.endswith(_HEADS))
    return replace(shape, parameters=backbone - again)


def estimated_parameters(shape: ModelShape) -> int:
    """Weights of a Llama of that shape: attention, gated feed-forward network, two norms a layer, no biases."""
    attention = shape.hidden * (shape.feature_width + shape.heads * shape.head_dim)
    layer = attention + 3 * shape.hidden * shape.feed_forward + 2 * shape.hidden
    embeddings = shape.vocabulary * shape.hidden * (1 if shape.tied else 2)
    return embeddings + shape.layers * layer + shape.hidden


def _window(config: Mapping[str, Any]) -> int | None:
    """Tokens of the sliding window that any layer uses, or None."""
    switched_on = config.get("use_sliding_window", config["model_type"] not in _WINDOW_SWITCHED_OFF)
    kinds = config.get("layer_types")
    window = config.get("sliding_window", _WINDOW_UNSAID.get(config["model_type"]))
    if not window or not switched_on or (kinds and "sliding_attention" not in kinds):
        return None
    return int(window)


def _tied(config: Mapping[str, Any]) -> bool:
    said = config.get("tie_word_embeddings")
    return config["model_type"] in _TIED_UNSAID if said is None else bool(said)


def _read_config(folder: Path) -> Mapping[str, Any]:
    path = folder / CONFIG
    if not path.is_file():
        message = (
            f"{folder.name} holds no model: it has no {CONFIG}. "
            "Choose a model's own folder in the settings, or with --model."
        )
        raise UserError("model_broken", message)
    try:
        config = json.loads(path.read_bytes())
    except ValueError as error:
        raise _not_whole(folder, f"{CONFIG}: {error}") from error
    return config if isinstance(config, dict) else {}


def _read_weights(folder: Path) -> Weights:
    files = _weight_files(folder)
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise _not_whole(folder, f"missing: {', '.join(missing)}")
    tensors: dict[str, int] = {}
    kinds: set[str] = set()
    for file in files:
        if file.suffix == ".safetensors":
            try:
                entries = _read_header(file)
                tensors |= {name: math.prod(entry["shape"]) for name, entry in entries.items()}
                kinds |= {entry["dtype"] for name, entry in entries.items() if not name.endswith(_HEADS)}
            except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
                raise _not_whole(folder, f"{file.name}: {error}") from error
    stored = _DTYPES.get(kinds.pop(), "") if len(kinds) == 1 else ""
    return Weights(sum(file.stat().st_size for file in files), tensors, stored)


def _weight_files(folder: Path) -> list[Path]:
    for name in _SINGLE_FILES:
        if (folder / name).is_file():
            return [folder / name]
        index = folder / (name + _INDEX)
        if index.is_file():
            return _shards(index)
    message = f"{folder.name} has no weights: neither {' nor '.join(_SINGLE_FILES)}. Download it again."
    raise UserError("model_broken", message)


def _shards(index: Path) -> list[Path]:
    try:
        names = sorted(set(json.loads(index.read_bytes())["weight_map"].values()))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _not_whole(index.parent, f"{index.name}: {error}") from error
    if not names:
        raise _not_whole(index.parent, f"{index.name} names no files")
    return [index.parent / name for name in names]


def _read_header(path: Path) -> dict[str, Any]:
    """Entries by name: https://github.com/huggingface/safetensors#format. Raises ValueError for what is cut off."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > _LONGEST_HEADER:
            raise ValueError("a header of impossible length")
        entries = json.loads(file.read(length))
    entries.pop("__metadata__", None)
    end = max((entry["data_offsets"][1] for entry in entries.values()), default=0)
    if path.stat().st_size < 8 + length + end:
        raise ValueError("it ends early")
    return dict(entries)


def _not_whole(folder: Path, cause: str) -> UserError:
    message = (
        f"{folder.name} is not whole. Download it again, or choose another model in the settings, or with --model."
    )
    return UserError("model_broken", message, cause=cause)
