"""The record of a run: progress that lives on during a long step, a log that fits its checkpoint."""

from __future__ import annotations

import errno
import json
import time
from pathlib import Path
from typing import IO

import pytest
import torch

from engine.errors import UserError
from engine.training import run_folder
from engine.training.run_folder import Progress, RunFolder, forget_old_pause, load_checkpoint


def told(path: Path) -> dict:
    return json.loads((path / "progress.json").read_text())


def test_progress_is_renewed_while_a_step_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_folder, "BEAT_SECONDS", 0.01)
    folder = RunFolder(tmp_path, Progress("a.safetensors", steps=5))
    folder.tell(state="running", step=1, seconds_left=100.0)
    deadline = time.monotonic() + 20
    while told(tmp_path)["seconds_left"] > 99.9 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert told(tmp_path)["seconds_left"] < 100
    folder.close(state="done")
    assert told(tmp_path)["state"] == "done"
    assert told(tmp_path)["seconds_left"] is None


def test_a_pause_is_asked_by_a_file(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, Progress("a"))
    assert not folder.pause_asked()
    (tmp_path / "pause").touch()
    assert folder.pause_asked()
    folder.close()


@pytest.mark.parametrize("state", ["starting", "running", "paused", None])
def test_only_the_wish_of_an_earlier_run_is_forgotten(state: str | None, tmp_path: Path) -> None:
    (tmp_path / "pause").touch()
    if state is not None:
        (tmp_path / "progress.json").write_text(json.dumps({"state": state}))
    forget_old_pause(tmp_path)
    assert (tmp_path / "pause").exists() == (state == "starting")


def test_the_last_word_is_written_though_somebody_reads_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder(tmp_path, Progress("a"))
    refused, replace = [True] * 3, Path.replace

    def in_use(self: Path, target: Path) -> Path:
        if refused:
            refused.pop()
            raise PermissionError
        return replace(self, target)

    monkeypatch.setattr(run_folder, "WINDOWS", True)
    monkeypatch.setattr(run_folder.Path, "replace", in_use)
    folder.close(state="done")
    assert told(tmp_path)["state"] == "done"


def test_the_log_is_cut_to_the_checkpoint(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, Progress("a"))
    for step in (2, 4, 6):
        folder.log({"step": step})
    folder.forget_rows_after(4)
    assert [row["step"] for row in folder.rows()] == [2, 4]
    folder.close()


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = RunFolder(None, Progress("a"))
    folder.tell(step=1)
    folder.log({"step": 1})
    folder.save({"weights": torch.zeros(2)})
    folder.close()
    assert folder.rows() == []
    assert not any(tmp_path.iterdir())


def test_a_full_disk_still_takes_what_became_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder(tmp_path, Progress("a"))
    folder.tell(state="running", message="a sentence that is longer than the one that comes next" * 3)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    folder.close(state="failed", message="The disk is full.")
    assert (told(tmp_path)["state"], told(tmp_path)["message"]) == ("failed", "The disk is full.")


def test_a_checkpoint_without_room_leaves_none_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, opened = RunFolder(tmp_path, Progress("a")), []

    def half(_: object, file: IO[bytes]) -> None:
        opened.append(file)
        file.write(b"half of it")
        raise RuntimeError("unexpected pos 64 vs 0")

    monkeypatch.setattr(torch, "save", half)
    with pytest.raises(UserError, match="Make room"):
        folder.save({"weights": torch.zeros(2)})
    assert opened[0].closed, "the room is only free again when the file is closed"
    assert {path.name for path in tmp_path.iterdir()} == {"progress.json"}
    folder.close()


def test_a_damaged_checkpoint_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.pt").write_bytes(b"half of it")
    with pytest.raises(UserError, match="damaged"):
        load_checkpoint(tmp_path / "checkpoint.pt")
