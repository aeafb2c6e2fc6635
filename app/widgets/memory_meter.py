"""The memory meter above the composer: one amber bar and one sentence, details on click."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from app.memory_words import memory_details, memory_line
from app.records import Memory
from app.theme import Theme
from app.widgets.buttons import push_button
from app.widgets.labels import ElidedLabel, label

STEPS = 1000


class MemoryMeter(QFrame):
    """Hidden until something is read. `settings` asks for the memory's setting."""

    settings = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "meter")
        self._theme = theme
        self._memory = Memory()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._bar = QProgressBar(textVisible=False)
        self._bar.setProperty("role", "kept")
        self._bar.setRange(0, STEPS)
        self._bar.setFixedWidth(120)
        self._bar.setAccessibleName("Memory used")
        self._sentence = ElidedLabel("", "secondary", Qt.TextElideMode.ElideRight)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self._bar)
        row.addWidget(self._sentence, 1)
        self.hide()

    def set_memory(self, memory: Memory | None) -> None:
        """Shows what the cache holds; nothing to show while it is empty."""
        self._memory = memory or Memory()
        self.setVisible(self._memory.tokens_read > 0)
        share = self._memory.units / self._memory.budget if self._memory.budget else 0
        self._bar.setValue(min(STEPS, round(STEPS * share)))
        self._sentence.setText(memory_line(self._memory))
        self.setAccessibleName(f"Memory {memory_line(self._memory)}")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self.show_details()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.show_details()
        else:
            super().keyPressEvent(event)

    def show_details(self) -> None:
        """Opens the details above the meter."""
        popup = _Details(self._memory, self)
        popup.settings.connect(self.settings)
        popup.adjustSize()
        popup.move(self.mapToGlobal(QPoint(0, -popup.height() - 4)))
        popup.show()


class _Details(QFrame):
    settings = Signal()

    def __init__(self, memory: Memory, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Memory details")
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(8)
        for row, (name, value) in enumerate(memory_details(memory)):
            grid.addWidget(label(name, "secondary"), row, 0)
            grid.addWidget(label(value), row, 1)
        change = push_button("Change the size of the memory", "quiet")
        change.clicked.connect(self.close)
        change.clicked.connect(self.settings)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 8)
        column.setSpacing(8)
        column.addLayout(grid)
        column.addWidget(change, 0, Qt.AlignmentFlag.AlignLeft)
