"""A checkout of its own for each test, whose .venv has a shell script in Python's place."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from installer.layout import Layout

PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]

[project]
name = "keepsake"
dependencies = ["llama-cpp-python>=0.3", "numpy>=2"]

[project.optional-dependencies]
test = ["pytest>=8"]
train = ["gguf"]
"""


class FakeVenv:
    """A .venv whose python notes how it was called, and answers calls that contain a given text as it was told to."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.calls_file = layout.root / "calls"
        self.answers: list[tuple[str, int, str]] = []
        layout.python.parent.mkdir(parents=True)
        self._write()

    def answer(self, call: str, status: int, output: str = "") -> None:
        """What a call whose arguments contain `call` prints and exits with. Other calls print nothing and succeed."""
        self.answers.append((call, status, output))
        self._write()

    def answer_well(self) -> None:
        """From here on every call succeeds."""
        self.answers.clear()
        self._write()

    def calls(self) -> list[str]:
        """The arguments of every call, oldest first, health checks left out."""
        lines = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        return [line for line in lines if not line.startswith("-c import sys, pip")]

    def _write(self) -> None:
        cases = "".join(
            f"*{shlex.quote(call)}*) printf '%s\\n' {shlex.quote(output)}; exit {status};;\n"
            for call, status, output in self.answers
        )
        note = f'printf "%s\\n" "$*" >> {shlex.quote(str(self.calls_file))}'
        self.layout.python.write_text(f'#!/bin/sh\n{note}\ncase "$*" in\n{cases}*) exit 0;;\nesac\n')
        self.layout.python.chmod(0o755)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A checkout with the two files that an installation is made from."""
    checkout = Layout(tmp_path / "a checkout")
    checkout.constraints.parent.mkdir(parents=True)
    checkout.pyproject.write_text(PYPROJECT)
    checkout.constraints.write_text("numpy==2.0\n")
    return checkout


@pytest.fixture
def venv(layout: Layout) -> FakeVenv:
    """The checkout's .venv, in which everything goes well until a test says otherwise."""
    return FakeVenv(layout)
