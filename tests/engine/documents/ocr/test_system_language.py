from __future__ import annotations

import locale
import plistlib
import sys
from pathlib import Path

import pytest

from engine.documents.ocr.languages import language_of
from engine.documents.ocr.system_language import PREFERENCES, system_locale


@pytest.fixture
def preferences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Mac's, where nothing else says which language it is."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(locale, "getlocale", lambda: ("en_US", "UTF-8"))
    for name in ("LC_ALL", "LANG"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / PREFERENCES
    path.parent.mkdir(parents=True)
    return path


def test_a_program_that_finder_started_reads_the_preferences(preferences: Path) -> None:
    preferences.write_bytes(plistlib.dumps({"AppleLanguages": ["de-AT", "en-GB"]}, fmt=plistlib.FMT_BINARY))
    assert system_locale() == "de-AT" and language_of(system_locale()) == "deu"


@pytest.mark.parametrize("content", [None, b"no preferences", plistlib.dumps({"AppleLanguages": []})])
def test_preferences_that_say_nothing(content: bytes | None, preferences: Path) -> None:
    if content is not None:
        preferences.write_bytes(content)
    assert system_locale() is None


def test_what_a_terminal_says_goes_first(preferences: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    preferences.write_bytes(plistlib.dumps({"AppleLanguages": ["de-AT"]}))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    assert system_locale() == "en_US"


def test_other_systems_have_it_in_the_environment(preferences: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert system_locale() == "en_US"
