"""A person at the real window: `python -m tests.end_to_end.person PLAN REPORT`, the plan a JSON list of steps.

Each step is [what, argument]; the report holds what the person then saw. The program is app.main's own, on whatever
screen and folders the environment names.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app import main as program
from app.records import Document
from app.widgets.message_view import AnswerView, QuestionView
from app.window import Window

PATIENCE_SECONDS = 240.0
Ready = Callable[[], bool]


class Person:
    """Works through the plan, step by step, each time the window is ready for the next."""

    def __init__(self, window: Window, plan: list[list[Any]], report: Path) -> None:
        self.window, self.report_file = window, report
        self.seen: dict[str, Any] = {"began": time.time()}
        self._steps = self._work(plan)
        window.session.document_changed.connect(self._saw)
        self._ready: Ready = lambda: True
        self._deadline = time.monotonic() + PATIENCE_SECONDS
        self._timer = QTimer(window, interval=20)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        if time.monotonic() > self._deadline:
            self.seen["stuck"] = str(self.seen.get("step"))
            self._leave()
        elif self._ready():
            try:
                self._ready = next(self._steps)
            except StopIteration:
                self._leave()

    def _saw(self, document: Document) -> None:
        """Where a reading began or went on."""
        if document.outcome == "reading":
            self.seen.setdefault("first_tokens_read", document.tokens_read)

    def _leave(self) -> None:
        self._timer.stop()
        began = time.monotonic()
        self.window.close()
        self.seen["seconds_to_close"] = time.monotonic() - began
        self.report_file.write_text(json.dumps(self.seen))

    def _work(self, plan: list[list[Any]]) -> Iterator[Ready]:
        session = self.window.session
        yield lambda: bool(self.window.library.conversations) or self.window.client._hello
        for what, argument in plan:
            self.seen["step"] = [what, argument]
            match what:
                case "smallest budget":
                    answers: list[dict[str, Any]] = []
                    self.window.client.call("settings_get", done=answers.append)
                    yield lambda answers=answers: bool(answers)
                    smallest = {"budget_mb": answers[0]["plan"]["minimum_mb"]}
                    self.window.client.call("settings_set", {"changes": smallest}, done=answers.append)
                    yield lambda answers=answers: len(answers) > 1
                case "drop":
                    self._drop(argument)
                    yield lambda: session.reading
                    yield lambda: not session.reading
                case "drop and leave":
                    self._drop(argument)
                    yield lambda: any(d.outcome == "reading" and d.tokens_read for d in session.now.documents.values())
                case "wait for memory":
                    yield lambda: session.now.memory is not None and session.now.memory.units > 0
                case "wait for documents":
                    yield lambda: bool(session.now.documents)
                case "go on reading":
                    session.resume_reading()
                    yield lambda: not session.reading
                case "ask":
                    QTest.keyClicks(self.window.page.composer.input, argument)
                    QTest.keyClick(self.window.page.composer.input, Qt.Key.Key_Return)
                    yield lambda: not session.asking
                case "ask and kill the engine":
                    heard: list[str] = []
                    session.token.connect(lambda _, text, heard=heard: heard.append(text))
                    QTest.keyClicks(self.window.page.composer.input, argument)
                    QTest.keyClick(self.window.page.composer.input, Qt.Key.Key_Return)
                    yield lambda heard=heard: len(heard) > 2
                    self.window.client.kill()
                    yield lambda: not session.asking and self.window.client._hello
                case "picture":
                    self.window.grab().save(argument)
            self._note()

    def _drop(self, paths: list[str]) -> None:
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(path) for path in paths])
        middle = QPointF(self.window.rect().center())
        how = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self.window, QDragEnterEvent(middle.toPoint(), *how))
        self.seen["overlay"] = self.window.overlay.isVisible()
        QApplication.sendEvent(self.window, QDropEvent(middle, *how))

    def _note(self) -> None:
        now = self.window.session.now
        views = [view for _, view in self.window.page.view.messages]
        self.seen.update(
            conversation=now.id,
            documents={d.name: [d.outcome, d.reason, d.pages_read, d.tokens_read] for d in now.documents.values()},
            memory=None if now.memory is None else [now.memory.units, now.memory.tokens_read],
            questions=sum(isinstance(view, QuestionView) for view in views),
            answers=[view.text() for view in views if isinstance(view, AnswerView)],
            stats=[message.stats for message in now.path if message.role == "assistant"],
        )


def main() -> int:
    """Runs the program with a person at it."""
    plan, report = json.loads(sys.argv[1]), Path(sys.argv[2])

    class Attended(Window):
        def start(self) -> None:
            super().start()
            self.person = Person(self, plan, report)

    program.Window = Attended  # type: ignore[misc]
    del sys.argv[1:]
    return program.main()


if __name__ == "__main__":
    sys.exit(main())
