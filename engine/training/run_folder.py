"""The folder of a training run: its progress for whoever watches, its log, its checkpoint, and the wish to pause.

It knows files, and nothing of what is trained.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import torch

from engine.errors import UserError

CHECKPOINT = "checkpoint.pt"
BEAT_SECONDS = 1.5
WINDOWS = os.name == "nt"
RETRY_SECONDS = 1.0
State = Literal["starting", "running", "paused", "done", "failed"]


@dataclass(frozen=True)
class Progress:
    """What `progress.json` says. loss, overlap: means over the last steps, overlap at a quarter of the units.

    message: a sentence when the run failed.
    """

    out: str
    model: str = ""
    fingerprint: str = ""
    state: State = "starting"
    pid: int = 0
    step: int = 0
    steps: int = 0
    seconds_left: float | None = None
    seconds_per_step: float | None = None
    loss: float | None = None
    overlap: float | None = None
    message: str | None = None


class RunFolder:
    """path None: nothing is written and nobody can ask for a pause, as in a trial without one or a second process."""

    def __init__(self, path: Path | None, progress: Progress) -> None:
        self.path = path
        self._progress = replace(progress, pid=os.getpid())
        self._told = time.monotonic()
        self._writing, self._over = threading.Lock(), threading.Event()
        if path is not None:
            path.mkdir(parents=True, exist_ok=True)
            self._write()
            threading.Thread(target=self._beat, daemon=True).start()

    @property
    def checkpoint(self) -> Path | None:
        return self.path / CHECKPOINT if self.path else None

    @property
    def plot(self) -> Path | None:
        return self.path / "plot.png" if self.path else None

    @property
    def progress(self) -> Progress:
        return self._progress

    def tell(self, **changes: Any) -> None:
        """Changes what progress.json says, at once."""
        with self._writing:
            self._progress = replace(self._progress, **changes)
            self._told = time.monotonic()
        self._write()

    def close(self, **changes: Any) -> None:
        """Says how the run ended; nothing is written after it."""
        self._over.set()
        self.tell(seconds_left=None, **changes)

    def abandon(self) -> None:
        """Says nothing more: the run never began."""
        self._over.set()
        with self._writing:
            self.path = None

    def pause_asked(self) -> bool:
        return self.path is not None and (self.path / "pause").exists()

    def log(self, row: Mapping[str, Any]) -> None:
        """Appends a line to log.jsonl."""
        if self.path is not None:
            with (self.path / "log.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")

    def rows(self) -> list[dict[str, Any]]:
        """The log's lines."""
        file = self.path / "log.jsonl" if self.path else None
        if file is None or not file.exists():
            return []
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.endswith("}")]

    def forget_rows_after(self, step: int) -> None:
        """Drops what the log says of steps that are done anew: those after the checkpoint."""
        if self.path is not None:
            kept = [row for row in self.rows() if row["step"] <= step]
            _replace(self.path / "log.jsonl", "".join(json.dumps(row) + "\n" for row in kept))

    def save(self, state: Mapping[str, Any]) -> None:
        """Replaces the checkpoint. Raises UserError where the disk has no room."""
        if self.checkpoint is not None:
            save_checkpoint(self.checkpoint, state)

    def _beat(self) -> None:
        """Writes on while a long step runs, so that a watcher sees that it lives."""
        while not self._over.wait(BEAT_SECONDS):
            self._write()

    def _write(self) -> None:
        with self._writing:
            if self.path is None:
                return
            told = asdict(self._progress)
            if told["seconds_left"] is not None:
                told["seconds_left"] = round(max(0.0, told["seconds_left"] - (time.monotonic() - self._told)), 1)
            try:
                _replace(self.path / "progress.json", json.dumps(told))
            except OSError:
                _write_over(self.path / "progress.json", json.dumps(told))


def save_checkpoint(path: Path, state: Mapping[str, Any]) -> None:
    """Whole or not at all. Raises UserError where the disk has no room."""
    partial = path.with_name(f"{path.stem}.partial")
    try:
        with partial.open("wb") as file:  # closed before it is removed: the disk has the room again
            torch.save(dict(state), file)
        partial.replace(path)
    except (OSError, RuntimeError) as error:  # torch says RuntimeError for a full disk
        partial.unlink(missing_ok=True)
        message = f"The checkpoint cannot be written to {path.parent}. Make room on the disk, then go on with the run."
        raise UserError("disk", message, cause=str(error)) from error


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Raises UserError where the file is damaged."""
    try:
        state: dict[str, Any] = torch.load(path, weights_only=True, map_location="cpu")
    except Exception as error:  # torch raises many types for a damaged file
        message = f"The checkpoint {path} is damaged. Delete it, and train anew."
        raise UserError("bad_params", message, cause=str(error)) from error
    return state


def forget_old_pause(path: Path) -> None:
    """Removes the wish that an earlier run pause. One of a run that is being started is its own: who starts it has
    removed any older one, and may have asked for a pause since.
    """
    try:
        told = json.loads((path / "progress.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        told = {}
    if not isinstance(told, dict) or told.get("state") != "starting":
        (path / "pause").unlink(missing_ok=True)


def _replace(path: Path, text: str) -> None:
    """Whole or not at all. On Windows a file that somebody reads cannot be replaced for a moment: it is tried for a
    second, and the next beat does it.
    """
    partial = path.with_name(path.name + ".partial")
    deadline = time.monotonic() + RETRY_SECONDS
    while True:
        try:
            partial.write_text(text, encoding="utf-8")
            partial.replace(path)
            return
        except OSError as error:
            if not (WINDOWS and isinstance(error, PermissionError)):
                partial.unlink(missing_ok=True)
                raise
            if time.monotonic() > deadline:
                return
            time.sleep(0.02)


def _write_over(path: Path, text: str) -> None:
    """In place: on a full disk there is room for that alone. What cannot be told ends no training."""
    with suppress(OSError), path.open("r+", encoding="utf-8") as file:
        file.write(text)
        file.truncate()
