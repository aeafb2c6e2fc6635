"""Reading processes: started when one is needed, lent to one caller at a time, kept for the next. It knows no job."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Generator

from engine.documents.bounded.bounds import Bounds, Died
from engine.documents.bounded.frames import Frame
from engine.documents.bounded.messages import unreadable_of
from engine.documents.bounded.process import Worker
from engine.documents.bounded.worker import IDLE_SECONDS
from engine.documents.limits import MIB
from engine.documents.reader import Unreadable
from engine.documents.stopping import Cancelled

MOST_JOBS = 500
MOST_GROWN = 200 * MIB
MOST_IDLE = 1
_lock = threading.Lock()
_idle: list[Worker] = []


def run(job: Frame, bounds: Bounds, cancelled: Cancelled, spent: float = 0.0) -> Generator[Frame, None, None]:
    """The answers to a job, as they come. spent: seconds that went into the same file before.

    Raises Unreadable, Died, UserError("cancelled"); RuntimeError if there can be no reading process,
    ModuleNotFoundError if it lacks a package. Whoever does not take all answers must close this: the process is ended
    then.
    """
    worker, watch, unreadable = _taken(), None, None
    try:
        watch = worker.begin(job, bounds, spent, cancelled)
        while True:
            frame = worker.answer(watch, cancelled)
            unreadable = unreadable_of(frame)
            if "end" in frame.fields or unreadable is not None:
                break
            if "crashed" in frame.fields:
                raise Died("crashed")
            if "missing" in frame.fields:
                raise ModuleNotFoundError("a package is not installed", name=str(frame.fields["missing"]))
            if "recognising" in frame.fields:
                watch.recognises(bool(frame.fields["recognising"]))
                continue
            yield frame
            watch.answered()
    except Died as died:
        died.spent, died.is_new = watch.spent if watch is not None else spent, worker.jobs <= 1
        worker.end()
        raise
    except BaseException:
        worker.end()
        raise
    _give_back(worker)
    if unreadable is not None:
        raise unreadable


def call(job: Frame, bounds: Bounds, cancelled: Cancelled) -> list[Frame]:
    """All answers to a job of which nothing can be saved if the process dies. Raises as `run`, but Unreadable for
    Died.
    """
    try:
        return list(run(job, bounds, cancelled))
    except Died as died:
        if died.blames_the_file:
            raise Unreadable(died.reason) from died
    try:
        return list(run(job, bounds, cancelled))
    except Died as died:
        raise Unreadable(died.reason) from died


def end_all() -> None:
    """Ends the processes that wait for work."""
    while True:
        with _lock:
            worker = _idle.pop() if _idle else None
        if worker is None:
            return
        worker.end()


def _taken() -> Worker:
    while True:
        with _lock:
            worker = _idle.pop() if _idle else None
        if worker is None:
            return Worker()
        # One that is about to end of itself, having waited too long, would take the job with it.
        if worker.is_alive and time.monotonic() - worker.idle_since < IDLE_SECONDS / 2:
            return worker
        worker.end()


def _give_back(worker: Worker) -> None:
    worker.idle_since = time.monotonic()
    with _lock:
        kept = worker.jobs < MOST_JOBS and worker.grown < MOST_GROWN and len(_idle) < MOST_IDLE
        if kept:
            _idle.append(worker)
    if not kept:
        worker.end()


atexit.register(end_all)
