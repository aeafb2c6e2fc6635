"""Above the documents: what becomes of a drop until its documents are known, and a way to stop that."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from app.widgets.buttons import push_button
from app.widgets.labels import label

LOOKING = "Looking for files"
LATER = "What you dropped comes next, after what is under way now."


class AddingNotice(QFrame):
    """`stop` asks for it to be given up."""

    stop = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "note")
        self._sentence = label(LOOKING, "secondary", wrap=True)
        self.button = push_button("Stop", "quiet")
        self.button.clicked.connect(self.stop)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self._sentence, 1)
        row.addWidget(self.button)
        self.hide()

    def text(self) -> str:
        """The sentence shown, empty while nothing is looked through."""
        return "" if self.isHidden() else self._sentence.text()

    def tell(self, sentence: str) -> None:
        """How far it is."""
        if sentence.startswith((LOOKING, LATER)):
            self._sentence.setText(sentence)
            self.setAccessibleName(sentence)
            self.show()

    def end(self) -> None:
        """Everything was found, or it was given up."""
        self._sentence.setText(LOOKING)
        self.hide()
