"""Models of the torch runtime through the engine: a folder, a hub id, a whole checkpoint of the authors' kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.engine import Engine
from engine.errors import UserError
from engine.loaded_model import file_sha256
from engine.main import main
from engine.model_source import fingerprint
from tests.engine.backends import tiny_folder
from tests.engine.backends.tiny_folder import KV_HEADS, LAYERS, WIDTH
from tests.engine.hub.local_hub import LocalHub, running

TEXT = "The lighthouse keeper wrote down the weather twice a day. " * 120
QUESTION = "What did the keeper write down?"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Random weights with retaining heads among them, as the authors publish theirs."""
    path = tiny_folder.write(tmp_path / "whole", max_position_embeddings=4096)
    file = path / "model.safetensors"
    generator = torch.Generator().manual_seed(4)
    heads = {
        f"model.layers.{layer}.self_attn.{name}.weight": torch.randn(shape, generator=generator) / 8
        for layer in range(LAYERS)
        for name, shape in (("fc1", (24, WIDTH)), ("fc2", (KV_HEADS, 24)))
    }
    save_file({**load_file(file), **heads}, file, {"format": "pt"})
    return path


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "lighthouse.txt"
    path.write_text(TEXT)
    return path


def ask(capsys: pytest.CaptureFixture[str], data: Path, *words: object) -> dict[str, Any]:
    fixed = ["--json", "--data-dir", data, "--max-tokens", 5, "--device", "cpu"]
    assert main(["ask", *map(str, [*words, *fixed])]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_why_a_file_was_not_read_and_where_an_answer_was_cut_is_printed(
    model: Path, document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "nothing.txt"
    empty.write_bytes(b"")
    words = [document, empty, QUESTION, "--model", model, "--budget-units", 256, "--data-dir", tmp_path / "data"]
    assert main(["ask", *map(str, [*words, "--device", "cpu", "--max-tokens", 3])]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[-4] == "The answer was cut at 3 tokens. --max-tokens allows more."
    assert lines[-3] == "1 of 2 files could not be read: nothing.txt."
    assert lines[-2].startswith("nothing.txt: ") and lines[-2].endswith(".")
    assert lines[-1].startswith("Go on with: --conversation ")
    said = ask(capsys, tmp_path / "data", document, QUESTION, "--model", model, "--budget-units", 256)
    assert said["stopped"] == "length"
    assert said["heads"].startswith("whole")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_whole_checkpoint_reads_with_its_own_heads(
    model: Path, document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], dtype: str
) -> None:
    words = ("--model", model, "--budget-units", 256, "--dtype", dtype)
    first = ask(capsys, tmp_path / "data", document, QUESTION, *words)
    assert first["tokens_read"] > len(TEXT)
    assert 256 < first["units_kept"] < 256 + 1536
    (heads,) = (tmp_path / "data" / "heads" / "chosen").glob("*.safetensors")
    assert heads.name.startswith("whole")
    again = ask(capsys, tmp_path / "data", document, QUESTION, *words)
    assert again["reused"] and not first["reused"]
    assert again["answer"] == first["answer"]


def test_another_precision_is_another_reading(
    model: Path, document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--model", model, "--budget-units", 256)
    ask(capsys, tmp_path / "data", document, QUESTION, *words, "--dtype", "float32")
    assert not ask(capsys, tmp_path / "data", document, QUESTION, *words, "--dtype", "bfloat16")["reused"]


def test_what_is_selected_otherwise_is_another_reading(
    model: Path, document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (document, QUESTION, "--model", model, "--budget-units", 256, "--dtype", "float32")
    ask(capsys, tmp_path / "data", *words)
    for options, reused in (("newest=0.5,sinks=8", False), ("sinks=8,newest=0.5", True), ("allocation=layer", False)):
        assert ask(capsys, tmp_path / "data", *words, "--select", options)["reused"] == reused


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--rank", "consensus=0.5"), "no calibration"),
        (("--rank", "own=2"), "odd number"),
        (("--select", "newest=1"), "Choose smaller shares"),
        (("--select", "allocation=layer", "--allocation", "model"), "different things"),
        (("--policy", "full", "--allocation", "layer"), "keeps everything, so --allocation changes nothing. Leave it"),
        (("--policy", "full", "--select", "allocation=layer"), "keeps everything, so --select changes nothing"),
        (("--policy", "full", "--select", "sinks=8"), "keeps everything, so --select changes nothing"),
        (("--policy", "full", "--query-aware"), "with its full cache"),
        (("--policy", "keydiff", "--heads", "."), "The policy keydiff has no use for --heads. Leave them out, or"),
        (
            ("--heads", "nowhere.safetensors"),
            "no retaining heads at nowhere.safetensors. Choose others in the settings, or with --heads.",
        ),
        (("--budget-units", "99999999"), "can use at most"),
        (("--conversation", "nowhere"), "no longer there"),
    ],
)
def test_options_that_cannot_be_are_refused_with_a_sentence_and_leave_no_conversation(
    model: Path,
    document: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    sentence: str,
) -> None:
    fixed = ["--model", model, "--budget-units", 256, "--data-dir", tmp_path / "data", "--device", "cpu"]
    assert main(["ask", *map(str, [document, QUESTION, *fixed, *options])]) == 1
    assert sentence in capsys.readouterr().err
    if "--query-aware" not in options:
        assert main(["read", *map(str, [document, *fixed, *options])]) == 1
        assert sentence in capsys.readouterr().err
    engine = Engine(tmp_path / "data")
    assert engine.store.conversations() == []
    engine.close()


def test_the_policy_of_the_settings_refuses_options_too(
    model: Path, document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    engine = Engine(data)
    engine.change_settings({"policy": "newest"})
    engine.close()
    words = [document, QUESTION, "--model", model, "--heads", model, "--budget-units", 256, "--data-dir", data]
    assert main(["ask", *map(str, [*words, "--device", "cpu"])]) == 1
    assert "The policy newest has no use for --heads" in capsys.readouterr().err
    words += ["--policy", "locret", "--max-tokens", 5]
    assert main(["ask", *map(str, [*words, "--device", "cpu"])]) == 0


def test_a_failed_question_is_not_left_in_its_conversation(
    model: Path, document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ask(capsys, tmp_path, document, QUESTION, "--model", model, "--budget-units", 256)
    words = ["ask", "And then?", "--conversation", said["conversation"], "--data-dir", tmp_path, "--model", model]
    assert main([*map(str, [*words, "--device", "cpu", "--select", "newest=1"])]) == 1
    engine = Engine(tmp_path)
    leaf = engine.store.leaf(said["conversation"])
    assert leaf and engine.store.message(leaf).text == said["answer"]
    engine.close()


def test_a_hub_id_is_downloaded_once_and_then_needs_no_network(
    model: Path,
    document: Path,
    tmp_path: Path,
    believe: Callable[[str], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {file.name: file.read_bytes() for file in model.iterdir()}
    words = ("--model", "owner/tiny", "--budget-mb", 3000)
    with running(LocalHub(files)) as hub:
        believe(hub.url)
        first = ask(capsys, tmp_path / "data", document, QUESTION, *words)
    assert first["units_kept"] > 256
    assert ask(capsys, tmp_path / "data", document, QUESTION, *words)["answer"] == first["answer"]


def test_a_model_that_is_not_downloaded_can_be_chosen_and_says_so(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    try:
        engine.change_settings({"model": "owner/tiny"})
        assert engine.settings()["model"] == "owner/tiny"
        with pytest.raises(UserError, match="downloaded when it is first used") as raised:
            engine.plan()
        assert raised.value.code == "not_downloaded"
        assert engine.model_status()["name"] == "owner/tiny"
        engine.change_settings({"model": ""})
        assert engine.plan().runtime == "llama.cpp"
    finally:
        engine.close()


def test_heads_for_another_model_are_refused(
    model: Path, document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tiny_folder.write(tmp_path / "other", max_position_embeddings=4096, num_hidden_layers=LAYERS + 1)
    words = ["ask", document, QUESTION, "--model", other, "--heads", model, "--data-dir", tmp_path / "data"]
    assert main([*map(str, words)]) == 1
    assert "retaining heads cannot be used" in capsys.readouterr().err


def test_llama_cpp_does_not_read_folders(
    model: Path, document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["ask", document, QUESTION, "--model", model, "--runtime", "llama.cpp", "--data-dir", tmp_path / "data"]
    assert main([*map(str, words)]) == 1
    assert "GGUF" in capsys.readouterr().err


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "~nosuchuser/x"},
        {"model": "x" * 5000},
        {"heads": "x" * 5000, "model": ""},
        {"model": "/proc/self/mem"},
        {"weights": "8bit"},
    ],
)
def test_odd_settings_are_refused_in_a_sentence(changes: dict[str, str], tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    try:
        before = engine.settings()
        with pytest.raises(UserError):
            engine.change_settings(changes)
        assert engine.settings() == before
    finally:
        engine.close()


def test_a_budget_taken_back_is_the_default_again(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    try:
        default = engine.settings()["budget_mb"]
        engine.change_settings({"budget_mb": default + 50})
        engine.change_settings({"budget_mb": None})
        assert engine.settings()["budget_mb"] == default
    finally:
        engine.close()


def test_heads_that_were_chosen_once_are_not_taken_for_found(
    model: Path, document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tiny_folder.write(tmp_path / "other", max_position_embeddings=4096, seed=3)
    words = ("--model", other, "--budget-mb", 3000)
    chosen = ask(capsys, tmp_path / "data", document, QUESTION, *words, "--heads", model)
    assert chosen["units_kept"] < chosen["tokens_read"]
    assert main([*map(str, ["ask", document, QUESTION, *words, "--data-dir", tmp_path / "data"])]) == 1
    assert "without retaining heads" in capsys.readouterr().err


def test_what_lies_beside_a_model_changes_nothing(model: Path) -> None:
    before = fingerprint(model, file_sha256)
    (model / "download.json").write_text("{}")
    (model / "README.md").write_text("words")
    (model / "gone.bin").symlink_to(model / "nowhere")
    (model / "tokenizer.d").mkdir()
    assert fingerprint(model, file_sha256) == before
    (model / "tokenizer_config.json").write_text("{}")
    assert fingerprint(model, file_sha256) != before
