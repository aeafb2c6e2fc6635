"""`keepsake-engine heads`: a checkpoint made usable with a model, and what it says."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import paths
from engine.head_files import find_heads
from engine.loaded_model import file_sha256
from engine.locret.heads import load_heads
from engine.main import main
from tests.engine import checkpoints
from tests.engine.backends import tiny_gguf
from tests.engine.checkpoints import state_dict
from tests.engine.hub.local_hub import LocalHub, running


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KEEPSAKE_DATA_DIR", str(tmp_path / "data"))
    return tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return checkpoints.torch_zip(tmp_path, state_dict())


def heads(*words: object) -> int:
    return main(["heads", *map(str, words)])


def test_a_checkpoint_goes_where_readings_find_it(
    model: Path, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert heads(source, "--model", model) == 0
    folder = tmp_path / "data" / "heads"
    file = find_heads(file_sha256(model), [folder])
    assert file is not None and list(folder.iterdir()) == [file]
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "llama-3.1-8B-instruct.bin: 2 layers, d_R 12, 2 KV heads, silu",
        f"For tiny.gguf: {file}",
    ]


def test_the_file_and_the_data_folder_can_be_chosen(model: Path, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine" / "heads.safetensors"
    assert heads(source, "--model", model, "--out", out) == 0
    assert load_heads(out).layers == 2
    assert find_heads(file_sha256(model), [out.parent]) == out
    assert not (tmp_path / "data").exists()
    assert heads(out, "--model", model, "--data-dir", tmp_path / "other") == 0
    assert find_heads(file_sha256(model), [tmp_path / "other" / "heads"]) is not None


def test_without_a_model_it_is_the_starter_model(
    model: Path, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "starter_model", lambda: None)
    assert heads(source) == 1
    assert "not installed. Name a model with --model." in capsys.readouterr().err
    monkeypatch.setattr(paths, "starter_model", lambda: model)
    assert heads(source) == 0
    assert find_heads(file_sha256(model), [tmp_path / "data" / "heads"]) is not None


@pytest.mark.parametrize("name", ["notes.txt", "notes.safetensors"])
def test_no_file_that_is_there_is_overwritten(
    model: Path, source: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / name
    notes.write_text("dear to somebody")
    assert heads(source, "--model", model, "--out", notes) == 1
    assert notes.read_text() == "dear to somebody"
    assert "is there already. Choose another file for --out." in capsys.readouterr().err


def test_readings_use_the_heads_that_were_put_in_place_last(model: Path, source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "heads"
    assert heads(source, "--model", model) == 0
    (file,) = folder.iterdir()
    later = folder / "a.safetensors"
    assert heads(source, "--model", model, "--out", later) == 0
    for path, day in ((file, 1), (later, 2)):
        os.utime(path, (day * 86_400, day * 86_400))
    assert find_heads(file_sha256(model), [folder]) == later
    assert heads(source, "--model", model) == 0
    assert find_heads(file_sha256(model), [folder]) == file


def test_what_cannot_be_used_is_said_in_a_sentence(
    model: Path, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_bytes(b"no checkpoint")
    assert heads(source, "--model", model) == 1
    assert "llama-3.1-8B-instruct.bin is" in capsys.readouterr().err
    assert heads(source, "--model", tmp_path / "gone.gguf") == 1
    assert "There is no model at" in capsys.readouterr().err
    (tmp_path / "file").write_text("in the way")
    checkpoints.torch_zip(tmp_path, state_dict())
    assert heads(source, "--model", model, "--out", tmp_path / "file" / "x.safetensors") == 1
    said = capsys.readouterr().err
    assert f"Nothing can be written to {tmp_path / 'file'}: there is a file of that name. Choose another" in said
    (tmp_path / "empty").mkdir()
    assert heads(tmp_path / "empty", "--model", model) == 1
    assert capsys.readouterr().err.endswith("holds retaining heads.\n")


def test_heads_that_cannot_be_written_leave_nothing(
    model: Path,
    source: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_bytes = Path.write_bytes

    def half(self: Path, _: object) -> None:
        write_bytes(self, b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    assert heads(source, "--model", model, "--out", tmp_path / "new" / "x.safetensors") == 1
    said = capsys.readouterr().err
    assert "The head file cannot be written: " in said
    assert "Errno" not in said
    assert not (tmp_path / "new").exists()


def test_a_hub_id_is_downloaded(
    model: Path, believe: Callable[[str], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the authors publish theirs: a file of their own name, and no weights beside it."""
    checkpoint = checkpoints.torch_zip(tmp_path, state_dict())
    files = {"config.json": b'{"hidden_act": "gelu"}', checkpoint.name: checkpoint.read_bytes()}
    with running(LocalHub(files)) as hub:
        believe(hub.url)
        assert heads("owner/tiny", "--model", model) == 0
    assert find_heads(file_sha256(model), [tmp_path / "data" / "heads"]) is not None
    assert "d_R 12, 2 KV heads, gelu" in capsys.readouterr().out


def test_a_path_that_is_not_there_is_no_hub_id(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert heads("./gone.bin", "--model", model) == 1
    assert "There is no file ./gone.bin." in capsys.readouterr().err
