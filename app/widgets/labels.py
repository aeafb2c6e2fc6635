"""Labels by their role in the style sheet, and one that shortens its text in the middle."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

# A word as long as this may be wider than the pane it stands in: file names are words of up to 255 characters.
LONG_WORD = re.compile(r"\S{20,}")
# After signs between its parts and, where there are none, after some letters.
PIECE = re.compile(r"[!-/:-@\[-`{-~]{1,8}|[^!-/:-@\[-`{-~]{16}")
MAY_BREAK = "\u200b"


def label(text: str = "", role: str = "", wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A label of plain text; `wrap` lets it break lines, in the middle of a long word if need be."""
    made = WrappedLabel(parent) if wrap else QLabel(parent)
    made.setText(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("role", role)
    return made


class WrappedLabel(QLabel):
    """Several lines, whatever the words are: else one long name makes everything beside it as wide as itself."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._said = ""
        self.setWordWrap(True)

    def setText(self, text: str) -> None:
        self._said = text
        super().setText(LONG_WORD.sub(lambda word: PIECE.sub(rf"\g<0>{MAY_BREAK}", word[0]), text))

    def text(self) -> str:
        return self._said


def paint_as(shown: QLabel, role: str) -> None:
    """Gives a label another role."""
    if shown.property("role") != role:
        shown.setProperty("role", role)
        shown.style().unpolish(shown)
        shown.style().polish(shown)


def rule() -> QFrame:
    """A line across."""
    line = QFrame()
    line.setProperty("role", "rule")
    line.setFixedHeight(1)
    return line


class ElidedLabel(QLabel):
    """One line that keeps both ends of a long name: "annual re…2024.pdf"."""

    def __init__(self, text: str = "", role: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle) -> None:
        super().__init__()
        self._mode = mode
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self._explain()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._explain()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.setFont(self.font())
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), self._shown())

    def _shown(self) -> str:
        return self.fontMetrics().elidedText(self.text(), self._mode, self.width())

    def _explain(self) -> None:
        self.setToolTip("" if self._shown() == self.text() else self.text())
