"""A dropped folder or archive: one card that counts its files, unfolds to the first of them and says what has changed.

However many files it holds, no more cards are made than are asked for, a few at a time.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from app.document_words import TROUBLE
from app.folder_words import changed_files, folder_summary
from app.icons import SIZE, pixmap
from app.records import Document, Folder
from app.theme import Theme
from app.widgets.buttons import presses, push_button
from app.widgets.document_card import DocumentCard
from app.widgets.labels import ElidedLabel, label
from app.words import count

FINISHED = frozenset({"read", "partial"}) | TROUBLE
STEP = 100
AT_ONCE = 2
ARCHIVES = (".zip",)


class FolderCard(QFrame):
    """make: a card for a document. `more` asks for the files from a place on, `refresh` to read what has changed,
    `unfolded` says that it was unfolded or folded."""

    unfolded = Signal()
    more = Signal(str, int)
    refresh = Signal(str)

    def __init__(self, theme: Theme, folder: Folder, make: Callable[[Document], DocumentCard]) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._theme, self._folder, self._make = theme, folder, make
        self._documents: list[Document] = []
        self._shown, self._wanted = 0, STEP
        self._summary = label("", "secondary", wrap=True)
        self._bar = QProgressBar(textVisible=False)
        self._icon, self._arrow = QLabel(), QLabel()
        for picture in (self._icon, self._arrow):
            picture.setFixedSize(QSize(SIZE, SIZE))
        self._changes = label("", "secondary", wrap=True)
        self.refresh_button = push_button("Read the changes", "quiet")
        self.refresh_button.clicked.connect(lambda: self.refresh.emit(self._folder.origin))
        self._files = QWidget()
        self._inside = QVBoxLayout(self._files)
        self._inside.setContentsMargins(0, 4, 0, 0)
        self._inside.setSpacing(8)
        self.more_button = push_button("", "quiet")
        self.more_button.clicked.connect(lambda: self.more.emit(self._folder.origin, self._shown))
        self._inside.addWidget(self.more_button)
        self._files.hide()
        self._head = self._make_head(folder.name)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 12)
        column.setSpacing(4)
        column.addWidget(self._head)
        column.addWidget(self._make_changes())
        column.addWidget(self._files)
        self._growing = QTimer(self, interval=0)
        self._growing.timeout.connect(self._grow)
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
        self._show_more()

    @property
    def wants_files(self) -> bool:
        """Whether there are cards to be made, now that it is unfolded."""
        return self.is_unfolded() and self._shown < min(self._wanted, self._folder.files)

    def set_documents(self, documents: list[Document]) -> None:
        """Those of its files that are known, in order, the first of all among them: cards of these follow."""
        self._documents = documents
        self._growing.start()

    def show_up_to(self, files: int) -> None:
        """The first so many files are known now."""
        self._wanted = files

    def set_changes(self, files: int) -> None:
        """How many of its files are others than when they were read."""
        self._changes.setText(changed_files(files))
        self._change_row.setVisible(files > 0)

    def changes(self) -> str:
        """What is said of changes, empty where there are none."""
        return "" if self._change_row.isHidden() else self._changes.text()

    def is_unfolded(self) -> bool:
        """Whether its files are shown."""
        return not self._files.isHidden()

    def toggle(self) -> None:
        """Unfolds or folds."""
        self._files.setVisible(self._files.isHidden())
        self._draw()
        self._show_more()
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

    def _grow(self) -> None:
        """Makes some cards and leaves the window time to do other things."""
        upcoming = self._documents[self._shown : min(self._wanted, self._shown + AT_ONCE)]
        for document in upcoming:
            self._inside.insertWidget(self._shown, self._make(document))
            self._shown += 1
        if not upcoming:
            self._growing.stop()
        self._show_more()

    def _show_more(self) -> None:
        left = self._folder.files - self._shown
        self.more_button.setText(f"Show {count(min(STEP, left), 'more file')}" if left != 1 else "Show 1 more file")
        self.more_button.setVisible(left > 0 and not self.wants_files)

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
