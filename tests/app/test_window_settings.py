"""The window's own settings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.settings import TABLE, Settings


def test_every_setting_has_a_label_and_a_help() -> None:
    assert all(setting.label and setting.help.endswith(".") for setting in TABLE)
    assert len({setting.key for setting in TABLE}) == len(TABLE)


def test_values_survive(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    settings.set("appearance/text_scale", 120)
    settings.set("window/list_shown", False)
    settings.set("window/conversation", "c7")
    settings.save()
    again = Settings(tmp_path)
    assert again.number("appearance/text_scale") == 120
    assert again.flag("window/list_shown") is False
    assert again.text("window/conversation") == "c7"


def test_defaults_come_from_the_table(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    assert settings.number("window/list_width") == 260
    assert settings.flag("window/documents_shown") is True
    assert settings.engine_command() == [sys.executable, "-m", "engine.main"]


def test_a_damaged_number_is_the_default(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    settings.set("window/list_width", "wide")
    assert settings.number("window/list_width") == 260


def test_a_command_is_split_as_a_shell_would(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    settings.set("engine/command", "ssh workstation 'keepsake-engine'")
    assert settings.engine_command() == ["ssh", "workstation", "keepsake-engine"]


def test_unknown_keys_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        Settings(tmp_path).set("nonsense", 1)
