"""Buttons made of one of our icons. Know the theme; not what they do."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton, QWidget

from app.icons import SIZE, icon
from app.theme import Theme


class IconButton(QToolButton):
    """A flat button of 28 px. `name` is what a screen reader says and the tooltip shows."""

    def __init__(self, theme: Theme, picture: str, name: str, parent: QWidget | None = None, hint: str = "") -> None:
        super().__init__(parent)
        self._theme = theme
        self._picture = picture
        self._colour = "secondary"
        self._quiet = False
        self.setAccessibleName(name)
        self.setToolTip(f"{name} ({hint})" if hint else name)
        self.setIconSize(QSize(SIZE, SIZE))
        self.setFixedSize(28, 28)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self._recolour)
        self._recolour()

    def set_picture(self, picture: str, name: str) -> None:
        """Another icon with another meaning."""
        self._picture = picture
        self.setAccessibleName(name)
        self.setToolTip(name)
        self._recolour()

    def set_colour(self, role: str) -> None:
        """The colour's role in the theme's table."""
        self._colour = role
        self._recolour()

    def set_quiet(self, quiet: bool) -> None:
        """A quiet button is there for the keyboard and shows itself only while it has the focus."""
        self._quiet = quiet
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._quiet or self.hasFocus():
            super().paintEvent(event)

    def _recolour(self) -> None:
        colours = vars(self._theme.colours)
        disabled = "line" if self._colour == "secondary" else "secondary"
        self.setIcon(icon(self._picture, colours[self._colour], colours[disabled]))


def presses(card: QWidget, event: QKeyEvent) -> bool:
    """Whether a key presses a card that is a button as a whole, and not one of the buttons in it."""
    focus = QApplication.focusWidget()
    inside = focus is not None and focus is not card and card.isAncestorOf(focus)
    return not inside and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


def push_button(text: str, role: str = "", parent: QWidget | None = None) -> QPushButton:
    """A button with words, styled by its role in the style sheet."""
    button = QPushButton(text, parent)
    button.setProperty("role", role)
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.setAutoDefault(False)
    return button
