"""How fast documents are read: for the time that is left of one, and for what the next reading will take.

It knows tokens and seconds; the store keeps a rate for each model and way to run it.
"""

from __future__ import annotations

import time

from engine.store import Store

LEAST_TOKENS = 256
KEYS = 16


class Pace:
    """Follows a reading from document to document. tokens, seconds: read of all of them, and the time it took."""

    def __init__(self) -> None:
        self.tokens, self.seconds = 0, 0.0
        self.begin(0)

    def begin(self, done: int) -> None:
        """A document begins, or goes on after `done` tokens."""
        self._first = self._done = done
        self._began = self._at = time.monotonic()
        self.steps = 0

    def left(self, done: int, total: int) -> float | None:
        """Seconds to the end of the document, or None before its first chunk is through."""
        now = time.monotonic()
        self.tokens += done - self._done
        self.seconds += now - self._at
        self._done, self._at = done, now
        self.steps += 1
        read = done - self._first
        return None if read <= 0 else (now - self._began) / read * (total - done)


def remember(store: Store, key: str, pace: Pace) -> None:
    """Keeps a finished reading's tokens a second, averaged with what was known. One that is too short says nothing."""
    if pace.tokens < LEAST_TOKENS or pace.seconds <= 0:
        return
    known = store.settings().get("paces", {})
    rate = pace.tokens / pace.seconds
    before = known.pop(key, rate)
    store.save_settings({"paces": {key: (rate + before) / 2, **dict(list(known.items())[: KEYS - 1])}})


def seconds_for(store: Store, key: str, tokens: int) -> float | None:
    """What reading that many tokens will take; None where the pace was never measured."""
    rate = store.settings().get("paces", {}).get(key)
    return tokens / rate if rate else None
