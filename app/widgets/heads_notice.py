"""Above the memory meter: that the model in use has no retaining heads, and what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from app.records import Heads
from app.theme import Theme
from app.training_words import KEYDIFF, NO_HEADS, without_heads
from app.widgets.buttons import IconButton, push_button
from app.widgets.labels import label


class HeadsNotice(QFrame):
    """`train` and `use_keydiff` are the two things to do; it can be put away until another model is in use."""

    train = Signal()
    use_keydiff = Signal()
    put_away = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "note")
        self._away: str | None = None
        self._heads: Heads | None = None
        self._meaning = label("", "secondary", wrap=True)
        self.train_button = push_button("Train heads\u2026")
        self.train_button.clicked.connect(self.train)
        self.keydiff_button = push_button("Use without heads")
        self.keydiff_button.setAccessibleDescription(KEYDIFF)
        self.keydiff_button.clicked.connect(self.use_keydiff)
        self.close_button = IconButton(theme, "close", "Close this notice")
        self.close_button.clicked.connect(self._put_away)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(label(NO_HEADS, "section", wrap=True), 1)
        head.addWidget(self.close_button)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.keydiff_button)
        row.addWidget(self.train_button)
        row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 12, 12)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._meaning)
        column.addSpacing(4)
        column.addLayout(row)
        self.hide()

    def set_heads(self, heads: Heads | None, training: bool) -> None:
        """Shows itself for a model without heads, unless they are being trained."""
        self._heads = heads
        wanted = heads is not None and heads.missing and not training and heads.model != self._away
        if heads is not None and wanted:
            self._meaning.setText(without_heads(heads))
            self.train_button.setVisible(heads.trainable)
            self.setAccessibleName(f"{NO_HEADS} {self._meaning.text()}")
        self.setVisible(wanted)

    def text(self) -> str:
        """The sentences shown."""
        return "" if self.isHidden() else self.accessibleName()

    def _put_away(self) -> None:
        self._away = self._heads.model if self._heads else None
        self.hide()
        self.put_away.emit()
