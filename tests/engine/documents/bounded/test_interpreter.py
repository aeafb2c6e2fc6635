from __future__ import annotations

import ntpath
import os
import sys

import pytest

from engine.documents.bounded import process
from engine.documents.bounded.interpreter import interpreter

VENV, REAL = r"C:\Users\ann\.venv\Scripts\python.exe", r"C:\Python311\python.exe"


@pytest.mark.parametrize(
    ("platform", "executable", "base", "expected"),
    [
        ("win32", VENV, REAL, (REAL, {"__PYVENV_LAUNCHER__": VENV})),
        ("win32", REAL, r"c:\python311\Python.exe", (REAL, {})),
        ("win32", REAL, None, (REAL, {})),
        ("linux", "/venv/bin/python", "/usr/bin/python3", ("/venv/bin/python", {})),
        ("darwin", "/venv/bin/python", "/usr/bin/python3", ("/venv/bin/python", {})),
    ],
)
def test_what_is_started_is_the_process_that_works(
    platform: str, executable: str, base: str | None, expected: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(sys, "_base_executable", base, raising=False)
    if platform == "win32":
        monkeypatch.setattr(os.path, "normcase", ntpath.normcase)
    found = interpreter()
    monkeypatch.undo()
    assert found == expected


def test_the_reading_process_is_started_that_way() -> None:
    assert interpreter() == (process.PROGRAM, process.ENVIRONMENT)
    assert process.COMMAND[0] == process.PROGRAM
