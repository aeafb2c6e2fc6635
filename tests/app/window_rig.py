"""The real window on the fake engine, for tests, benchmarks and the pictures of the README."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication, QStyleFactory

from app.engine_client import EngineClient
from app.engine_process import EngineProcess
from app.settings import Settings
from app.theme import Theme
from app.window import Window

FAKE = Path(__file__).parent / "fake_engine.py"


def fake_command(folder: Path, *options: str) -> list[str]:
    """Starts the fake engine with its state and its log of requests in `folder`."""
    paths = ["--state", str(folder / "state.json"), "--log", str(folder / "requests.jsonl")]
    return [sys.executable, str(FAKE), *paths, *options]


def make_client(folder: Path, *options: str, **patience: int) -> EngineClient:
    """A client of the fake engine; `patience` goes to EngineClient."""
    return EngineClient(EngineProcess(fake_command(folder, *options), folder / "engine.log"), **patience)


def make_window(folder: Path, *options: str, mode: str = "light") -> Window:
    """A window on the fake engine that keeps everything in `folder`; not yet shown."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.setStyle(QStyleFactory.create("Fusion"))
    return Window(make_client(folder, *options), Settings(folder), Theme(app, mode))


def requests(folder: Path, method: str) -> list[dict[str, Any]]:
    """The parameters of every call of `method` that the fake engine has heard."""
    log = folder / "requests.jsonl"
    lines = log.read_text().splitlines() if log.exists() else []
    return [heard["params"] for heard in map(json.loads, lines) if heard["method"] == method]
