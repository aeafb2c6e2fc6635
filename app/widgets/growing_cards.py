"""A column of documents' cards, made a few at a time and no more than are asked for, however many files there are."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.records import Document
from app.widgets.buttons import push_button
from app.widgets.document_card import DocumentCard
from app.words import count

STEP = 100
AT_ONCE = 2


class GrowingCards(QWidget):
    """make: a card for a document. `more(place)` asks for the files from there on."""

    more = Signal(int)

    def __init__(self, make: Callable[[Document], DocumentCard]) -> None:
        super().__init__()
        self._make = make
        self._documents: list[Document] = []
        self._files, self._shown, self._wanted = 0, 0, STEP
        self.more_button = push_button("", "quiet")
        self.more_button.clicked.connect(lambda: self.more.emit(self._shown))
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(8)
        self.column.addWidget(self.more_button)
        self._growing = QTimer(self, interval=0)
        self._growing.timeout.connect(self._grow)
        self.set_files(0)

    @property
    def wants_files(self) -> bool:
        """Whether there are cards to be made."""
        return self._shown < min(self._wanted, self._files)

    def set_files(self, files: int) -> None:
        """How many there are, known or not."""
        self._files = files
        self._show_more()

    def set_documents(self, documents: list[Document]) -> None:
        """Those that are known, in order, the first of all among them: cards of these follow, some at once."""
        self._documents = documents
        self._grow()
        self._growing.start()

    def show_up_to(self, files: int) -> None:
        """The first so many are to be shown."""
        self._wanted = files

    def _grow(self) -> None:
        """Makes some cards and leaves the window time to do other things."""
        upcoming = self._documents[self._shown : min(self._wanted, self._shown + AT_ONCE)]
        for document in upcoming:
            self.column.insertWidget(self._shown, self._make(document))
            self._shown += 1
        if not upcoming:
            self._growing.stop()
        self._show_more()

    def _show_more(self) -> None:
        left = self._files - self._shown
        self.more_button.setText(f"Show {count(min(STEP, left), 'more file')}")
        self.more_button.setVisible(left > 0 and not self.wants_files)
