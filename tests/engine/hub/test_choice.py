"""Which files a model needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.hub import download
from engine.hub.choice import needed
from tests.engine.hub.local_hub import NAME, LocalHub

INDEX = "model.safetensors.index.json"
SHARDS = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]


def chosen(
    names: list[str], index: dict[str, object] | None = None, folder: Path = Path(), heads: bool = False
) -> list[str]:
    def read_index(name: str) -> Path:
        (folder / name).write_text(json.dumps(index))
        return folder / name

    return needed(names, read_index, heads)


def test_code_pictures_and_other_formats_are_left() -> None:
    others = ["modeling_x.py", "model.gguf", "tf_model.h5", "model.onnx", "README.md", "original/model.safetensors"]
    others += ["training_args.bin", "optimizer.bin", "onnx/config.json", "flax_model.msgpack"]
    small = ["config.json", "generation_config.json", "merges.txt", "tokenizer.model", "vocab.json"]
    assert chosen(["model.safetensors", *small, *others]) == sorted(["model.safetensors", *small])


def test_one_set_of_weights_is_enough() -> None:
    one, bins = ["model.safetensors"], ["pytorch_model.bin"]
    assert chosen(["model.safetensors", "consolidated.safetensors", "model.fp16.safetensors", *bins]) == one
    assert chosen(["pytorch_model.bin", "adapter_model.safetensors", "consolidated.safetensors"]) == bins
    assert chosen(["heads.safetensors", "adapter_model.safetensors", *bins]) == ["heads.safetensors"]
    assert chosen([*SHARDS, "consolidated.safetensors"]) == SHARDS


def test_an_index_says_which_files_they_are(tmp_path: Path) -> None:
    listed: dict[str, object] = {"weight_map": dict(zip("ab", SHARDS, strict=True))}
    names = [INDEX, *SHARDS, "model.fp16-00001-of-00001.safetensors", "consolidated.safetensors"]
    assert chosen(names, listed, tmp_path) == sorted([INDEX, *SHARDS])
    bins = ["pytorch_model.bin.index.json", "pytorch_model-00001-of-00001.bin"]
    assert chosen(bins, {"weight_map": {"a": bins[1]}}, tmp_path) == sorted(bins)


@pytest.mark.parametrize(
    "weight_map",
    [{"a": "../x.safetensors"}, {"a": "/x.safetensors"}, {"a": "sub/x.safetensors"}, {"a": "x.py"}, {"a": 1}, {}, None],
)
def test_an_index_cannot_name_anything_else(tmp_path: Path, weight_map: object) -> None:
    names = [INDEX, "../x.safetensors", "/x.safetensors", "sub/x.safetensors", "x.py", "1"]
    with pytest.raises(UserError) as raised:
        chosen(names, {"weight_map": weight_map}, tmp_path)
    assert raised.value.code == "download_failed"


def test_a_model_without_weights_is_refused() -> None:
    with pytest.raises(UserError) as raised:
        chosen(["config.json", "model.gguf", "sub/model.safetensors"])
    assert raised.value.code == "no_such_model"


def test_names_of_the_hub_never_leave_the_folder(hub: LocalHub, tmp_path: Path) -> None:
    evil = ["../evil.safetensors", "/tmp/evil.safetensors", "..\\model.safetensors", "a/../../model.safetensors"]
    evil += ["../config.json", "C:model.safetensors", "model/../../x.safetensors", ".model.safetensors"]
    hub.files |= dict.fromkeys(evil, b"evil" * 1000)
    folder = tmp_path / "models"
    here = download(NAME, folder, lambda progress: None, lambda: False)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.parent != here] == []
    assert {asked.file for asked in hub.asked} == {"config.json", "tokenizer.json", "model.safetensors"}


@pytest.mark.parametrize("name", ["llama-3.1-8B-instruct.bin", "heads.pt", "phi3.pth", "retaining.safetensors"])
def test_heads_may_lie_in_a_file_of_any_name(name: str) -> None:
    leftovers = ["training_args.bin", "optimizer.pt", "scheduler.pt", "rng_state_0.pth", "adapter_model.bin"]
    assert chosen(["config.json", name, *leftovers], heads=True) == sorted(["config.json", name])
    assert chosen(["model.safetensors", name], heads=True) == [name]


def test_heads_among_a_models_weights_come_with_them(tmp_path: Path) -> None:
    assert chosen(["model.safetensors", "training_args.bin"], heads=True) == ["model.safetensors"]
    assert chosen([*SHARDS], heads=True) == SHARDS
