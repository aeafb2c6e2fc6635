"""The engine as a process: JSON lines on stdin and stdout, a reader thread that answers at once, a job thread that
works, and two more for what neither waits for the jobs nor holds them up.

It knows the protocol and which method does what; the work itself is elsewhere. Nothing heavy is imported before
`hello`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from engine.errors import UserError
from engine.lane import Lane
from engine.protocol import (
    ASIDE_METHODS,
    JOB_METHODS,
    PROTOCOL_VERSION,
    VIEW_METHODS,
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
    came, what goes on beside them by a third, what a person looks at by a fourth.
    """

    def __init__(self, out: BinaryIO) -> None:
        self._out, self._out_lock = out, threading.Lock()

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
        engine.configuration.changed = self._announce_settings
        if engine.store.notice:
            self._send(Failure(None, "user", "database_damaged", engine.store.notice))
        self._jobs = Lane("jobs", self._job, self._refuse, engine.cancelled)
        self._aside = Lane("aside", lambda call: self._send(self._done(call)), self._refuse, engine.aside_cancelled)
        self._views = Lane("views", lambda call: self._send(self._done(call)), self._refuse, engine.view_cancelled)
        for line in sys.stdin.buffer:
            self._receive(line)
        lanes = (self._jobs, self._aside, self._views)
        for lane in lanes:
            lane.end()
        if all(lane.ended(SECONDS_TO_END) for lane in lanes):
            engine.close()

    # --- the reader thread -------------------------------------------------------------------------------------------

    def _receive(self, line: bytes) -> None:
        try:
            request = decode_request(line)
        except ProtocolError as error:
            self._send(Failure(None, "bug", "protocol", str(error)))
            return
        if request.method in JOB_METHODS:
            self._jobs.put(request)
        elif request.method in ASIDE_METHODS:
            self._aside.put(request)
        elif request.method in VIEW_METHODS:
            self._views.put(request)
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
            # What it has read is kept, should the conversation be restored.
            self._jobs.stop_working_for(request.params.get("conversation"))
        return result

    def _announce_settings(self) -> None:
        from engine.methods import settings_get

        with suppress(UserError):  # of the chosen model, which whoever asks for it is told
            self._send(Event("settings", settings_get(self.engine, {})))

    def _status(self) -> dict[str, Any]:
        from engine.documents.ocr.languages import languages_here

        name = self.engine.heads_name()
        return {
            "model": self.engine.model_status(),
            "heads": {"name": name} if name else None,
            "settings": self.engine.settings(),
            "recognition_languages": languages_here(),
            "busy": self._jobs.running,
            "version": _version(),
            "data_dir": str(self.engine.data_dir),
        }

    def _cancel(self, target: Any) -> bool:
        lanes = (self._jobs, self._aside, self._views)
        return isinstance(target, int) and any(lane.cancel(target) for lane in lanes)

    # --- the other threads -------------------------------------------------------------------------------------------

    def _job(self, request: Request) -> None:
        self.engine.working = True
        reply = self._done(request)
        if isinstance(reply, Failure) and reply.kind == "bug":
            self.engine.unload()  # whatever state the model is in, the store has a whole one
        self.engine.working = False
        self._send(reply)

    def _done(self, request: Request) -> Reply:
        def emit(event: str, data: dict[str, Any]) -> None:
            self._send(Event(event, data, request.id))

        def work() -> dict[str, Any]:
            from engine.methods import WITH_EVENTS

            return WITH_EVENTS[request.method](self.engine, request.params, emit)

        return outcome(request.id, work)

    def _refuse(self, id: int, error: UserError) -> None:
        self._send(_failure(id, error))

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
            self.engine.aside_cancelled.set()
            self.engine.view_cancelled.set()


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
