"""A dropped folder: one card that unfolds to the cards of its files."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from app.icons import SIZE, pixmap
from app.records import Document
from app.theme import Theme
from app.widgets.document_card import DocumentCard
from app.widgets.labels import ElidedLabel, label
from app.words import TROUBLE, count, number

FINISHED = frozenset({"read", "partial"}) | TROUBLE


class FolderCard(QFrame):
    """Says how many files it holds and what became of them."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._theme = theme
        self._summary = label("", "secondary", wrap=True)
        self._bar = QProgressBar(textVisible=False)
        self._icon, self._arrow = QLabel(), QLabel()
        for picture in (self._icon, self._arrow):
            picture.setFixedSize(QSize(SIZE, SIZE))
        self._files = QWidget()
        self._inside = QVBoxLayout(self._files)
        self._inside.setContentsMargins(0, 4, 0, 0)
        self._inside.setSpacing(8)
        self._files.hide()
        self._head = self._make_head(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 12)
        column.setSpacing(4)
        column.addWidget(self._head)
        column.addWidget(self._files)
        self._name = name
        theme.changed.connect(self._draw)
        self._draw()

    def add(self, card: DocumentCard) -> None:
        """Puts a file's card inside."""
        self._inside.addWidget(card)

    def set_documents(self, documents: list[Document]) -> None:
        """Sums its files up."""
        finished = sum(document.outcome in FINISHED for document in documents)
        trouble = sum(document.outcome in TROUBLE for document in documents)
        words = [count(len(documents), "file")]
        if finished < len(documents):
            words.append(f"{number(finished)} done")
        words.append(f"{number(trouble)} could not be read" if trouble else "all read" if words[1:] == [] else "")
        self._summary.setText(", ".join(word for word in words if word))
        self._bar.setVisible(finished < len(documents))
        self._bar.setRange(0, len(documents))
        self._bar.setValue(finished)
        self.setAccessibleName(f"Folder {self._name}. {self._summary.text()}")

    def is_unfolded(self) -> bool:
        """Whether its files are shown."""
        return not self._files.isHidden()

    def toggle(self) -> None:
        """Unfolds or folds."""
        self._files.setVisible(self._files.isHidden())
        self._draw()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if self._head.geometry().contains(event.position().toPoint()):
            self.toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.toggle()
        else:
            super().keyPressEvent(event)

    def _make_head(self, name: str) -> QWidget:
        head = QWidget()
        head.setCursor(Qt.CursorShape.PointingHandCursor)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(ElidedLabel(name), 1)
        row.addWidget(self._arrow)
        column = QVBoxLayout(head)
        column.setContentsMargins(4, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self._summary)
        column.addWidget(self._bar)
        return head

    def _draw(self) -> None:
        colour, ratio = self._theme.colours.secondary, self.devicePixelRatioF()
        self._icon.setPixmap(pixmap("folder", colour, SIZE, ratio))
        self._arrow.setPixmap(pixmap("chevron-down" if self.is_unfolded() else "chevron-right", colour, SIZE, ratio))
