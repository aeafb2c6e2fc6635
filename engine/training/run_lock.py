"""The lock on a run's folder. The system holds it for as long as the process lives, so a crash leaves none behind."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from engine.errors import UserError

LOCK = "lock"
# A run that has just said that it is paused has its folder for another moment.
SECONDS_TO_WAIT = 3.0
_TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Has the folder alone. Raises UserError("training_under_way") while another process has it."""
    file = _take(folder)
    try:
        yield
    finally:
        _release(file, folder / LOCK)


def _take(folder: Path) -> BinaryIO:
    late = time.monotonic() + SECONDS_TO_WAIT
    while (file := _try(folder / LOCK)) is None:
        if time.monotonic() > late:
            raise UserError("training_under_way", _under_way(folder))
        time.sleep(0.05)
    file.truncate(0)
    file.write(str(os.getpid()).encode())
    file.flush()
    return file


def _try(path: Path) -> BinaryIO | None:
    """The locked file, or None where another has it, or has just removed the one that was opened here."""
    file = path.open("a+b")
    try:
        if _lock(file) and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
    except FileNotFoundError:
        pass
    file.close()
    return None


def _lock(file: BinaryIO) -> bool:
    """A file system without locks is one where nothing can be refused."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 20)  # behind the number of the process: what is locked cannot be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _TAKEN
    return True


def _release(file: BinaryIO, path: Path) -> None:
    """Removed while it is locked, so that it is nobody else's; Windows removes no file that anybody has open."""
    with suppress(OSError):
        if sys.platform == "win32":
            file.close()
        path.unlink()
    file.close()


def _under_way(folder: Path) -> str:
    try:
        number = (folder / LOCK).read_text().strip()
    except (OSError, ValueError):
        number = ""
    process = f" (process {number})" if number else ""
    pause = "Pause it first, with a file named pause in that folder, or choose another folder with --run."
    return f"A training runs in {folder}{process}. {pause}"
