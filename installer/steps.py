"""Running one step of an installation: a line on the screen, a sign of life, everything else into the log.

The lines go to stderr, since stdout is the engine's. Knows nothing of what the step is.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

SIGN_OF_LIFE_S = 30.0


@contextlib.contextmanager
def step(title: str) -> Iterator[None]:
    """Prints the title, and when the step ends, the time it took or that it failed."""
    print(f"{title} ...", end="", flush=True, file=sys.stderr)
    start = time.monotonic()
    try:
        yield
    except BaseException:
        print(f" stopped after {spoken(time.monotonic() - start)}", flush=True, file=sys.stderr)
        raise
    print(f" {spoken(time.monotonic() - start)}", flush=True, file=sys.stderr)


def run_logged(command: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Runs a command with its output appended to `log`; returns its exit status and that output.

    Prints a sign of life every SIGN_OF_LIFE_S seconds. Interrupted, it ends the command and all that that
    started. Raises OSError where the command cannot be started.
    """
    with log.open("ab") as sink:
        sink.write(f"\n$ {' '.join(str(part) for part in command)}\n".encode())
        sink.flush()
        start = sink.tell()
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=env,
            start_new_session=True,
        )
        try:
            status = _wait(process)
        except BaseException:
            _end(process)
            raise
    with log.open("rb") as written:
        written.seek(start)
        return status, written.read().decode(errors="replace")


def spoken(seconds: float) -> str:
    """A time as a person says it: "8 s", "3 min 20 s"."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _wait(process: subprocess.Popen[bytes]) -> int:
    start = time.monotonic()
    while True:
        try:
            return process.wait(timeout=SIGN_OF_LIFE_S)
        except subprocess.TimeoutExpired:
            print(f"\n  still working, {spoken(time.monotonic() - start)} ...", end="", flush=True, file=sys.stderr)


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.terminate()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
    process.wait()
