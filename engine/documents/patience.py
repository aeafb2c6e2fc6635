"""Files that may never come, as from a network drive that is gone: they are waited for while the person wants it.

A call to the system cannot be taken back, so it is made in a thread of its own, which is left behind if nothing comes
of it. It knows neither files nor documents.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.documents.limits import OPENING_SECONDS, PATIENCE
from engine.documents.stopping import Cancelled, stop_if

SECONDS = PATIENCE * OPENING_SECONDS
"""On the clock, without anything that came."""
LOOK_SECONDS = 0.05
MOST_WAITING = 256

Item = TypeVar("Item")


@dataclass(frozen=True)
class _Got:
    item: Any


@dataclass(frozen=True)
class _End:
    error: BaseException | None = None


def patiently(items: Iterator[Item], cancelled: Cancelled, seconds: float = SECONDS) -> Iterator[Item]:
    """The same, made in a thread. Raises what making them raised, UserError("cancelled"), and TimeoutError, which is an
    OSError, when the next one took longer than `seconds`.
    """
    made: queue.Queue[_Got | _End] = queue.Queue(MOST_WAITING)
    left = threading.Event()
    threading.Thread(target=_make, args=(items, made, left), name="files", daemon=True).start()
    try:
        late = time.monotonic() + seconds
        while True:
            stop_if(cancelled)
            try:
                found = made.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                if time.monotonic() > late:
                    raise TimeoutError("the file system does not answer") from None
                continue
            if isinstance(found, _End):
                if found.error is not None:
                    raise found.error
                return
            yield found.item
            late = time.monotonic() + seconds
    finally:
        left.set()


def waited(work: Callable[[], Item], cancelled: Cancelled) -> Item:
    """What one call gives. Raises as `patiently`."""
    (found,) = patiently((make() for make in (work,)), cancelled)
    return found


def _make(items: Iterator[Any], made: queue.Queue[_Got | _End], left: threading.Event) -> None:
    try:
        for item in items:
            _put(_Got(item), made, left)
            if left.is_set():
                return
        _put(_End(), made, left)
    except BaseException as error:
        _put(_End(error), made, left)


def _put(found: _Got | _End, made: queue.Queue[_Got | _End], left: threading.Event) -> None:
    while not left.is_set():
        try:
            made.put(found, timeout=LOOK_SECONDS)
        except queue.Full:
            continue
        return
