"""Files that are no model: a sentence that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.backends.llama_cpp import LlamaCppBackend
from engine.errors import UserError
from tests.engine.backends.tiny_gguf import TinyModel


def _error(path: Path) -> UserError:
    with pytest.raises(UserError) as caught:
        LlamaCppBackend(path, n_ctx=256)
    assert "settings" in caught.value.message
    return caught.value


def test_a_missing_file(tmp_path: Path) -> None:
    assert _error(tmp_path / "nothing.gguf").code == "model_missing"
    assert _error(tmp_path).code == "model_missing"


def test_a_file_that_is_no_gguf(tmp_path: Path) -> None:
    path = tmp_path / "notes.gguf"
    path.write_text("not a model")
    assert _error(path).code == "model_broken"
    path.write_bytes(b"")
    assert _error(path).code == "model_broken"


def test_a_truncated_model(tmp_path: Path, tiny_llama: TinyModel, capfd: pytest.CaptureFixture[str]) -> None:
    whole = tiny_llama.path.read_bytes()
    for part in (8, len(whole) // 2):
        path = tmp_path / "half.gguf"
        path.write_bytes(whole[:part])
        error = _error(path)
        assert error.code == "model_broken" and error.details["cause"]
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "llama_model_load" not in printed.err
