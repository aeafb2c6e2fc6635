"""The command line: what is passed on, what is refused, and what an old Python is told."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from installer import __main__, checks, commands, packages, stamp, system
from installer.layout import Layout, this_checkout
from tests.installer.conftest import FakeVenv


class StartedError(Exception):
    """What the installer would have become."""


@pytest.fixture
def installed(layout: Layout, venv: FakeVenv, monkeypatch: pytest.MonkeyPatch) -> FakeVenv:
    """A finished installation that the command line works on; becoming another program raises StartedError."""

    def become(_path: str, command: Sequence[str]) -> None:
        raise StartedError(*command)

    stamp.write(layout, frozenset())
    monkeypatch.setattr(commands, "this_checkout", lambda: layout)
    monkeypatch.setattr(commands.signal, "signal", lambda *_: None)
    monkeypatch.setattr(os, "execv", become)
    monkeypatch.setattr(system, "_loads", lambda _library: True)
    return venv


@pytest.mark.parametrize("file", ["__init__.py", "__main__.py"])
def test_the_way_in_parses_on_old_pythons(file: str) -> None:
    source = (this_checkout().root / "installer" / file).read_text()
    ast.parse(source, feature_version=(3, 6))


def test_an_old_python_gets_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(__main__.sys, "version_info", (3, 9, 2))
    assert __main__.main() == 1
    assert "needs Python 3.11 or newer, and this is 3.9" in capsys.readouterr().out


def test_ask_goes_to_the_engine_as_it_was_typed(installed: FakeVenv) -> None:
    with pytest.raises(StartedError) as started:
        commands.main(["run", "ask", "a file.pdf", "Who pays the rent?", "--json"])
    python = str(installed.layout.python)
    assert started.value.args == (python, "-m", "engine.main", "ask", "a file.pdf", "Who pays the rent?", "--json")
    assert installed.calls() == []


def test_the_window_opens_where_there_is_a_screen(installed: FakeVenv, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    with pytest.raises(StartedError) as started:
        commands.main(["run"])
    assert started.value.args[1:] == ("-m", "app.main")


def test_without_a_screen_ask_is_pointed_at(
    installed: FakeVenv, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert commands.main(["run"]) == 1
    assert "run ask FILE..." in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["bundle"], ["runs"]])
def test_an_unknown_command_is_refused(installed: FakeVenv, arguments: list[str]) -> None:
    assert commands.main(arguments) == 2


def test_help_is_no_failure(installed: FakeVenv, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["--help"]) == 0
    said = capsys.readouterr().out
    assert "run ask" in said
    assert "run read|train|heads|evaluate" in said


def test_an_interruption_says_that_the_next_run_goes_on(
    installed: FakeVenv, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_layout: Layout, _extras: frozenset[str]) -> None:
        raise KeyboardInterrupt

    installed.layout.stamp.unlink()
    monkeypatch.setattr(packages, "install", interrupted)
    assert commands.main(["run"]) == commands.INTERRUPTED
    assert "goes on from here" in capsys.readouterr().err
    assert not stamp.covers(installed.layout, frozenset())


def test_all_checks_run_even_where_one_fails(layout: Layout, venv: FakeVenv, capfd: pytest.CaptureFixture[str]) -> None:
    venv.answer("ruff check", 1, "a finding")
    assert checks.run_all(layout, ["-k", "store"]) == 1
    assert [call.split()[1] for call in venv.calls()][:3] == ["ruff", "ruff", "mypy"]
    assert venv.calls()[-1] == "-m pytest -k store"
    summary = capfd.readouterr().out.split("Summary")[1]
    assert summary.count("passed") == 4
    assert summary.count("FAILED") == 1


def test_checks_that_pass_exit_with_0(layout: Layout, venv: FakeVenv) -> None:
    assert checks.run_all(layout, []) == 0
    assert venv.calls()[-1] == "-m pytest -n logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder"


def test_the_checkout_is_the_one_that_the_installer_lies_in() -> None:
    layout = this_checkout()
    assert layout.pyproject.is_file()
    assert layout.constraints.is_file()
    assert layout.root == Path(__file__).resolve().parents[2]
