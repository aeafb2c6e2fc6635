"""The arrows between the versions of a question or an answer: "1 of 2". Know the theme; nothing of messages."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.theme import Theme
from app.widgets.buttons import IconButton
from app.widgets.labels import label


class Branches(QWidget):
    """Hidden where there is only one; `earlier` and `later` name the arrows for screen readers."""

    step = Signal(int)

    def __init__(self, theme: Theme, earlier: str, later: str) -> None:
        super().__init__()
        self._back = IconButton(theme, "chevron-left", earlier)
        self._on = IconButton(theme, "chevron-right", later)
        self._back.clicked.connect(lambda: self.step.emit(-1))
        self._on.clicked.connect(lambda: self.step.emit(1))
        self._place = label("", "secondary")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for widget in (self._back, self._place, self._on):
            row.addWidget(widget)
        self.hide()

    def text(self) -> str:
        """The place shown: "1 of 2"."""
        return self._place.text()

    def set(self, place: int, total: int) -> None:
        """Which of how many is shown, from 1."""
        self._place.setText(f"{place} of {total}")
        self._back.setEnabled(place > 1)
        self._on.setEnabled(place < total)
        self.setVisible(total > 1)
