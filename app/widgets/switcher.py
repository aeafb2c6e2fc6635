"""Ctrl+K: go to a conversation by typing a piece of its title."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListView, QVBoxLayout, QWidget

from app.records import Conversation
from app.theme import Theme
from app.widgets.conversation_rows import CONVERSATION, UNTITLED, ConversationRows, RowPainter


class Switcher(QDialog):
    """`chosen(id)`, then closes."""

    chosen = Signal(str)

    def __init__(self, conversations: list[Conversation], theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Go to conversation")
        self.setFixedSize(480, 400)
        self._all = conversations
        self.input = QLineEdit()
        self.input.setPlaceholderText("Go to conversation")
        self.input.setAccessibleName("Go to conversation")
        self.input.textChanged.connect(self._narrow)
        self.input.returnPressed.connect(self._choose)
        self._rows = ConversationRows()
        self._view = QListView()
        self._view.setModel(self._rows)
        self._view.setItemDelegate(RowPainter(theme, self._view, selected="hover"))
        self._view.setAccessibleName("Conversations found")
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._view.clicked.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addWidget(self.input)
        column.addWidget(self._view)
        self._narrow("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        row = self._view.currentIndex().row() + step
        if 0 <= row < self._rows.rowCount():
            self._view.setCurrentIndex(self._rows.index(row))

    def _narrow(self, text: str) -> None:
        words = text.casefold().split()
        self._rows.show([c for c in self._all if all(word in (c.title or UNTITLED).casefold() for word in words)])
        if self._rows.rowCount():
            self._view.setCurrentIndex(self._rows.index(0))

    def _choose(self, index: QModelIndex | None = None) -> None:
        index = index or self._view.currentIndex()
        if index.isValid():
            self.chosen.emit(index.data(CONVERSATION).id)
            self.accept()
