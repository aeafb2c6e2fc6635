"""The engine's folders."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine import paths


def test_data_dir_is_the_one_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KEEPSAKE_DATA_DIR", str(tmp_path))
    assert paths.data_dir() == tmp_path


def test_data_dir_is_the_users_own_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPSAKE_DATA_DIR", "")
    folder = paths.data_dir()
    assert folder.is_absolute()
    assert folder.name == "keepsake"


def test_starter_model_is_found_without_importing_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / paths.STARTER_MODEL_PACKAGE
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "small.gguf").write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert paths.starter_model() == package / "small.gguf"
    assert paths.STARTER_MODEL_PACKAGE not in sys.modules


def test_the_unpacked_starter_model_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    paths.unpacked_model().parent.mkdir(parents=True)
    paths.unpacked_model().write_bytes(b"GGUF")
    assert paths.starter_model() == paths.unpacked_model()


def test_no_starter_model_where_its_package_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(paths, "STARTER_MODEL_PACKAGE", "no_such_package_of_models")
    assert paths.starter_model() is None


def test_heads_are_beside_the_package() -> None:
    assert paths.heads_dir().parent.name == "assets"
    assert (paths.heads_dir().parent.parent / "pyproject.toml").is_file()
