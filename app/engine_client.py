"""Calls to the engine and what comes back: ids matched, events handed on, a dead engine started again.

The one door through which the window's work leaves. Knows engine.protocol; nothing of what the methods do.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from app.engine_process import EngineProcess
from engine.protocol import PROTOCOL_VERSION, Event, Failure, ProtocolError, Request, Result, decode_reply, encode

RESTARTS = 3
HEALTHY_SECONDS = 300.0
ENGINE_STOPPED = "engine_stopped"

Done = Callable[[dict[str, Any]], None]
Failed = Callable[[Failure], None]
Happened = Callable[[Event], None]


@dataclass(frozen=True)
class _Call:
    line: bytes
    done: Done | None
    failed: Failed | None
    event: Happened | None
    caller: QObject | None

    @property
    def heard(self) -> bool:
        """Whether anybody is there to be told: a dialog may have been closed meanwhile."""
        return self.caller is None or isValid(self.caller)


class EngineClient(QObject):
    """Signals: `ready(hello)` after each start, `restarting(attempt)`, `gave_up(reason)`, `announced(Event)` for events
    without an id, `user_error(Failure)` when nobody waits for it, `bug(Failure)` for every bug.
    """

    ready = Signal(dict)
    restarting = Signal(int)
    gave_up = Signal(str)
    announced = Signal(object)
    user_error = Signal(object)
    bug = Signal(object)

    def __init__(self, process: EngineProcess, *, ping_ms: int = 5000, patience_ms: int = 30000) -> None:
        super().__init__()
        self.process = process
        self.process.setParent(self)
        self.process.line.connect(self._line)
        self.process.died.connect(self._died)
        self._calls: dict[int, _Call] = {}
        self._waiting: list[int] = []
        self._next_id = 1
        self._hello = False
        self._given_up: str | None = None
        self._restarts = 0
        self._started_at = 0.0
        self._patience = patience_ms
        self._heard_at = 0.0
        self._watchdog = QTimer(self, interval=ping_ms)
        self._watchdog.timeout.connect(self._watch)

    @property
    def log(self) -> str:
        """The path of the engine's log."""
        return str(self.process.log)

    def start(self) -> None:
        """Starts the engine, counting restarts anew."""
        self._given_up, self._restarts = None, 0
        self._launch()

    def restart_with(self, command: list[str]) -> None:
        """Ends the engine and starts another command in its place."""
        self.process.set_command(command)
        self.process.close(1000)
        self._fail_all("The engine was changed.")
        self.start()

    def call(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        done: Done | None = None,
        failed: Failed | None = None,
        event: Happened | None = None,
        caller: QObject | None = None,
    ) -> int:
        """Sends a call and returns its id. Before hello it waits; after giving up it fails, from the event loop. What
        comes back is left aside once `caller` is gone.
        """
        id, self._next_id = self._next_id, self._next_id + 1
        self._calls[id] = _Call(encode(Request(id, method, params or {})), done, failed, event, caller)
        if self._given_up is not None:
            reason = self._given_up
            QTimer.singleShot(0, self, lambda: self._fail(id, _stopped(id, reason)))
        elif self._hello:
            self.process.write(self._calls[id].line)
        else:
            self._waiting.append(id)
        return id

    def cancel(self, id: int) -> None:
        """Asks the engine to end a call; a call that never left simply ends as cancelled."""
        if id in self._waiting:
            self._waiting.remove(id)
            QTimer.singleShot(0, self, lambda: self._fail(id, Failure(id, "user", "cancelled", "Cancelled.")))
        elif id in self._calls:
            self.call("cancel", {"target": id}, failed=lambda _: None)

    def kill(self) -> None:
        """Ends the engine as if it had died."""
        self.process.kill()

    def close(self, milliseconds: int = 3000) -> bool:
        """Cancels what runs, closes the engine's stdin and waits shortly. True if the engine went by itself."""
        self._watchdog.stop()
        for id in list(self._calls):
            self.process.write(encode(Request(self._next_id, "cancel", {"target": id})))
            self._next_id += 1
        self._calls.clear()
        return self.process.close(milliseconds)

    def _launch(self) -> None:
        self._hello = False
        self._started_at = self._heard_at = time.monotonic()
        self.process.start()
        self._watchdog.start()

    def _line(self, line: bytes) -> None:
        self._heard_at = time.monotonic()
        try:
            reply = decode_reply(line)
        except ProtocolError as error:
            self.bug.emit(Failure(None, "bug", "protocol", str(error), {"line": line[:500].decode(errors="replace")}))
            return
        if isinstance(reply, Event):
            self._happened(reply)
        elif isinstance(reply, Result):
            call = self._calls.pop(reply.id, None)
            if call is not None and call.done is not None and call.heard:
                call.done(reply.result)
        elif reply.id is None:
            (self.bug if reply.kind == "bug" else self.user_error).emit(reply)
        else:
            self._fail(reply.id, reply)

    def _happened(self, event: Event) -> None:
        if event.event == "hello":
            self._greeted(event.data)
        elif event.id is None:
            self.announced.emit(event)
        elif (call := self._calls.get(event.id)) is not None and call.event is not None and call.heard:
            call.event(event)

    def _greeted(self, hello: dict[str, Any]) -> None:
        if hello.get("protocol") != PROTOCOL_VERSION:
            self._give_up(
                f"It speaks version {hello.get('protocol')} of the protocol, the window version {PROTOCOL_VERSION}."
            )
            return
        self._hello = True
        waiting, self._waiting = self._waiting, []
        self.ready.emit(hello)
        for id in waiting:
            self.process.write(self._calls[id].line)

    def _fail(self, id: int, failure: Failure) -> None:
        call = self._calls.pop(id, None)
        if call is None:
            return
        if failure.kind == "bug":
            self.bug.emit(failure)
        if not call.heard:
            return
        if call.failed is not None:
            call.failed(failure)
        elif failure.kind == "user":
            self.user_error.emit(failure)

    def _died(self, reason: str) -> None:
        self._watchdog.stop()
        sent = [id for id in self._calls if id not in self._waiting]
        self._hello = False
        if time.monotonic() - self._started_at > HEALTHY_SECONDS:
            self._restarts = 0
        if self._restarts >= RESTARTS:
            self._give_up(reason)
            return
        self._restarts += 1
        for id in sent:
            self._fail(id, _stopped(id, reason))
        self.restarting.emit(self._restarts)
        self._launch()

    def _give_up(self, reason: str) -> None:
        self._given_up = reason
        self._watchdog.stop()
        self.process.close(200)
        self._fail_all(reason)
        self.gave_up.emit(reason)

    def _fail_all(self, reason: str) -> None:
        self._waiting = []
        for id in list(self._calls):
            self._fail(id, _stopped(id, reason))

    def _watch(self) -> None:
        if (time.monotonic() - self._heard_at) * 1000 > self._patience:
            self.process.kill()
        elif self._hello:
            self.call("ping", failed=lambda _: None)


def _stopped(id: int, reason: str) -> Failure:
    return Failure(id, "user", ENGINE_STOPPED, "The reading engine stopped.", {"reason": reason})
