"""A document's card: icon by kind, name, pages, state, and what to do when something is wrong."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout

from app.document_words import advice, is_trouble, name_shown, state
from app.icons import SIZE, pixmap
from app.records import Document, Memory
from app.theme import Theme
from app.widgets.buttons import IconButton, presses
from app.widgets.labels import ElidedLabel, label, paint_as

ICONS = {
    "pdf": "file-pdf",
    "text": "file-text",
    "markdown": "file-markdown",
    "docx": "file-word",
    "odt": "file-word",
    "rtf": "file-word",
    "xlsx": "file-sheet",
    "ods": "file-sheet",
    "csv": "file-sheet",
    "pptx": "file-slides",
    "odp": "file-slides",
    "epub": "file-book",
    "email": "file-mail",
    "html": "file-web",
    "picture": "file-picture",
    "archive": "file-archive",
}


class DocumentCard(QFrame):
    """Opens the document's text on click or Enter; `pause` and `resume` ask for the reading to stop or go on."""

    opened = Signal(str)
    pause = Signal()
    resume = Signal()

    def __init__(self, theme: Theme, document: Document, memory: Memory | None) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleDescription("Enter shows its text")
        self._theme = theme
        self._document = document
        self._memory = memory
        self._busy = True
        self._icon = QLabel()
        self._icon.setFixedSize(QSize(SIZE, SIZE))
        self._name = ElidedLabel(name_shown(document))
        self._state = label("", "secondary", wrap=True)
        self._advice = label("", "secondary", wrap=True)
        self._bar = QProgressBar(textVisible=False)
        self._button = IconButton(theme, "pause", "Pause reading")
        self._button.clicked.connect(self._pause_or_resume)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._icon)
        head.addWidget(self._name, 1)
        head.addWidget(self._button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(4)
        column.addLayout(head)
        for widget in (self._state, self._bar, self._advice):
            column.addWidget(widget)
        theme.changed.connect(self._refresh)
        self._refresh()

    def set_document(self, document: Document, memory: Memory | None, busy: bool) -> None:
        """Shows another state of the document. busy: its turn comes by itself if it waits."""
        if (document, memory, busy) != (self._document, self._memory, self._busy):
            self._document, self._memory, self._busy = document, memory, busy
            self._refresh()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.opened.emit(self._document.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if presses(self, event):
            self.opened.emit(self._document.id)
        else:
            super().keyPressEvent(event)

    def _pause_or_resume(self) -> None:
        if self._document.outcome == "reading" or self._document.doing:
            self.pause.emit()
        else:
            self.resume.emit()

    def _refresh(self) -> None:
        document = self._document
        trouble = is_trouble(document)
        self._show_icon("warning" if trouble else ICONS.get(document.kind, "file"), trouble)
        self._state.setText(state(document, self._memory))
        paint_as(self._state, "warning" if trouble else "secondary")
        self._advice.setText(advice(document))
        self._advice.setVisible(bool(self._advice.text()))
        under_way = document.outcome in ("reading", "paused")
        done, whole = how_far(document)
        self._bar.setVisible(done > 0)
        self._bar.setRange(0, whole)
        self._bar.setValue(done)
        left = document.outcome == "waiting" and not self._busy
        self._button.setVisible(under_way or left or bool(document.doing))
        if document.outcome == "reading" or document.doing:
            self._button.set_picture("pause", "Pause reading")
        elif left:
            self._button.set_picture("play", "Read it now")
        else:
            self._button.set_picture("play", "Go on reading")
        self.setAccessibleName(f"{document.name}. {self._state.text()} {self._advice.text()}".strip())

    def _show_icon(self, name: str, trouble: bool) -> None:
        colours = self._theme.colours
        colour = colours.warning if trouble else colours.secondary
        self._icon.setPixmap(pixmap(name, colour, SIZE, self.devicePixelRatioF()))


def how_far(document: Document) -> tuple[int, int]:
    """What is done and of how much: pages while its text is taken out, tokens while the model reads; else 0 of 1."""
    if document.doing:
        return max(0, (document.page or 1) - 1), document.pages or 1
    if document.outcome in ("reading", "paused") and document.tokens:
        return document.tokens_read, document.tokens
    return 0, 1
