"""Something most people never need, folded behind its name."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.icons import icon
from app.theme import Theme
from app.widgets.buttons import push_button


class Disclosure(QWidget):
    """`toggled` when it has been folded or unfolded."""

    toggled = Signal()

    def __init__(self, theme: Theme, name: str, body: QWidget) -> None:
        super().__init__()
        self._theme = theme
        self._name = name
        self.body = body
        self.button = push_button(name, "fold")
        self.button.setIconSize(QSize(16, 16))
        self.button.clicked.connect(self.toggle)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(body)
        body.hide()
        theme.changed.connect(self._show_state)
        self._show_state()

    def toggle(self) -> None:
        """Folds or unfolds it."""
        self.body.setVisible(self.body.isHidden())
        self._show_state()
        self._column.activate()
        self.toggled.emit()

    def _show_state(self) -> None:
        folded = self.body.isHidden()
        self.button.setIcon(icon("chevron-right" if folded else "chevron-down", self._theme.colours.secondary))
        self.button.setAccessibleName(f"{self._name}, {'folded' if folded else 'unfolded'}")
