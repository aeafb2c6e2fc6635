"""A small curve of figures, newest at the right. Knows the theme; not what the figures mean."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.theme import Theme

MARGIN = 2.0
FEWEST = 3


class Sparkline(QWidget):
    """Hidden until there are figures enough for a curve."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._figures: list[float] = []
        self.setAccessibleName(name)
        self.setFixedSize(72, 16)
        theme.changed.connect(self.update)
        self.hide()

    def show_figures(self, figures: Sequence[float]) -> None:
        """The figures to draw, oldest first."""
        self._figures = list(figures)
        self.setVisible(len(self._figures) >= FEWEST)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        least, most = min(self._figures), max(self._figures)
        wide, high = self.width() - 2 * MARGIN, self.height() - 2 * MARGIN
        across = wide / (len(self._figures) - 1)
        down = high / (most - least) if most > least else 0
        points = [QPointF(MARGIN + i * across, MARGIN + (most - f) * down) for i, f in enumerate(self._figures)]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.colours.accent), 1.5))
        painter.drawPolyline(QPolygonF(points))
