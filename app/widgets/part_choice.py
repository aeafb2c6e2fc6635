"""A list of a document's parts that folds out, with our own arrow."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox

from app.icons import SIZE, pixmap
from app.theme import Theme


class PartChoice(QComboBox):
    """`chosen(page)` when the person takes a part. Hidden until it has some."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName("Parts of the document")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(24)
        self.activated.connect(lambda place: self.chosen.emit(int(self.itemData(place))))
        theme.changed.connect(self.update)
        self.hide()

    def set_parts(self, parts: list[tuple[int, str]]) -> None:
        """The page that each begins on, and its name."""
        self.clear()
        for page, name in parts:
            self.addItem(name, page)
        self.setVisible(bool(parts))

    def show_page(self, page: int) -> None:
        """Shows the part that a page is in."""
        begun = sum(self.itemData(place) <= page for place in range(self.count()))
        self.setCurrentIndex(begun - 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        arrow = pixmap("chevron-down", self._theme.colours.secondary, SIZE, self.devicePixelRatioF())
        QPainter(self).drawPixmap(self.width() - SIZE - 6, (self.height() - SIZE) // 2, arrow)
