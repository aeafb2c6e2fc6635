"""A small client of the engine's protocol, for tests: calls, events as they come, and what kills a process."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine.protocol import Event, Failure, Reply, Request, Result, decode_reply, encode

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 300.0


class EngineClient:
    """One engine process. `replies` holds everything that it said, in order."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        self.replies: list[Reply] = []
        self._incoming: queue.Queue[Reply | None] = queue.Queue()
        self._errors: list[bytes] = []
        self._next_id = 0
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _k: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None) -> None:
        self.kill()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._incoming.put(decode_reply(line))
        self._incoming.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self._errors.extend(self.process.stderr)

    @property
    def log(self) -> str:
        return b"".join(self._errors).decode(errors="replace")

    def send(self, method: str, **params: Any) -> int:
        self._next_id += 1
        assert self.process.stdin is not None
        self.process.stdin.write(encode(Request(self._next_id, method, params)))
        self.process.stdin.flush()
        return self._next_id

    def next(self, seconds: float = PATIENCE) -> Reply:
        """The next message. Fails when none comes or the engine is gone."""
        reply = self._incoming.get(timeout=seconds)
        if reply is None:
            raise EOFError(f"the engine ended: {self.log}")
        self.replies.append(reply)
        return reply

    def drain(self) -> None:
        """Takes in what the dead engine had still said."""
        while not self._incoming.empty():
            reply = self._incoming.get()
            if reply is not None:
                self.replies.append(reply)

    def wait_for_event(self, event: str, id: int | None = None) -> Event:
        while True:
            reply = self.next()
            if isinstance(reply, Event) and reply.event == event and (id is None or reply.id == id):
                return reply
            if isinstance(reply, Failure) and reply.id == id:
                raise AssertionError(f"{reply.message}\n{reply.details.get('traceback', '')}")

    def end_of(self, id: int) -> Result | Failure:
        while True:
            reply = self.next()
            if isinstance(reply, Result | Failure) and reply.id == id:
                return reply

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a call that must go well."""
        reply = self.end_of(self.send(method, **params))
        if isinstance(reply, Failure):
            raise AssertionError(f"{method}: {reply.message}\n{reply.details.get('traceback', '')}")
        return reply.result

    def hang_up(self) -> int:
        """Ends stdin; the exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
