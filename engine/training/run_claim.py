"""A run's hold on where it writes: from before anything is loaded, and given back as it was when the run never begins.

It knows the run's folder and nothing of what is trained.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import UserError
from engine.training.run_lock import locked
from engine.writable import writable

# What a run that is being started changes of an earlier one's.
_CHANGED = ("progress.json", "pause")


@dataclass
class Claim:
    """begun: whether all is loaded, so that what lies in the folder is the run's own."""

    begun: bool = False


@contextmanager
def claimed(run: Path | None, heads: Path | None) -> Iterator[Claim]:
    """run: the run's folder, which is locked; heads: the folder of the head file. None: nothing is written there.

    Raises UserError where another run has the folder, or nothing can be written.
    """
    folders = [folder for folder in (heads, run) if folder is not None]
    with (
        writable(*folders, otherwise="Choose another place (--out, --run)."),
        locked(run) if run else nullcontext(),
    ):
        claim = Claim()
        before = _contents(run) if run else {}
        try:
            yield claim
        except BaseException as error:
            if run and not claim.begun:
                _restore(run, before, stopped=is_stop(error))
            raise


def is_stop(error: BaseException) -> bool:
    """Whether a run ended since somebody wanted it to."""
    return isinstance(error, KeyboardInterrupt) or (isinstance(error, UserError) and error.code == "cancelled")


def _contents(run: Path) -> dict[str, bytes | None]:
    return {name: (run / name).read_bytes() if (run / name).is_file() else None for name in _CHANGED}


def _restore(run: Path, before: Mapping[str, bytes | None], stopped: bool) -> None:
    for name, content in before.items():
        with suppress(OSError):
            if content is None:
                (run / name).unlink(missing_ok=True)
            else:
                (run / name).write_bytes(_paused(content) if stopped and name == "progress.json" else content)


def _paused(progress: bytes) -> bytes:
    """Whoever started the run and waits for it to begin is told that it was stopped."""
    try:
        told = json.loads(progress)
    except ValueError:
        return progress
    waits = isinstance(told, dict) and told.get("state") == "starting"
    return json.dumps({**told, "state": "paused"}).encode() if waits else progress
