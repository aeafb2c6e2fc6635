"""A process at low priority that outlives the one that started it: start, know again, end. It knows no training."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

NICENESS = 10
SECONDS_TO_END = 10.0
SECONDS_TO_BE_NAMED = 5.0


def start(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> int:
    """Starts it with its output appended to `log`, in a session of its own. environment: beside this process's own.
    Returns its id. Raises OSError.
    """
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            start_new_session=True,
            creationflags=_creation_flags(alone=True),
        )
    threading.Thread(target=process.wait, name="training", daemon=True).start()  # else it stays a zombie
    make_low(process.pid)
    _wait_for_its_name(process.pid)
    return process.pid


def start_child(
    command: Sequence[str], output: Path, log: Path, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Starts it with its two streams in files, as a child that the caller ends. Raises OSError."""
    with output.open("wb") as out, log.open("wb") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            env={**os.environ, **environment},
            creationflags=_creation_flags(alone=False),
        )
    make_low(process.pid)
    return process


def make_low(pid: int) -> None:
    """What the person does comes first. Threads that it starts later are as low."""
    with suppress(psutil.Error, OSError):
        psutil.Process(pid).nice(psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else NICENESS)


def works_in(pid: int | None, folder: Path) -> bool:
    """Whether a process of that id is alive and was started for this folder, which its command line names: one that
    was given the same id later does not.
    """
    if not pid or pid < 0:
        return False
    try:
        return str(folder) in psutil.Process(pid).cmdline()
    except (psutil.Error, OSError):
        return False


def _wait_for_its_name(pid: int) -> None:
    """Until it has its command line: on Linux a program that has just been started has none for a moment."""
    late = time.monotonic() + SECONDS_TO_BE_NAMED
    with suppress(psutil.Error, OSError):
        while not psutil.Process(pid).cmdline() and time.monotonic() < late:
            time.sleep(0.005)


def end(pid: int) -> None:
    """Ends it and all that it started, and waits for that."""
    with suppress(psutil.Error):
        first = psutil.Process(pid)
        family = [first, *first.children(recursive=True)]
        for process in family:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(family, timeout=SECONDS_TO_END)


def _creation_flags(alone: bool) -> int:
    """For Windows, where a console program would show a window; elsewhere there are none."""
    if sys.platform != "win32":
        return 0
    if alone:
        return subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    return subprocess.CREATE_NO_WINDOW
