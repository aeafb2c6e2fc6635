"""One of a few values, side by side in a frame. Knows their labels; not what they mean."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QHBoxLayout, QPushButton


class Segments(QFrame):
    """`labels` by value, `name` what is chosen; `chosen(value)` when the person presses one."""

    chosen = Signal(str)

    def __init__(self, name: str, labels: Mapping[str, str], value: str) -> None:
        super().__init__()
        self._values = list(labels)
        self._group = QButtonGroup(self)
        row = segment_row(self)
        for place, (each, text) in enumerate(labels.items()):
            button = _Segment(text)
            button.setAccessibleName(f"{name}: {text}")
            button.clicked.connect(lambda _=False, each=each: self.chosen.emit(each))
            self._group.addButton(button, place)
            row.addWidget(button)
        self.choose(value)

    def choose(self, value: str) -> None:
        """Shows a value as chosen; one that is not offered leaves none."""
        if value in self._values:
            self._group.button(self._values.index(value)).setChecked(True)

    def value(self) -> str:
        """The value chosen, empty for none."""
        place = self._group.checkedId()
        return self._values[place] if place >= 0 else ""

    def buttons(self) -> list[QAbstractButton]:
        """The buttons, from the left."""
        return self._group.buttons()


class _Segment(QPushButton):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setProperty("role", "segment")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)
        self.setCheckable(True)

    def sizeHint(self) -> QSize:
        """Room for the bold text of the chosen one, whichever that is: the row keeps its width."""
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        wider = QFontMetrics(font).horizontalAdvance(self.text()) - self.fontMetrics().horizontalAdvance(self.text())
        return super().sizeHint() + QSize(max(0, wider), 0)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


def segment_row(frame: QFrame) -> QHBoxLayout:
    """Lays out a frame for buttons of the role "segment"."""
    frame.setProperty("role", "segments")
    row = QHBoxLayout(frame)
    row.setContentsMargins(2, 2, 2, 2)
    row.setSpacing(2)
    return row
