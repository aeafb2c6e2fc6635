"""Checkpoints in the authors' form, in every kind of file: the same heads, converted once, served by both runtimes;
and what is refused.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.budget import selection_for
from engine.checkpoint_heads import converted, read_checkpoint
from engine.head_files import find_heads
from engine.loaded_model import file_sha256, heads_fingerprint, load_model
from engine.locret.heads import Calibration, HeadFileError, RetainingHeads, head_metadata, load_heads, save_heads
from engine.model_shape import ModelShape, read_shape
from engine.target import LLAMA_CPP, TORCH_CPU, Target
from tests.engine import checkpoints
from tests.engine.backends import tiny_gguf
from tests.engine.backends.samples import some_tokens
from tests.engine.backends.tiny_gguf import KV_HEADS, LAYERS
from tests.engine.backends.torch_llama import TorchLlama
from tests.engine.checkpoints import HIDDEN, KINDS, WIDTH, state_dict, tiny_shape
from tests.engine.reference_llama import ReferenceLlama

REFERENCE = Path(__file__).parents[1] / "data" / "official_locret"
FIRST, SECOND = "a" * 64, "b" * 64


def assert_same(heads: RetainingHeads, state: dict[str, Tensor], prefix: str = "model.") -> None:
    assert (heads.layers, heads.width, heads.hidden, heads.kv_heads) == (LAYERS, WIDTH, HIDDEN, KV_HEADS)
    for layer in range(LAYERS):
        assert torch.equal(heads.first[layer], state[f"{prefix}layers.{layer}.self_attn.fc1.weight"].float())
        assert torch.equal(heads.second[layer], state[f"{prefix}layers.{layer}.self_attn.fc2.weight"].float())


@pytest.mark.parametrize("whole", [False, True], ids=["heads-alone", "whole-model"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_checkpoint_gives_the_same_heads(
    kind: str, dtype: torch.dtype, whole: bool, tmp_path: Path
) -> None:
    state = state_dict(whole, dtype)
    file = KINDS[kind](tmp_path, state)
    assert_same(read_checkpoint(file), state)
    (tmp_path / "config.json").write_text(json.dumps({"hidden_act": "gelu", "model_type": "llama"}))
    heads = read_checkpoint(tmp_path)
    assert_same(heads, state)
    assert heads.activation == "gelu"


@pytest.mark.parametrize("prefix", ["", "module.model.", "base_model.model.model."])
def test_names_may_begin_otherwise(prefix: str, tmp_path: Path) -> None:
    state = state_dict(prefix=prefix)
    assert_same(read_checkpoint(checkpoints.torch_zip(tmp_path, state)), state, prefix)


def test_the_authors_own_model_gives_the_authors_scores_before_and_after_conversion(tmp_path: Path) -> None:
    checkpoint = REFERENCE / "public_a.model.safetensors"
    expected = load_file(REFERENCE / "public_labels_a.safetensors")
    config = json.loads((REFERENCE / "public_a.json").read_text())["model"]
    model = ReferenceLlama(load_file(checkpoint), config)
    model.retaining = read_checkpoint(checkpoint)
    prefix = expected["predictions"].shape[-1]
    scores = model.forward(expected["input_ids"][:prefix].tolist())
    torch.testing.assert_close(scores, expected["predictions"], atol=1e-3, rtol=1e-5)
    file = converted(checkpoint, tiny_shape(layers=3, heads=16, kv_heads=8, head_dim=8), FIRST, tmp_path)
    model.clear()
    model.retaining = load_heads(file)
    assert torch.equal(model.forward(expected["input_ids"][:prefix].tolist()), scores)


def test_only_shards_with_heads_are_opened(tmp_path: Path) -> None:
    index = checkpoints.sharded_safetensors(tmp_path, state_dict())
    content = json.loads(index.read_text())
    content["weight_map"]["model.embed_tokens.weight"] = "not-downloaded.safetensors"
    index.write_text(json.dumps(content))
    assert_same(read_checkpoint(index), state_dict())


def test_a_folder_is_searched_past_files_without_heads(tmp_path: Path) -> None:
    torch.save({"lr": 1.0, "made_by": Path("x")}, tmp_path / "aaa_training_args.bin")
    save_file({"model.embed_tokens.weight": torch.ones(2)}, tmp_path / "model.safetensors")
    checkpoints.torch_zip(tmp_path, state_dict())
    assert_same(read_checkpoint(tmp_path), state_dict())


def test_our_own_file_comes_with_activation_calibration_and_metadata(tmp_path: Path) -> None:
    own, folder = tmp_path / "own.safetensors", tmp_path / "heads"
    heads = RetainingHeads(LAYERS, WIDTH, HIDDEN, KV_HEADS, "relu")
    heads.calibration = Calibration(torch.ones(LAYERS, KV_HEADS), torch.full((LAYERS, KV_HEADS), 2.0), 0.5, 1.5)
    save_heads(heads, own, {"model_sha256": FIRST, "recipe": "ours"})
    (tmp_path / "config.json").write_text(json.dumps({"hidden_act": "gelu"}))
    ours, loaded = read_checkpoint(own), load_heads(own)
    assert ours.activation == loaded.activation == "relu"
    assert ours.calibration is not None and loaded.calibration is not None
    assert torch.equal(ours.calibration.std, loaded.calibration.std)
    assert all(torch.equal(a, b) for a, b in zip(ours.first, loaded.first, strict=True))
    file = converted(own, tiny_shape(), SECOND, folder)
    kept = load_heads(file).calibration
    assert kept is not None and torch.equal(kept.std, heads.calibration.std) and kept.consensus_std == 1.5
    assert head_metadata(file)["recipe"] == "ours"
    assert "licence" not in head_metadata(file)
    assert find_heads(FIRST, [folder]) == find_heads(SECOND, [folder]) == file


def test_heads_are_converted_once(tmp_path: Path) -> None:
    folder = tmp_path / "heads"
    source = checkpoints.torch_zip(tmp_path, state_dict(dtype=torch.bfloat16))
    file = converted(source, tiny_shape(), FIRST, folder)
    metadata = head_metadata(file)
    assert file.name == f"llama-3.1-8B-instruct-{metadata['heads_sha256'][:12]}.safetensors"
    assert (metadata["source"], metadata["licence"]) == ("llama-3.1-8B-instruct.bin", "unknown")
    os.utime(file, ns=(1, 1))
    assert converted(source, tiny_shape(), FIRST, folder) == file
    assert converted(checkpoints.safetensors(tmp_path, load_file(file)), tiny_shape(), FIRST, folder) == file
    assert converted(file, tiny_shape(), FIRST, folder) == file
    assert file.stat().st_mtime_ns == 1
    assert list(folder.iterdir()) == [file]


def test_another_file_of_the_model_is_added_and_what_was_read_stays_known(tmp_path: Path) -> None:
    folder = tmp_path / "heads"
    source = checkpoints.torch_zip(tmp_path, state_dict())
    file = converted(source, tiny_shape(), FIRST, folder)
    known, tensors = heads_fingerprint(file), load_file(file)
    assert converted(source, tiny_shape(), SECOND, folder) == file
    assert head_metadata(file)["model_sha256"] == f"{FIRST} {SECOND}"
    assert find_heads(FIRST, [folder]) == find_heads(SECOND, [folder]) == file
    assert heads_fingerprint(file) == known
    assert all(torch.equal(tensors[name], tensor) for name, tensor in load_file(file).items())


def test_a_damaged_conversion_is_written_again(tmp_path: Path) -> None:
    source = checkpoints.torch_zip(tmp_path, state_dict())
    file = converted(source, tiny_shape(), FIRST, tmp_path / "heads")
    file.write_bytes(file.read_bytes()[:-100])
    assert converted(source, tiny_shape(), FIRST, tmp_path / "heads") == file
    assert_same(load_heads(file), state_dict())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
def test_conversion_keeps_every_unit(dtype: torch.dtype, tmp_path: Path) -> None:
    state = state_dict(dtype=dtype)
    file = converted(checkpoints.torch_zip(tmp_path, state), tiny_shape(), FIRST, tmp_path / "heads")
    assert_same(load_heads(file), state)
    kept = torch.float32 if dtype == torch.float64 else dtype
    assert all(tensor.dtype == kept for tensor in load_file(file).values())


@pytest.mark.parametrize("architecture", ["llama", "qwen2", "phi3"])
def test_the_model_that_heads_were_converted_for_is_read_with_them(architecture: str, tmp_path: Path) -> None:
    model = tiny_gguf.write(tmp_path / "tiny.gguf", architecture).path
    source = checkpoints.sharded_torch(tmp_path, state_dict(whole=True, dtype=torch.bfloat16))
    file = converted(source, read_shape(model), file_sha256(model), tmp_path / "heads")
    selection = selection_for(256)
    loaded = load_model(
        read_shape(model), file_sha256(model), selection, "locret", [tmp_path / "heads"], abort=lambda: False
    )
    scores = loaded.runtime.forward(some_tokens(60))
    loaded.runtime.close()
    assert (loaded.heads_name, loaded.selection, loaded.notice) == (file.stem, selection, None)
    assert scores is not None and scores.shape == (LAYERS, KV_HEADS, 60)


@pytest.mark.parametrize("target", [LLAMA_CPP, TORCH_CPU], ids=["llama.cpp", "torch"])
def test_both_runtimes_give_the_scores_of_the_source_in_the_checkpoints_order(tmp_path: Path, target: Target) -> None:
    model = tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path
    state = state_dict()
    file = converted(checkpoints.torch_zip(tmp_path, state), read_shape(model), file_sha256(model), tmp_path / "heads")
    backend = load_model(
        read_shape(model),
        file_sha256(model),
        selection_for(256),
        "locret",
        [file.parent],
        abort=lambda: False,
        target=target,
    ).runtime
    scores = backend.forward(some_tokens(60))
    backend.close()
    reference = TorchLlama(model)
    reference.forward(some_tokens(60))
    assert scores is not None
    for layer, features in enumerate(reference.features):
        hidden = features @ state[f"model.layers.{layer}.self_attn.fc1.weight"].T
        expected = (hidden * hidden.sigmoid()) @ state[f"model.layers.{layer}.self_attn.fc2.weight"].T
        torch.testing.assert_close(scores[layer], expected.T, atol=5e-3, rtol=0)
        top = scores[layer].topk(15).indices
        assert expected.T.gather(1, top).min() >= expected.T.topk(15).values.min() - 5e-3


class Malicious:
    """Creates a file when it is unpickled."""

    def __init__(self, proof: Path) -> None:
        self.proof = proof

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.proof),)


@pytest.mark.parametrize("new", [True, False], ids=["zip", "legacy"])
def test_a_pickle_that_runs_code_is_refused_and_not_run(new: bool, tmp_path: Path) -> None:
    file, proof = tmp_path / "evil.bin", tmp_path / "proof"
    torch.save({**state_dict(), "x": Malicious(proof)}, file, _use_new_zipfile_serialization=new)
    for path in (file, tmp_path):
        with pytest.raises(HeadFileError, match=r"evil\.bin is refused: .*run code") as caught:
            read_checkpoint(path)
        assert "weights_only" not in str(caught.value)
    assert not proof.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_named(kind: str, tmp_path: Path) -> None:
    KINDS[kind](tmp_path, state_dict())
    shard = sorted(file for file in tmp_path.iterdir() if file.suffix != ".json")[0]
    whole = shard.read_bytes()
    for content in (whole[: len(whole) // 2], b"", os.urandom(4000)):
        shard.write_bytes(content)
        with pytest.raises(HeadFileError, match=shard.name):
            read_checkpoint(tmp_path)


def change(state: dict[str, Tensor], name: str, tensor: Tensor | None) -> dict[str, Tensor]:
    changed = {**state, f"model.layers.{name}": torch.empty(0) if tensor is None else tensor}
    return {key: value for key, value in changed.items() if value.numel()}


@pytest.mark.parametrize(
    ("name", "tensor", "message"),
    [
        ("1.self_attn.fc1.weight", None, "a layer is missing: fc1.weight of layer 1"),
        ("0.self_attn.fc2.weight", None, "a layer is missing: fc2.weight of layer 0"),
        ("4.self_attn.fc2.weight", torch.ones(KV_HEADS, HIDDEN), "a layer is missing: fc1.weight of layer 2"),
        ("1.self_attn.fc1.weight", torch.ones(HIDDEN + 1, WIDTH), r"fc1 of layer 1 has the shape \(13, 256\)"),
        ("0.self_attn.fc2.weight", torch.ones(KV_HEADS, HIDDEN - 1), r"fc2 of layer 0 has the shape"),
        ("0.self_attn.fc1.weight", torch.ones(5), "no matrices"),
        ("0.self_attn.fc1.bias", torch.ones(HIDDEN), "bias"),
        ("0.self_attn.fc2.weight", torch.full((KV_HEADS, HIDDEN), torch.nan), "fc2 of layer 0 is damaged"),
        ("0.self_attn.fc2.weight", torch.ones(KV_HEADS, HIDDEN, dtype=torch.int8), "fc2 of layer 0 is damaged"),
    ],
)
def test_heads_that_do_not_fit_together_are_refused(
    name: str, tensor: Tensor | None, message: str, tmp_path: Path
) -> None:
    file = checkpoints.safetensors(tmp_path, change(state_dict(), name, tensor))
    with pytest.raises(HeadFileError, match=rf"model\.safetensors cannot be used: .*{message}"):
        read_checkpoint(file)


def test_two_heads_for_a_layer_are_refused(tmp_path: Path) -> None:
    with pytest.raises(HeadFileError, match="two retaining heads for layer 0"):
        read_checkpoint(checkpoints.torch_zip(tmp_path, state_dict() | state_dict(prefix="ema.")))


def test_what_holds_no_heads_says_so(tmp_path: Path) -> None:
    empty, other = tmp_path / "empty", tmp_path / "other"
    empty.mkdir()
    other.mkdir()
    with pytest.raises(HeadFileError, match="No file in empty that ends in"):
        read_checkpoint(empty)
    model = {"model.embed_tokens.weight": torch.ones(2), "model.layers.0.mlp.fc1.weight": torch.ones(2)}
    index = checkpoints.sharded_safetensors(other, model | {"lm_head.weight": torch.ones(2)})
    for path in (index, checkpoints.torch_zip(tmp_path, model), checkpoints.safetensors(tmp_path, model)):
        with pytest.raises(HeadFileError, match=f"{path.name} has no retaining heads"):
            read_checkpoint(path)
    with pytest.raises(HeadFileError, match=r"No file in other .*model-00001-of-00003\.safetensors has no"):
        read_checkpoint(other)
    with pytest.raises(HeadFileError, match="There is no file"):
        read_checkpoint(tmp_path / "nothing.bin")
    (tmp_path / "notes.txt").write_text("text")
    with pytest.raises(HeadFileError, match=r"notes\.txt is no checkpoint"):
        read_checkpoint(tmp_path / "notes.txt")
    torch.save([1, 2], tmp_path / "list.pt")
    with pytest.raises(HeadFileError, match=r"list\.pt holds no state dict"):
        read_checkpoint(tmp_path / "list.pt")


def test_an_index_that_lies_is_refused(tmp_path: Path) -> None:
    index = checkpoints.sharded_safetensors(tmp_path, state_dict())
    content = json.loads(index.read_text())
    name = "model.layers.0.self_attn.fc1.weight"
    wrong = {
        "outside its folder": {**content["weight_map"], name: "../model.safetensors"},
        "There is no file": {**content["weight_map"], name: "gone.safetensors"},
        "disagree: model.layers.7": {
            **content["weight_map"],
            "model.layers.7.self_attn.fc1.weight": "model-00001-of-00003.safetensors",
        },
        "no weight_map": None,
    }
    for message, places in wrong.items():
        index.write_text(json.dumps({"weight_map": places}))
        with pytest.raises(HeadFileError, match=message):
            read_checkpoint(index)
    index.write_text("{")
    with pytest.raises(HeadFileError, match=f"{index.name} cannot be read"):
        read_checkpoint(index)


def test_an_unknown_activation_is_refused(tmp_path: Path) -> None:
    file = checkpoints.torch_zip(tmp_path, state_dict())
    (tmp_path / "config.json").write_text(json.dumps({"hidden_act": "gelu_new"}))
    with pytest.raises(HeadFileError, match="activation gelu_new"):
        read_checkpoint(file)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(HeadFileError, match=r"config\.json is damaged"):
        read_checkpoint(file)


@pytest.mark.parametrize("shape", [tiny_shape(layers=LAYERS + 1), tiny_shape(kv_heads=4), tiny_shape(head_dim=16)])
def test_heads_of_another_shape_are_refused_and_both_are_named(shape: ModelShape, tmp_path: Path) -> None:
    source = checkpoints.torch_zip(tmp_path, state_dict())
    with pytest.raises(HeadFileError) as caught:
        converted(source, shape, FIRST, tmp_path / "heads")
    assert "2 layers of 2 KV heads and 256 features; tiny has" in str(caught.value)
    assert f"{shape.layers} layers of {shape.kv_heads} KV heads and" in str(caught.value)
    assert not (tmp_path / "heads").exists()


def test_what_is_no_head_file_in_the_folder_of_heads_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "heads"
    file = converted(checkpoints.torch_zip(tmp_path, state_dict()), tiny_shape(), FIRST, folder)
    (folder / "a.safetensors").write_bytes(b"\xff" * 100)
    (folder / "b.safetensors").write_bytes(b"")
    (folder / "c.safetensors").write_bytes((2).to_bytes(8, "little") + b"[]")
    assert find_heads(FIRST, [folder]) == file
