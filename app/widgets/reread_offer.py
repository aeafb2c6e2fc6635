"""Under an answer: what reading its documents again would take, then that it begins, or why it is not done.

Shows sentences and says what was decided; knows neither costs nor the engine.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from app.widgets.buttons import push_button
from app.widgets.labels import label


class RereadOffer(QFrame):
    """`accepted` starts the reading, `left` closes the panel. `waiting` while the reading has been asked for."""

    accepted = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "note")
        self.waiting = False
        self._sentence = label("", wrap=True)
        self.start_button = push_button("Read again", "primary")
        self.start_button.clicked.connect(self.accepted)
        self.leave_button = push_button("Cancel")
        self.leave_button.clicked.connect(self.left)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.start_button)
        row.addWidget(self.leave_button)
        row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(12)
        column.addWidget(self._sentence)
        column.addLayout(row)

    def text(self) -> str:
        """The sentence shown."""
        return self._sentence.text()

    def ask(self, sentence: str) -> None:
        """Says what it takes and waits for yes or no."""
        self._show(sentence, start=True, leave="Cancel")
        self.start_button.setFocus()

    def wait(self, sentence: str) -> None:
        """Says what happens until the new answer is there; the composer's button stops it."""
        self._show(sentence, waiting=True)

    def refuse(self, sentence: str) -> None:
        """Says why nothing is read again."""
        self._show(sentence, leave="Close")
        self.leave_button.setFocus()

    def _show(self, sentence: str, start: bool = False, leave: str = "", waiting: bool = False) -> None:
        said, self.waiting = self._sentence.text(), waiting
        self._sentence.setText(sentence)
        self.start_button.setVisible(start)
        self.leave_button.setVisible(bool(leave))
        self.leave_button.setText(leave)
        self.setAccessibleName(sentence)
        for button in (self.start_button, self.leave_button):
            button.setAccessibleDescription(sentence)
        self.show()
        if sentence != said:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))
