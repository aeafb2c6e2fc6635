"""The window's folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import paths


def test_one_variable_moves_settings_and_logs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KEEPSAKE_CONFIG_DIR", str(tmp_path))
    assert paths.config_dir() == tmp_path
    assert paths.log_dir() == tmp_path / "logs"


def test_folders_are_the_users_own_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KEEPSAKE_CONFIG_DIR", raising=False)
    assert "keepsake" in paths.config_dir().parts
    assert "keepsake" in paths.log_dir().parts
