"""Calls done one after another on a thread of their own, each of which can be cancelled by its id.

It knows neither what a call does nor where its reply goes.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from engine.errors import CANCELLED, UserError
from engine.protocol import Request


class Lane:
    """work: does a call and replies; refuse: replies to one that is cancelled before its turn, at
    once, with the reason. cancelled: set to stop the running call. running: the id of that call, or None.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[Request], None],
        refuse: Callable[[int, UserError], None],
        cancelled: threading.Event,
    ) -> None:
        self._do, self._refuse, self._cancelled = work, refuse, cancelled
        self._calls: queue.Queue[Request | None] = queue.Queue()
        self._state = threading.Lock()
        self._waiting: set[int] = set()
        self._running_for: Any = None
        self.running: int | None = None
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def put(self, request: Request) -> None:
        """A call to be done when those before it are."""
        with self._state:
            self._waiting.add(request.id)
        self._calls.put(request)

    def cancel(self, id: int) -> bool:
        """Whether the call was there to be cancelled."""
        with self._state:
            if id == self.running:
                self._cancelled.set()
                return True
            if id not in self._waiting:
                return False
            self._waiting.discard(id)
        self._refuse(id, CANCELLED)
        return True

    def stop_working_for(self, conversation: Any) -> None:
        """Cancels the running call if it is for this conversation."""
        with self._state:
            if self.running is not None and self._running_for == conversation:
                self._cancelled.set()

    def end(self) -> None:
        """Cancels all calls; no more are taken."""
        with self._state:
            waiting, self._waiting = self._waiting, set()
            self._cancelled.set()
        for id in sorted(waiting):
            self._refuse(id, CANCELLED)
        self._calls.put(None)

    def ended(self, seconds: float) -> bool:
        """Waits for the last call to end. Whether it has."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while (request := self._calls.get()) is not None:
            with self._state:
                wanted = request.id in self._waiting
                self._waiting.discard(request.id)
                if wanted:
                    self.running = request.id
                    self._running_for = request.params.get("conversation")
                    self._cancelled.clear()
            if wanted:
                self._do(request)
            with self._state:
                self.running = self._running_for = None
