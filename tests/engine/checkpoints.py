"""Tiny checkpoints in the form in which the authors publish theirs, in every kind of file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from engine.model_shape import ModelShape
from tests.engine.backends import tiny_gguf
from tests.engine.backends.tiny_gguf import HEAD_DIM, HEADS, KV_HEADS, LAYERS

WIDTH = (HEADS + 2 * KV_HEADS) * HEAD_DIM
HIDDEN = 12


def state_dict(whole: bool = False, dtype: torch.dtype = torch.float32, prefix: str = "model.") -> dict[str, Tensor]:
    """Heads for the tiny GGUF models; whole: with some of a model's own tensors between them."""
    generator = torch.Generator().manual_seed(11)

    def drawn(*shape: int) -> Tensor:
        return (torch.randn(shape, generator=generator) / shape[-1] ** 0.5).to(dtype)

    state = {}
    for layer in range(LAYERS):
        state[f"{prefix}layers.{layer}.self_attn.fc1.weight"] = drawn(HIDDEN, WIDTH)
        state[f"{prefix}layers.{layer}.self_attn.fc2.weight"] = drawn(KV_HEADS, HIDDEN)
    if whole:
        state[f"{prefix}embed_tokens.weight"] = drawn(tiny_gguf.VOCABULARY, 16)
        for layer in range(LAYERS):
            state[f"{prefix}layers.{layer}.self_attn.q_proj.weight"] = drawn(HEADS * HEAD_DIM, 16)
            state[f"{prefix}layers.{layer}.mlp.fc1.weight"] = drawn(8, 16)
    return state


def torch_zip(folder: Path, state: dict[str, Tensor]) -> Path:
    torch.save(state, folder / "llama-3.1-8B-instruct.bin")
    return folder / "llama-3.1-8B-instruct.bin"


def torch_legacy(folder: Path, state: dict[str, Tensor]) -> Path:
    torch.save(state, folder / "old.bin", _use_new_zipfile_serialization=False)
    return folder / "old.bin"


def safetensors(folder: Path, state: dict[str, Tensor]) -> Path:
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    return folder / "model.safetensors"


def sharded_safetensors(folder: Path, state: dict[str, Tensor]) -> Path:
    def save(shard: dict[str, Tensor], file: Path) -> None:
        save_file(shard, file, metadata={"format": "pt"})

    return _sharded(folder, "model", ".safetensors", state, save)


def sharded_torch(folder: Path, state: dict[str, Tensor]) -> Path:
    return _sharded(folder, "pytorch_model", ".bin", state, torch.save)


KINDS = {kind.__name__: kind for kind in (torch_zip, torch_legacy, safetensors, sharded_safetensors, sharded_torch)}


def _sharded(
    folder: Path, stem: str, suffix: str, state: dict[str, Tensor], save: Callable[[dict[str, Tensor], Path], None]
) -> Path:
    """fc1 and fc2 of a layer may be in different shards."""
    names = list(state)
    shards = [names[::3], names[1::3], names[2::3]]
    places = {}
    for number, shard in enumerate(shards, start=1):
        file = folder / f"{stem}-{number:05}-of-{len(shards):05}{suffix}"
        save({name: state[name] for name in shard}, file)
        places |= dict.fromkeys(shard, file.name)
    index = folder / f"{stem}{suffix}.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": places}))
    return index


def tiny_shape(
    layers: int = LAYERS, heads: int = HEADS, kv_heads: int = KV_HEADS, head_dim: int = HEAD_DIM
) -> ModelShape:
    """The tiny GGUF models' shape, where nothing else is said, of a file that is not there."""
    sizes = {"hidden": 64, "feed_forward": 96, "vocabulary": 320, "parameters": 1}
    return ModelShape(Path("tiny.gguf"), "tiny", "llama", layers, heads, kv_heads, head_dim, 512, file_bytes=1, **sizes)
