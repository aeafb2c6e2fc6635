"""A trial: a few steps of training in a child process, to tell how long the whole would take here."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.errors import UserError
from engine.training_runs import process
from engine.training_runs.advice import in_the_window
from engine.training_runs.log import last_words

STEPS = 20
LOOK_SECONDS = 0.1
FIGURES = ("seconds_per_step", "seconds_at_end")


class Trial:
    """folder: its own, which the caller removes. command: what trains, with the options of model and data but those of
    outputs.
    """

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._folder, self._environment = folder, environment
        places = ["--out", str(folder / "heads.safetensors"), "--run", str(folder)]
        self._command = [*command, *places, "--trial", str(STEPS)]

    def run(
        self, on_step: Callable[[int], None], cancelled: Callable[[], bool], disturbed: Callable[[], bool]
    ) -> dict[str, Any]:
        """Returns seconds_per_step and seconds_at_end: training takes steps * seconds_per_step + seconds_at_end. And
        whether other work of the engine made them longer than they are. Raises UserError("cancelled" or
        "training_failed").
        """
        try:
            figures, log = self._folder / "figures.json", self._folder / "log.txt"
            child = process.start_child(self._command, figures, log, self._environment)
        except OSError as error:
            message = f"The trial cannot be started: {error.strerror}. Make room on the disk, and try again."
            raise UserError("training_failed", message) from error
        try:
            was_disturbed = self._wait(child, on_step, cancelled, disturbed)
        finally:
            process.end(child.pid)
            child.wait()
        return {**self._figures(child.returncode), "disturbed": was_disturbed}

    def _wait(
        self,
        child: subprocess.Popen[bytes],
        on_step: Callable[[int], None],
        cancelled: Callable[[], bool],
        disturbed: Callable[[], bool],
    ) -> bool:
        was_disturbed, step = False, -1
        while child.poll() is None:
            if cancelled():
                raise UserError("cancelled", "Stopped.")
            was_disturbed = was_disturbed or disturbed()
            if (now := self._step()) > step:
                step = now
                on_step(step)
            time.sleep(LOOK_SECONDS)
        return was_disturbed

    def _step(self) -> int:
        try:
            return int(json.loads((self._folder / "progress.json").read_text())["step"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def _figures(self, status: int) -> dict[str, Any]:
        lines = (self._folder / "figures.json").read_text(errors="replace").split("\n")
        said = [line for line in lines if line.startswith("{")]
        try:
            told = json.loads(said[-1])
            return {name: told[name] for name in FIGURES}
        except (IndexError, ValueError, KeyError, TypeError) as error:
            reason = last_words(self._folder / "log.txt") or f"It ended with status {status} and told no time."
            raise UserError("training_failed", in_the_window(reason, run=False)) from error
