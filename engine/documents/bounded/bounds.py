"""How much one job may cost, and a watch that sees when it costs more. It knows no document."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

import psutil

from engine.documents.limits import (
    FILE_SECONDS,
    MEMORY,
    OPENING_SECONDS,
    PAGE_SECONDS,
    PATIENCE,
    PIECE_SECONDS,
    RECOGNITION_FILE_SECONDS,
    RECOGNITION_MEMORY,
    RECOGNITION_SECONDS,
)

LOOK_SECONDS = 0.1


ENDS = frozenset({"too_slow", "too_much_memory", "crashed"})
"""Reasons why a reading process ended on a page, which another one is to leave alone."""
# Documents of these kinds have pages; what comes of others comes in larger pieces.
PAGED = frozenset({"pdf", "picture"})
# In these nothing is recognised.
WITHOUT_PICTURES = frozenset({"text", "markdown", "csv"})


class Died(Exception):  # noqa: N818 (what became of the other process)
    """The reading process ended, or was ended, in the middle of a job. reason: a code of `reasons`. for_good: whether
    the file had all that it may have, so that nothing more of it is tried. spent: seconds that went into the file.
    is_new: whether the process had done no other job before, so that only this one can be to blame. killed: from
    outside, by a system that ran short of memory or by hand.
    """

    def __init__(self, reason: str, for_good: bool = False, killed: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.for_good, self.killed = reason, for_good, killed
        self.spent, self.is_new = 0.0, True

    @property
    def blames_the_file(self) -> bool:
        """False at the first time: the files before may have left the process short of memory or broken, another
        program may have taken the memory.
        """
        return (self.is_new and not self.killed) or self.for_good or self.reason == "too_slow"


@dataclass(frozen=True)
class Bounds:
    """Seconds of the reading process's own time: until the first answer, for each after it, for everything, for one
    picture of which it says that it recognises the text. memory: bytes beyond what it held before.
    """

    opening: float = OPENING_SECONDS
    page: float = PAGE_SECONDS
    everything: float = FILE_SECONDS
    memory: int = MEMORY
    recognition: float = 0.0

    @property
    def longest_wait(self) -> float:
        """Seconds on the clock that an answer may take."""
        return PATIENCE * max(self.opening, self.page, self.recognition)


def bounds(kind: str, recognition: bool) -> Bounds:
    """For a document. kind: as far as it is known from outside."""
    page = PAGE_SECONDS if kind in PAGED else PIECE_SECONDS
    if not recognition or kind in WITHOUT_PICTURES:
        return Bounds(page=page)
    return Bounds(OPENING_SECONDS, page, RECOGNITION_FILE_SECONDS, RECOGNITION_MEMORY, RECOGNITION_SECONDS)


class Watch:
    """Over a process from now on. spent: seconds that went into the same file before."""

    def __init__(self, pid: int, bounds: Bounds, spent: float = 0.0) -> None:
        self.bounds, self._before = bounds, spent
        self._process = psutil.Process(pid)
        self._looked = self._last_seconds = 0.0
        self._answered: float | None = None
        self._began, self._held = self._seconds(), self._memory()
        self._wait(bounds.opening)

    def answered(self) -> None:
        """From now on the next answer is waited for."""
        self._wait(self.bounds.page)

    def recognises(self, begins: bool) -> None:
        """It recognises the text in a picture from now on, or goes on with the page after that."""
        self._wait(self.bounds.recognition if begins else self.bounds.page)

    @property
    def spent(self) -> float:
        """Seconds of the process's own time, with those before."""
        return self._before + self._seconds() - self._began

    def look(self, waiting: bool) -> None:
        """Raises Died: too_much_memory, too_slow. waiting: whether no answer is there to be taken."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        if self._memory() - self._held > self.bounds.memory:
            raise Died("too_much_memory")
        if self.spent > self.bounds.everything:
            raise Died("too_slow", for_good=True)
        if waiting and self._is_slow(now):
            raise Died("too_slow")

    def _is_slow(self, now: float) -> bool:
        """Its own time counts from the first look on: most answers come before one."""
        seconds = self._seconds()
        if self._answered is None:
            self._answered = seconds
        return seconds - self._answered > self._allowed or now - self._clock > PATIENCE * self._allowed

    def _wait(self, seconds: float) -> None:
        self._allowed, self._clock = seconds, time.monotonic()
        self._answered = None

    def _seconds(self) -> float:
        with suppress(psutil.Error):  # it ended, which shows when its answers do
            times = self._process.cpu_times()
            self._last_seconds = float(times.user + times.system)
        return self._last_seconds

    def _memory(self) -> int:
        with suppress(psutil.Error):
            return int(self._process.memory_info().rss)
        return 0
