"""Waiting for a server without being held up by it: work in a thread, tries again, and a stop that is always heard.

Knows nothing of models or files.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from typing import TypeVar

from engine.errors import UserError

T = TypeVar("T")
Abort = Callable[[], bool]

GLANCE_SECONDS = 0.1
WAITS_SECONDS = (0.5, 1.0, 2.0)
_AHEAD = 64


def check(abort: Abort) -> None:
    """Raises UserError("cancelled") once `abort` says so."""
    if abort():
        raise UserError("cancelled", "Stopped.")


class Patience:
    """How often to try again: a few times in a row, each after a longer wait."""

    def __init__(self, abort: Abort) -> None:
        self.abort = abort
        self.renew()

    def renew(self) -> None:
        """After something came: the tries begin anew."""
        self._waits = iter(WAITS_SECONDS)

    def wait(self, error: Exception) -> None:
        """Returns when it is time to try again. Raises `error` after the last try, UserError("cancelled")."""
        seconds = next(self._waits, None)
        if seconds is None:
            raise error
        over = time.monotonic() + seconds
        while time.monotonic() < over:
            check(self.abort)
            time.sleep(min(GLANCE_SECONDS, seconds))


def in_thread(items: Generator[T, None, None], abort: Abort) -> Generator[T, None, None]:
    """The items, made in a thread of their own, so that a silent server cannot hold up a stop.

    Raises what making them raises, and UserError("cancelled"). The thread ends by itself when it is next answered.
    """
    made: queue.Queue[T | Exception | None] = queue.Queue(maxsize=_AHEAD)
    left = threading.Event()
    threading.Thread(target=_make, args=(items, made, left), daemon=True, name="hub").start()
    try:
        while (item := _next(made, abort)) is not None:
            if isinstance(item, Exception):
                raise item
            yield item
    finally:
        left.set()


def _next(made: queue.Queue[T | Exception | None], abort: Abort) -> T | Exception | None:
    while True:
        check(abort)
        with suppress(queue.Empty):
            return made.get(timeout=GLANCE_SECONDS)


def _make(items: Generator[T, None, None], made: queue.Queue[T | Exception | None], left: threading.Event) -> None:
    last: Exception | None = None
    try:
        with closing(items):
            for item in items:
                if not _put(made, item, left):
                    return
    except Exception as error:  # the other thread raises it
        last = error
    _put(made, last, left)


def _put(made: queue.Queue[T | Exception | None], item: T | Exception | None, left: threading.Event) -> bool:
    while not left.is_set():
        with suppress(queue.Full):
            made.put(item, timeout=GLANCE_SECONDS)
            return True
    return False
