"""A dropped folder or archive: one card that counts its files, unfolds to the first of them and says what has changed.

However many files it holds, no more cards are made than are asked for, a few at a time.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from app.document_words import TROUBLE
from app.folder_words import changed_files, folder_summary
from app.icons import SIZE, pixmap
from app.records import Document, Folder
from app.theme import Theme
from app.widgets.buttons import presses, push_button
from app.widgets.document_card import DocumentCard
from app.widgets.growing_cards import GrowingCards
from app.widgets.labels import ElidedLabel, label

FINISHED = frozenset({"read", "partial"}) | TROUBLE
ARCHIVES = (".zip",)


class FolderCard(QFrame):
    """make: a card for a document. `more` asks for the files from a place on, `refresh` to read what has changed,
    `unfolded` says that it was unfolded or folded."""

    unfolded = Signal()
    more = Signal(object, int)  # of Qt's own texts none holds a name that is no valid Unicode
    refresh = Signal(object)

    def __init__(self, theme: Theme, folder: Folder, make: Callable[[Document], DocumentCard]) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._theme, self._folder = theme, folder
        self._summary = label("", "secondary", wrap=True)
        self._bar = QProgressBar(textVisible=False)
        self._icon, self._arrow = QLabel(), QLabel()
        for picture in (self._icon, self._arrow):
            picture.setFixedSize(QSize(SIZE, SIZE))
        self._changes = label("", "secondary", wrap=True)
        self.refresh_button = push_button("Read them", "quiet")
        self.refresh_button.setAccessibleName(f"Read what has changed in {folder.name}")
        self.refresh_button.clicked.connect(lambda: self.refresh.emit(self._folder.origin))
        self.files = GrowingCards(make)
        self.files.column.setContentsMargins(0, 4, 0, 0)
        self.files.more.connect(lambda place: self.more.emit(self._folder.origin, place))
        self.files.hide()
        self._head = self._make_head(folder.name)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 12)
        column.setSpacing(4)
        column.addWidget(self._head)
        column.addWidget(self._make_changes())
        column.addWidget(self.files)
        theme.changed.connect(self._draw)
        self.set_changes(0)
        self.set_folder(folder)
        self._draw()

    def set_folder(self, folder: Folder) -> None:
        """Sums its files up."""
        self._folder = folder
        files = sum(folder.outcomes.values())
        finished = sum(folder.outcomes.get(outcome, 0) for outcome in FINISHED)
        self._summary.setText(folder_summary(folder))
        self._bar.setVisible(finished < files)
        self._bar.setRange(0, files)
        self._bar.setValue(finished)
        self.setAccessibleName(f"Folder {folder.name}. {self._summary.text()}")
        self.files.set_files(folder.files)

    @property
    def wants_files(self) -> bool:
        """Whether there are cards to be made, now that it is unfolded."""
        return self.is_unfolded() and self.files.wants_files

    def set_changes(self, files: int) -> None:
        """How many of its files are others than when they were read."""
        self._changes.setText(changed_files(files))
        self._change_row.setVisible(files > 0)

    def changes(self) -> str:
        """What is said of changes, empty where there are none."""
        return "" if self._change_row.isHidden() else self._changes.text()

    def is_unfolded(self) -> bool:
        """Whether its files are shown."""
        return not self.files.isHidden()

    def toggle(self) -> None:
        """Unfolds or folds."""
        self.files.setVisible(self.files.isHidden())
        self._draw()
        self.unfolded.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        left = event.button() == Qt.MouseButton.LeftButton
        if left and self._head.geometry().contains(event.position().toPoint()):
            self.toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if presses(self, event):
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

    def _make_changes(self) -> QWidget:
        self._change_row = QWidget()
        row = QHBoxLayout(self._change_row)
        row.setContentsMargins(4, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self._changes, 1)
        row.addWidget(self.refresh_button)
        return self._change_row

    def _draw(self) -> None:
        colour, ratio = self._theme.colours.secondary, self.devicePixelRatioF()
        picture = "file-archive" if self._folder.name.lower().endswith(ARCHIVES) else "folder"
        self._icon.setPixmap(pixmap(picture, colour, SIZE, ratio))
        self._arrow.setPixmap(pixmap("chevron-down" if self.is_unfolded() else "chevron-right", colour, SIZE, ratio))
        self.setAccessibleDescription(f"{'Unfolded' if self.is_unfolded() else 'Folded'}. Enter changes that.")
