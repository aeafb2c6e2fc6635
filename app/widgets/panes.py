"""Three panes: the sides fold away and keep their widths, and the right one floats where room is short."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QWidget

from app.settings import Settings

ROOM_FOR_THREE = 1100
LEFT_RANGE, RIGHT_RANGE = (220, 420), (260, 480)


class Panes(QWidget):
    """Left, middle and right. Below 1,100 px the right one is shown only on demand, over the middle."""

    changed = Signal()

    def __init__(self, left: QWidget, middle: QWidget, right: QWidget, settings: Settings) -> None:
        super().__init__()
        self._left, self._middle, self._right = left, middle, right
        self._settings = settings
        self._floating = False
        self._right_wanted = settings.flag("window/documents_shown")
        left.setMinimumWidth(LEFT_RANGE[0])
        left.setMaximumWidth(LEFT_RANGE[1])
        right.setMinimumWidth(RIGHT_RANGE[0])
        right.setMaximumWidth(RIGHT_RANGE[1])
        left.setVisible(settings.flag("window/list_shown"))
        right.setVisible(self._right_wanted)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        for pane in (left, middle, right):
            self._splitter.addWidget(pane)
        self._splitter.setStretchFactor(1, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._splitter)
        self._apply_widths()

    @property
    def floating(self) -> bool:
        """Whether the right pane lies over the middle instead of beside it."""
        return self._floating

    def left_shown(self) -> bool:
        return not self._left.isHidden()

    def right_shown(self) -> bool:
        return not self._right.isHidden()

    def toggle_left(self) -> None:
        """Folds the conversations away or brings them back."""
        self._left.setVisible(self._left.isHidden())
        self.changed.emit()

    def toggle_right(self) -> None:
        """Folds the documents away or brings them back."""
        self._right.setVisible(self._right.isHidden())
        if not self._floating:
            self._right_wanted = self.right_shown()
        self._place_floating()
        self.changed.emit()

    def save(self) -> None:
        """Remembers widths and what is folded."""
        sizes = self._splitter.sizes()
        self._settings.set("window/list_shown", self.left_shown())
        self._settings.set("window/documents_shown", self._right_wanted)
        if self.left_shown():
            self._settings.set("window/list_width", sizes[0])
        if self.right_shown() and not self._floating:
            self._settings.set("window/documents_width", sizes[2])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_floating(self.width() < ROOM_FOR_THREE)
        self._place_floating()

    def _apply_widths(self) -> None:
        left = self._settings.number("window/list_width")
        right = self._settings.number("window/documents_width")
        self._splitter.setSizes([left, 10_000, right])

    def _set_floating(self, floating: bool) -> None:
        if floating == self._floating:
            return
        self._floating = floating
        if floating:
            self._right.setParent(self)
            self._right.hide()
        else:
            self._splitter.addWidget(self._right)
            self._right.setVisible(self._right_wanted)
            self._apply_widths()
        self.changed.emit()

    def _place_floating(self) -> None:
        if self._floating and self.right_shown():
            width = self._settings.number("window/documents_width")
            self._right.setGeometry(self.width() - width, 0, width, self.height())
            self._right.raise_()
