"""Fixtures: a window on the fake engine, without a screen and with a folder of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from pytestqt.qtbot import QtBot

from app.window import Window
from tests.app.window_rig import make_window

WAIT_MS = 8000
MakeWindow = Callable[..., Window]


@pytest.fixture
def open_window(qtbot: QtBot, tmp_path: Path) -> Iterator[MakeWindow]:
    """Opens windows one after another on the same folder; the last one is closed at the end."""
    opened: list[Window] = []

    def open_one(*options: str) -> Window:
        if opened:
            opened[-1].close()
        window = make_window(tmp_path, *options)
        opened.append(window)
        with qtbot.waitSignal(window.client.ready, timeout=WAIT_MS):
            window.start()
        return window

    yield open_one
    for window in opened:
        window.close()
        shiboken6.delete(window)


@pytest.fixture
def window(open_window: MakeWindow) -> Window:
    """A window whose engine has said hello."""
    return open_window()


@pytest.fixture
def document(tmp_path: Path) -> Callable[..., str]:
    """Makes a file by name and returns its path."""

    def make(name: str) -> str:
        path = tmp_path / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
        return str(path)

    return make
