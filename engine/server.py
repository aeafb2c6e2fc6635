"""The engine as a process: JSON lines on stdin and stdout, a reader thread that answers at once, a job thread that
works.

It knows the protocol and which method does what; the work itself is elsewhere. Nothing heavy is imported before
`hello`.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from engine.errors import UserError
from engine.protocol import (
    JOB_METHODS,
    PROTOCOL_VERSION,
    Event,
    Failure,
    ProtocolError,
    Reply,
    Request,
    Result,
    decode_request,
    encode,
)

if TYPE_CHECKING:
    from engine.engine import Engine

SECONDS_TO_END = 3.0


def serve(data_dir: Path | None) -> int:
    """Speaks the protocol until stdin ends. Returns the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the window, which ends stdin
    server = Server(_protocol_stream())
    server.hello()
    try:
        engine = _open(data_dir)
    except UserError as error:
        server.refuse_everything(error)
        return 1
    server.run(engine)
    return 0


def _protocol_stream() -> BinaryIO:
    """Keeps stdout for the protocol and lets everything else that prints, native libraries included, print to
    stderr.
    """
    protocol = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return protocol


def _open(data_dir: Path | None) -> Engine:
    from engine.engine import Engine

    return Engine(data_dir)


class Server:
    """One connection. The thread that calls `run` reads; jobs are done by a second one, in the order in which they
    came.
    """

    def __init__(self, out: BinaryIO) -> None:
        self._out, self._out_lock = out, threading.Lock()
        self._jobs: queue.Queue[Request | None] = queue.Queue()
        self._state = threading.Lock()
        self._waiting: set[int] = set()
        self._running: int | None = None
        self._running_for: Any = None

    def hello(self) -> None:
        self._send(Event("hello", {"protocol": PROTOCOL_VERSION, "version": _version(), "pid": os.getpid()}))

    def refuse_everything(self, error: UserError) -> None:
        """The store cannot be opened: says so in answer to every call."""
        self._send(_failure(None, error))
        for line in sys.stdin.buffer:
            try:
                self._send(_failure(decode_request(line).id, error))
            except ProtocolError:
                continue

    def run(self, engine: Engine) -> None:
        self.engine = engine
        if engine.store.notice:
            self._send(Failure(None, "user", "database_damaged", engine.store.notice))
        worker = threading.Thread(target=self._work, name="jobs", daemon=True)
        worker.start()
        for line in sys.stdin.buffer:
            self._receive(line)
        self._cancel_all()
        worker.join(SECONDS_TO_END)
        if not worker.is_alive():
            engine.close()

    # --- the reader thread -------------------------------------------------------------------------------------------

    def _receive(self, line: bytes) -> None:
        try:
            request = decode_request(line)
        except ProtocolError as error:
            self._send(Failure(None, "bug", "protocol", str(error)))
            return
        if request.method in JOB_METHODS:
            with self._state:
                self._waiting.add(request.id)
            self._jobs.put(request)
        elif request.method == "cancel":
            self._send(Result(request.id, {"cancelled": self._cancel(request.params.get("target"))}))
        elif request.method == "status":
            self._answer(request, self._status)
        else:
            self._answer(request, lambda: self._immediate(request))

    def _answer(self, request: Request, work: Callable[[], dict[str, Any]]) -> None:
        self._send(outcome(request.id, work))

    def _immediate(self, request: Request) -> dict[str, Any]:
        from engine.methods import IMMEDIATE

        result = IMMEDIATE[request.method](self.engine, request.params)
        if request.method == "settings_set":
            self._send(Event("settings", result))
        if request.method == "conversation_delete":
            self._stop_working_for(request.params.get("conversation"))
        return result

    def _status(self) -> dict[str, Any]:
        name = self.engine.heads_name()
        return {
            "model": self.engine.model_status(),
            "heads": {"name": name} if name else None,
            "settings": self.engine.settings(),
            "busy": self._running,
            "version": _version(),
            "data_dir": str(self.engine.data_dir),
        }

    def _cancel(self, target: Any) -> bool:
        if not isinstance(target, int):
            return False
        with self._state:
            if target == self._running:
                self.engine.cancelled.set()
                return True
            if target in self._waiting:
                self._waiting.discard(target)
                return True
        return False

    def _stop_working_for(self, conversation: Any) -> None:
        """A deleted conversation's job ends; what it has read is kept, should the conversation be restored."""
        with self._state:
            if self._running is not None and self._running_for == conversation:
                self.engine.cancelled.set()

    def _cancel_all(self) -> None:
        with self._state:
            self._waiting.clear()
            self.engine.cancelled.set()
        self._jobs.put(None)

    # --- the job thread ----------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (request := self._jobs.get()) is not None:
            with self._state:
                wanted = request.id in self._waiting
                self._waiting.discard(request.id)
                if wanted:
                    self._running = request.id
                    self._running_for = request.params.get("conversation")
                    self.engine.cancelled.clear()
            self._send(self._done(request) if wanted else _failure(request.id, UserError("cancelled", "Stopped.")))
            with self._state:
                self._running = self._running_for = None

    def _done(self, request: Request) -> Reply:
        def emit(event: str, data: dict[str, Any]) -> None:
            self._send(Event(event, data, request.id))

        def work() -> dict[str, Any]:
            from engine.methods import JOBS

            return JOBS[request.method](self.engine, request.params, emit)

        reply = outcome(request.id, work)
        if isinstance(reply, Failure) and reply.kind == "bug":
            self.engine.unload()  # whatever state the model is in, the store has a whole one
        return reply

    def _send(self, message: Reply) -> None:
        with self._out_lock:
            try:
                self._out.write(encode(message))
            except (BrokenPipeError, ValueError):
                self.hung_up()

    def hung_up(self) -> None:
        """The window is gone: stop what runs; the end of stdin ends the rest."""
        if hasattr(self, "engine"):
            self.engine.cancelled.set()


def outcome(id: int, work: Callable[[], Mapping[str, Any]]) -> Reply:
    """The reply to a call: its result, or its error as one of the two kinds."""
    try:
        return Result(id, dict(work()))
    except UserError as error:
        return _failure(id, error)
    except Exception as error:
        traceback.print_exc()
        return Failure(id, "bug", "bug", f"{type(error).__name__}: {error}", {"traceback": traceback.format_exc()})


def _failure(id: int | None, error: UserError) -> Failure:
    return Failure(id, "user", error.code, error.message, error.details)


def _version() -> str:
    from engine.version import version

    return version()
