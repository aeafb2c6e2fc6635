"""The exact text that was read of a document, page by page, with what became of each page."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.engine_client import EngineClient
from app.records import Document
from app.theme import Theme
from app.widgets.buttons import push_button
from app.widgets.labels import ElidedLabel, label
from app.words import count
from engine.protocol import Failure

OUTCOMES = {"read": ""}


class DocumentDialog(QDialog):
    """Asks the engine for the text and shows it from `page` on."""

    def __init__(
        self, client: EngineClient, document: Document, theme: Theme, parent: QWidget | None = None, page: int = 1
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(document.name)
        self.resize(720, 640)
        self._page = page
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setAccessibleName(f"Text of {document.name}")
        self._text.setFrameShape(QFrame.Shape.NoFrame)
        self._text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._text.document().setDocumentMargin(theme.px(16))
        self._summary = label("Opening the text", "secondary")
        close = push_button("Close")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.addWidget(self._summary, 1)
        foot.addWidget(close)
        frame = QFrame()
        frame.setProperty("role", "card")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self._text)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 16, 24, 16)
        column.setSpacing(12)
        column.addWidget(ElidedLabel(document.name, "section"))
        column.addWidget(label("This is exactly what Keepsake read.", "secondary"))
        column.addWidget(frame, 1)
        column.addLayout(foot)
        client.call("document_text", {"document": document.id}, done=self._show, failed=self._refuse)

    def text(self) -> str:
        """Everything shown."""
        return self._text.toPlainText()

    def page_shown(self) -> int:
        """The page that the view begins with, 0 before there is text."""
        cursor = self._text.textCursor()
        words = cursor.block().text().removeprefix("Page ").split(":")[0]
        return int(words) if words.isdigit() else 0

    def _show(self, result: dict[str, Any]) -> None:
        pages = result["pages"]
        place = 0
        lines: list[str] = []
        for page in pages:
            if page["page"] <= self._page:
                place = sum(len(line) + 1 for line in lines)
            lines.append(f"Page {page['page']}{_outcome(page)}")
            lines.append(f"{page['text'].strip()}\n" if page["text"] else "")
        self._text.setPlainText("\n".join(lines))
        cursor = self._text.textCursor()
        cursor.setPosition(place)
        self._text.setTextCursor(cursor)
        self._text.verticalScrollBar().setValue(cursor.block().firstLineNumber())
        self._summary.setText(count(len(pages), "page"))

    def _refuse(self, failure: Failure) -> None:
        self._summary.setText(failure.message)


def _outcome(page: dict[str, Any]) -> str:
    return "" if page.get("outcome") == "read" else f": {page.get('message') or page.get('reason') or 'left out'}"
