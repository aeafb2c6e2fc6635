"""F1: every key and what it does, from the one table of shortcuts."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.shortcuts import SHORTCUTS
from app.widgets.buttons import push_button
from app.widgets.labels import label


class ShortcutsDialog(QDialog):
    """A table of keys."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard")
        grid = QGridLayout()
        grid.setHorizontalSpacing(32)
        grid.setVerticalSpacing(8)
        for row, shortcut in enumerate(SHORTCUTS):
            keys = QKeySequence(shortcut.keys).toString(QKeySequence.SequenceFormat.NativeText)
            grid.addWidget(label(keys, "title"), row, 0)
            grid.addWidget(label(shortcut.does), row, 1)
        close = push_button("Close")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.addStretch()
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(16)
        column.addLayout(grid)
        column.addLayout(foot)
