"""The training run of this data folder: started, watched, paused, gone on with and forgotten.

All that is known of it lies in its folder, so that any engine finds it: `run.json` (what was asked, ours), `pid`,
`log.txt`, and what the training command writes there (`progress.json`, `log.jsonl`, the checkpoint). There is one run
at a time: two would take twice as long each.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

from engine.errors import UserError
from engine.training_runs import process
from engine.training_runs.advice import in_the_window
from engine.training_runs.log import last_words, tail

COMMAND = (sys.executable, "-m", "engine.main", "train")
AT_WORK = frozenset({"starting", "running", "pausing"})
ENDED = frozenset({"done", "failed"})
POINTS = 60
CHECKPOINT = "checkpoint.pt"  # as the command names it; what trains is not imported here
NEVER_BEGAN = "The training ended before it began. The log says more."


@dataclass(frozen=True)
class Asked:
    """What a run was started for. id: no other run has it; path: of the model; model: as in the settings; name: what
    people call it; words: the options for the data.
    """

    id: str
    path: str
    model: str
    name: str
    fingerprint: str
    out: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Finished:
    """A run whose heads are written. model: as in the settings."""

    id: str
    model: str


class TrainingRuns:
    """data_dir: of Keepsake, with the folder of the runs and that of the heads, into which a finished run's go.
    command: what trains, without its options.
    """

    def __init__(self, data_dir: Path, command: Sequence[str] = COMMAND) -> None:
        data_dir = data_dir.absolute()  # a run is known by its folder's name, wherever an engine is started from
        self.folder, self.heads = data_dir / "training", data_dir / "heads"
        self.command = tuple(command)
        self.environment = {"KEEPSAKE_DATA_DIR": str(data_dir)}

    def status(self) -> dict[str, Any] | None:
        """The run that there is, as an object of the protocol, or None.

        A run whose process is gone before it said that it was through is "stopped"; one that never began has "failed".
        """
        run = self._folder()
        if run is None:
            return None
        asked = _read(run / "run.json")
        told = _read(run / "progress.json")
        state, message = self._state(run, told)
        return {
            "state": state,
            "model": asked["model"],
            "name": asked["name"],
            "fingerprint": asked["fingerprint"],
            "step": told.get("step") or 0,
            "steps": told.get("steps") or 0,
            "seconds_left": told.get("seconds_left") if state == "running" else None,
            "loss": told.get("loss"),
            "losses": _losses(run / "log.jsonl"),
            "message": message and in_the_window(message, run=True),
        }

    def finished(self) -> Finished | None:
        """The run that there is, once its heads are written. Asks for no process: it may be asked often."""
        run = self._folder()
        if run is None or _read(run / "progress.json").get("state") != "done":
            return None
        asked = _read(run / "run.json")
        written = Path(asked.get("out", "")).is_file()
        return Finished(asked["id"], asked["model"]) if written and "id" in asked else None

    def start(self, path: str, model: str, name: str, fingerprint: str, words: Callable[[Path], Sequence[str]]) -> None:
        """Starts training for a model; then an ended run is forgotten.

        words: given the run's folder, the options that say what is read. Raises UserError("training_under_way").
        """
        self.refuse_a_second()
        named = f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)[:60]}-{fingerprint[:8]}"
        run, out = _free(self.folder / named), self.heads / f"{named}.safetensors"
        before = self._folders()
        with _told("The training cannot be started"):
            try:
                for folder in (run, self.heads):
                    folder.mkdir(parents=True, exist_ok=True)
                asked = Asked(uuid.uuid4().hex, path, model, name, fingerprint, str(out), tuple(words(run)))
                _write(run / "run.json", asdict(asked))
                self._launch(run)
            except BaseException:
                shutil.rmtree(run, ignore_errors=True)
                raise
        self._forget(before)

    def refuse_a_second(self) -> None:
        """Raises UserError("training_under_way") while there is a run that has not ended, or one that failed and can go
        on with what it has learned.
        """
        now, run = self.status(), self._folder()
        if now is None or run is None:
            return
        message = None
        if now["state"] not in ENDED:
            message = f"Retaining heads for {now['name']} are being trained. Let that finish, or discard it first."
        elif now["state"] == "failed" and (run / CHECKPOINT).exists():
            message = f"The training for {now['name']} failed, but can go on. Try it again, or discard it first."
        if message:
            raise UserError("training_under_way", message)

    def pause(self) -> None:
        """Has the run stop after its step, with all that it has learned."""
        run = self._folder()
        if run is not None and self._state(run, _read(run / "progress.json"))[0] in AT_WORK:
            with _told("The training cannot be paused"):
                (run / "pause").touch()

    def resume(self) -> None:
        """Goes on where the run was paused, stopped or failed."""
        run = self._folder()
        if run is None:
            return
        state = self._state(run, _read(run / "progress.json"))[0]
        with _told("The training cannot go on"):
            if state == "pausing":
                (run / "pause").unlink(missing_ok=True)
            elif state not in AT_WORK and state != "done":
                self._launch(run)

    def forget(self) -> None:
        """Ends the run if it is under way and removes its folder. Heads that it has written stay."""
        self._forget(self._folders())

    def _forget(self, runs: Sequence[Path]) -> None:
        for run in runs:
            for pid in self._pids(run):
                process.end(pid)
            shutil.rmtree(run, ignore_errors=True)

    def log(self) -> dict[str, str]:
        """The end of what the run has printed, and where all of it is."""
        run = self._folder()
        path = None if run is None else run / "log.txt"
        return {"text": tail(path) if path else "", "path": str(path or "")}

    def _launch(self, run: Path) -> None:
        """Raises OSError."""
        asked = _read(run / "run.json")
        (run / "pause").unlink(missing_ok=True)
        before = _read(run / "progress.json")
        _write(run / "progress.json", {**before, "state": "starting", "pid": None, "message": None})
        places = ["--model", asked["path"], "--out", asked["out"], "--run", str(run)]
        # Heads that are there already were the last ones of the same model: these take their place.
        command = [*self.command, *places, *asked["words"], "--resume", "--overwrite"]
        (run / "pid").write_text(str(process.start(command, run / "log.txt", self.environment)))

    def _state(self, run: Path, told: dict[str, Any]) -> tuple[str, str | None]:
        """The run's state and the sentence that goes with it."""
        state, message = str(told.get("state", "starting")), told.get("message")
        if state not in AT_WORK:
            return state, message
        if self._pids(run):
            return ("pausing" if (run / "pause").exists() else state), None
        told = _read(run / "progress.json")  # it may have ended since
        if told.get("state") not in AT_WORK:
            return str(told.get("state", "failed")), told.get("message")
        return ("failed", last_words(run / "log.txt") or NEVER_BEGAN) if state == "starting" else ("stopped", None)

    def _pids(self, run: Path) -> list[int]:
        """The processes that work in a run's folder: the one started, and the one that tells of its progress, which
        may be a child of the first.
        """
        told = _read(run / "progress.json").get("pid")
        started = (run / "pid").read_text() if (run / "pid").exists() else ""
        known = {int(started) if started.isdigit() else None, told if isinstance(told, int) else None}
        return [pid for pid in known if pid is not None and process.works_in(pid, run)]

    def _folder(self) -> Path | None:
        return next(iter(self._folders()), None)

    def _folders(self) -> list[Path]:
        """Of runs, the one begun last first."""
        begun = [path.parent for path in self.folder.glob("*/run.json")]
        return sorted(begun, key=_began, reverse=True)


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Turns what the disk refuses into a sentence that begins with `what`."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserError("training_failed", f"{what}: {reason}. Make room on the disk, and try again.") from error


def _free(folder: Path) -> Path:
    """That folder or, where it is there, one of a like name."""
    names = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return folder if not folder.exists() else next(name for name in names if not name.exists())


def _began(run: Path) -> float:
    """When, or 0 for a run that is forgotten meanwhile."""
    try:
        return (run / "run.json").stat().st_mtime
    except OSError:
        return 0.0


def _read(path: Path) -> dict[str, Any]:
    """The object in a file; empty where there is none."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, content: dict[str, Any]) -> None:
    new = path.with_name(f"{path.name}.new")
    new.write_text(json.dumps(content))
    new.replace(path)


def _losses(path: Path) -> list[float]:
    """The training losses that a run reported, thinned to at most POINTS; the last one is among them."""
    found: list[float] = []
    with suppress(OSError):
        for line in path.read_text().splitlines():
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                row = json.loads(line)
                if row.get("kind", "train") == "train":
                    found.append(float(row["loss"]))
    every = -(-len(found) // POINTS) or 1
    return found[::-1][::every][::-1]
