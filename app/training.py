"""Retaining heads of the model in use, and the training of new ones: what is known, and what the person does about it.

Knows the engine's methods; nothing of widgets, which listen to its signals. While a run is on, it asks how far it is.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.engine_client import EngineClient
from app.records import Estimate, Heads, Texts, TrainingRun
from engine.protocol import Event, Failure

LOOK_MS = 2000
WITHOUT_HEADS = "keydiff"


class Training(QObject):
    """`changed` when heads or run are others than before, `refused(sentence)` says why something was not done.
    `tried(step, steps)` while a trial runs, then `estimated(Estimate)`; `started` once a training is; in place of
    either `untried(sentence)`, empty when it was stopped. `texts_known(Texts)` and `log_read(text, path)` answer what
    was asked."""

    changed = Signal()
    refused = Signal(str)
    tried = Signal(int, int)
    estimated = Signal(object)
    untried = Signal(str)
    started = Signal()
    texts_known = Signal(object)
    log_read = Signal(str, str)

    def __init__(self, client: EngineClient) -> None:
        super().__init__()
        self._client = client
        self.heads: Heads | None = None
        self.run: TrainingRun | None = None
        self._trial: int | None = None
        self._timer = QTimer(self, interval=LOOK_MS, singleShot=True)
        self._timer.timeout.connect(self._look)
        client.ready.connect(lambda _: self._begin())
        client.announced.connect(self._announced)

    def use_policy(self, policy: str) -> None:
        """Has what is kept chosen in another way from the next reading on."""
        self._client.call("settings_set", {"changes": {"policy": policy}}, failed=self._refuse)

    def ask_for_texts(self) -> None:
        """Asks how much text there is to train on."""
        self._client.call("training_texts", done=lambda told: self.texts_known.emit(Texts.of(told)))

    def estimate(self, texts: dict[str, str]) -> None:
        """Tries a few steps to learn what the whole would take."""
        self.stop_estimate()
        self._trial = self._client.call(
            "training_trial",
            texts,
            done=lambda told: self._tried(Estimate.of(told)),
            failed=self._not_tried,
            event=lambda event: self.tried.emit(event.data["step"], event.data["steps"]),
        )

    def stop_estimate(self) -> None:
        """Ends a trial that is under way."""
        if self._trial is not None:
            self._client.cancel(self._trial)

    def start(self, texts: dict[str, str], steps: int) -> None:
        """Starts training in a process of its own."""

        def done(told: dict[str, Any]) -> None:
            self._put(told)
            self.started.emit()

        self._client.call("training_start", {**texts, "steps": steps}, done=done, failed=self._not_tried)

    def pause(self) -> None:
        self._do("training_pause")

    def resume(self) -> None:
        self._do("training_resume")

    def discard(self) -> None:
        """Forgets the run. Heads that it has written stay."""
        self._do("training_discard")

    def read_log(self) -> None:
        """Asks for the end of what the run has printed."""
        self._client.call(
            "training_log", done=lambda told: self.log_read.emit(told["text"], told["path"]), failed=self._refuse
        )

    def _do(self, method: str) -> None:
        self._client.call(method, done=self._put, failed=self._refuse)

    def _begin(self) -> None:
        self._look()
        self._find_heads()

    def _announced(self, event: Event) -> None:
        if event.event == "settings":
            self._begin()

    def _look(self) -> None:
        self._client.call("training_status", done=self._put, failed=lambda _: self._look_again())

    def _look_again(self) -> None:
        """What is known of a run at work is out of date until it is asked for once more."""
        if self.run is not None and self.run.at_work:
            self._timer.start()

    def _find_heads(self) -> None:
        self._client.call("heads_find", done=lambda told: self._know(Heads.of(told)), failed=lambda _: self._know(None))

    def _know(self, heads: Heads | None) -> None:
        if heads != self.heads:
            self.heads = heads
            self.changed.emit()

    def _put(self, told: dict[str, Any]) -> None:
        run = TrainingRun.of(told["run"]) if told.get("run") else None
        before, self.run = self.run, run
        self._look_again()
        if run == before:
            return
        self.changed.emit()
        if run is not None and run.state == "done" and (before is None or before.state != "done"):
            self._find_heads()

    def _tried(self, estimate: Estimate) -> None:
        self._trial = None
        self.estimated.emit(estimate)

    def _not_tried(self, failure: Failure) -> None:
        self._trial = None
        self.untried.emit("" if failure.code == "cancelled" else failure.message)

    def _refuse(self, failure: Failure) -> None:
        if failure.kind == "user":
            self.refused.emit(failure.message)
