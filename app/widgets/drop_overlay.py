"""The calm sheet over the window while documents are dragged over it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.theme import Theme


class DropOverlay(QWidget):
    """Covers its parent while shown and lets every event through."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Drop documents here")
        parent.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._cover()
        return super().eventFilter(watched, event)

    def raise_over(self) -> None:
        """Shows itself over everything else of the window."""
        self._cover()
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = self._theme.colours
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sheet = QColor(colours.page)
        sheet.setAlpha(235)
        painter.fillRect(self.rect(), sheet)
        painter.setPen(QPen(QColor(colours.accent), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(self.rect().adjusted(24, 24, -24, -24), 16, 16)
        painter.setPen(QColor(colours.text))
        painter.setFont(self._theme.font(20, self._theme.font().Weight.DemiBold))
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), "Drop to read here")

    def _cover(self) -> None:
        parent = self.parentWidget()
        assert parent is not None
        self.setGeometry(parent.rect())
