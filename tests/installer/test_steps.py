"""One line a step, signs of life, and nothing left running."""

from __future__ import annotations

import shlex
import subprocess
import time
from pathlib import Path

import pytest

from installer import steps


def test_a_step_says_what_and_how_long(capsys: pytest.CaptureFixture[str]) -> None:
    with steps.step("Making .venv"):
        assert capsys.readouterr() == ("", "Making .venv ...")
    assert capsys.readouterr() == ("", " 0 s\n")


def test_a_step_that_fails_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="reason"), steps.step("Making .venv"):
        raise ValueError("reason")
    assert capsys.readouterr().err == "Making .venv ... stopped after 0 s\n"


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s")])
def test_times_are_spoken(seconds: float, words: str) -> None:
    assert steps.spoken(seconds) == words


def test_output_goes_to_the_log_and_each_command_gets_its_own_back(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    assert steps.run_logged(["sh", "-c", "echo first"], log) == (0, "first\n")
    assert steps.run_logged(["sh", "-c", "echo second >&2; exit 3"], log) == (3, "second\n")
    assert "first" in log.read_text()
    assert "first" not in capfd.readouterr().out


def test_a_long_command_shows_that_it_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(steps, "SIGN_OF_LIFE_S", 0.1)
    steps.run_logged(["sleep", "0.35"], tmp_path / "log")
    assert capsys.readouterr().err.count("still working") >= 2


def test_an_interruption_ends_all_that_the_command_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    born, survived = tmp_path / "born", tmp_path / "survived"
    child = f"touch {shlex.quote(str(born))}; sleep 1; touch {shlex.quote(str(survived))}"
    parent = f"sh -c {shlex.quote(child)}; true"

    def interrupt_once_born(process: subprocess.Popen[bytes]) -> int:
        while not born.exists():
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=0.02)
        raise KeyboardInterrupt

    monkeypatch.setattr(steps, "_wait", interrupt_once_born)
    with pytest.raises(KeyboardInterrupt):
        steps.run_logged(["sh", "-c", parent], tmp_path / "log")
    time.sleep(1.5)
    assert not survived.exists()
