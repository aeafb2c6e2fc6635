"""A run's hold on its folder: one process has it, a crash frees it, and a run that never begins leaves it as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.training import run_lock
from engine.training.run_claim import claimed
from engine.training.run_lock import locked

HOLDER = """
import sys
from pathlib import Path
from engine.training.run_lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the folder."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_is_refused_and_a_crash_frees_the_folder(
    tmp_path: Path, other: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lock, "SECONDS_TO_WAIT", 0.0)
    with pytest.raises(UserError, match=rf"\(process {other.pid}\)\. Pause it first") as refused, locked(tmp_path):
        pass
    assert refused.value.code == "training_under_way"
    other.kill()
    other.wait()
    with locked(tmp_path):
        assert any(tmp_path.iterdir())
    assert not any(tmp_path.iterdir())


def test_a_folder_that_is_free_in_a_moment_is_waited_for(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    assert other.stdin is not None
    other.stdin.close()
    with locked(tmp_path):
        pass


def test_a_run_that_never_begins_leaves_no_folder(tmp_path: Path) -> None:
    run, heads = tmp_path / "deep" / "a.run", tmp_path / "heads"
    with pytest.raises(UserError, match="no text"), claimed(run, heads):
        (run / "progress.json").write_text("{}")
        raise UserError("no_data", "There is no text.")
    assert not any(tmp_path.iterdir())


def test_a_run_that_has_begun_keeps_its_record(tmp_path: Path) -> None:
    with pytest.raises(UserError), claimed(tmp_path / "a.run", None) as claim:
        claim.begun = True
        (tmp_path / "a.run" / "progress.json").write_text('{"state": "failed"}')
        raise UserError("training_failed", "It has diverged.")
    assert [path.name for path in (tmp_path / "a.run").iterdir()] == ["progress.json"]


@pytest.mark.parametrize(
    ("before", "code", "after"),
    [
        ("paused", "cancelled", "paused"),
        ("done", "cancelled", "done"),
        ("starting", "cancelled", "paused"),
        ("starting", "no_data", "starting"),
    ],
)
def test_an_earlier_record_is_put_back(before: str, code: str, after: str, tmp_path: Path) -> None:
    progress, pause = tmp_path / "progress.json", tmp_path / "pause"
    progress.write_text(json.dumps({"state": before, "step": 40}))
    pause.touch()
    with pytest.raises(UserError), claimed(tmp_path, None):
        progress.write_text('{"state": "starting", "step": 0}')
        pause.unlink()
        raise UserError(code, "Never begun.")
    assert json.loads(progress.read_text()) == {"state": after, "step": 40}
    assert {path.name for path in tmp_path.iterdir()} == {"progress.json", "pause"}
