"""A scroll area as tall as what it holds, until the screen ends: a dialog that grows without leaving the screen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

# What a dialog needs above and below: its title bar, its buttons and some of the desktop.
KEPT_FREE = 160


class FittingScroll(QScrollArea):
    """Scrolls up and down only."""

    def __init__(self, held: QWidget) -> None:
        super().__init__()
        self._held = held
        held.setProperty("role", "column")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(held)
        held.installEventFilter(self)

    def refit(self) -> None:
        """Takes the height of what it holds now, not once Qt gets to it."""
        if (layout := self._held.layout()) is not None:
            layout.activate()
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        held = self._held
        least = max(held.minimumWidth(), held.minimumSizeHint().width())
        width = max(self.viewport().width(), least)
        height = held.heightForWidth(width) if held.hasHeightForWidth() else held.sizeHint().height()
        highest = self.screen().availableGeometry().height() - KEPT_FREE
        bar = self.verticalScrollBar().sizeHint().width() if height > highest else 0
        return QSize(least + bar, min(height, highest))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
