"""The exact text that was read of a document, a page at a time, with what became of the page.

One page is laid out at once, so that a document of thousands opens as quickly as a letter.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QKeySequence, QShortcut, QTextOption
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.engine_client import EngineClient
from app.records import Document
from app.theme import Theme
from app.widgets.buttons import IconButton, push_button
from app.widgets.labels import ElidedLabel, label
from app.words import number
from engine.protocol import Failure


class DocumentDialog(QDialog):
    """Asks the engine for the text and shows it from `page` on."""

    def __init__(
        self, client: EngineClient, document: Document, theme: Theme, parent: QWidget | None = None, page: int = 1
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(document.name)
        self.resize(720, 640)
        self._first = page
        self._pages: list[dict[str, Any]] = []
        self._place = 0
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setAccessibleName(f"Text of {document.name}")
        self._text.setFrameShape(QFrame.Shape.NoFrame)
        self._text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._text.document().setDocumentMargin(theme.px(16))
        self._where = label("Opening the text", "secondary")
        self._outcome = label("", "warning", wrap=True)
        self._outcome.hide()
        self.back = IconButton(theme, "chevron-left", "Previous page", hint="Ctrl+PgUp")
        self.back.clicked.connect(lambda: self._go(-1))
        self.on = IconButton(theme, "chevron-right", "Next page", hint="Ctrl+PgDown")
        self.on.clicked.connect(lambda: self._go(1))
        QShortcut(QKeySequence("Ctrl+PgUp"), self, self.back.click)
        QShortcut(QKeySequence("Ctrl+PgDown"), self, self.on.click)
        self._lay_out(document.name)
        self._show()
        client.call("document_text", {"document": document.id}, done=self._loaded, failed=self._refuse)

    def text(self) -> str:
        """The text of the page shown."""
        return self._text.toPlainText()

    def page_shown(self) -> int:
        """The number of the page shown, 0 before there is text."""
        return int(self._pages[self._place]["page"]) if self._pages else 0

    def _lay_out(self, name: str) -> None:
        close = push_button("Close")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.setSpacing(4)
        for widget in (self.back, self._where, self.on):
            foot.addWidget(widget)
        foot.addStretch()
        foot.addWidget(close)
        frame = QFrame()
        frame.setProperty("role", "card")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self._text)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 16, 24, 16)
        column.setSpacing(8)
        column.addWidget(ElidedLabel(name, "section"))
        column.addWidget(label("This is exactly what Keepsake read.", "secondary"))
        column.addWidget(frame, 1)
        column.addWidget(self._outcome)
        column.addLayout(foot)

    def _loaded(self, result: dict[str, Any]) -> None:
        self._pages = result["pages"]
        numbers = [page["page"] for page in self._pages]
        self._place = numbers.index(self._first) if self._first in numbers else 0
        self._where.setText("There are no pages.")
        self._show()

    def _go(self, step: int) -> None:
        self._place += step
        self._show()

    def _show(self) -> None:
        self.back.setEnabled(self._place > 0)
        self.on.setEnabled(self._place < len(self._pages) - 1)
        if not self._pages:
            return
        page = self._pages[self._place]
        self._text.setPlainText((page["text"] or "").strip())
        self._where.setText(f"Page {number(page['page'])} of {number(self._pages[-1]['page'])}")
        self._outcome.setText(_outcome(page))
        self._outcome.setVisible(bool(self._outcome.text()))

    def _refuse(self, failure: Failure) -> None:
        self._where.setText(failure.message)


def _outcome(page: dict[str, Any]) -> str:
    if page.get("outcome") == "read":
        return ""
    return str(page.get("message") or f"This page was left out: {page.get('reason') or 'it holds no text'}.")
