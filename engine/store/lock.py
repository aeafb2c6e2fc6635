"""One engine for one data folder: a lock file that dies with the process that holds it.

It knows nothing of the database. The lock is the operating system's own (flock, or LockFile on Windows), so that a
killed process never leaves a stale one behind.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import IO

from engine.errors import UserError

RETRY_SECONDS = 0.1


class DataLock:
    """Held from construction to `release`. Waits up to `wait_seconds`, then raises UserError("in_use")."""

    def __init__(self, path: Path, wait_seconds: float) -> None:
        deadline = time.monotonic() + wait_seconds
        self._file: IO[bytes] = path.open("ab")
        while not _try_lock(self._file):
            if time.monotonic() >= deadline:
                self._file.close()
                raise UserError(
                    "in_use",
                    "Keepsake is already open on these conversations. Close it, or choose another data folder.",
                    data_dir=str(path.parent),
                )
            time.sleep(RETRY_SECONDS)

    def release(self) -> None:
        """Lets the next engine in. The lock file stays: removing it would let two engines hold different files."""
        self._file.close()


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> bool:
        file.seek(0, os.SEEK_SET)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
