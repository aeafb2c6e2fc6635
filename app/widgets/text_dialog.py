"""A long text to be read and copied, a heading and a sentence above it. Knows nothing of its origin."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.widgets.buttons import push_button
from app.widgets.labels import label


class TextDialog(QDialog):
    """`named` is what a screen reader calls the text, `copies` what the button that copies it says."""

    def __init__(
        self, heading: str, about: str, text: str, named: str, copies: str = "Copy", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(heading)
        self.resize(640, 440)
        self.text = QPlainTextEdit(text)
        self.text.setReadOnly(True)
        self.text.setProperty("role", "code-text")
        self.text.setAccessibleName(named)
        frame = QFrame()
        frame.setProperty("role", "code")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(8, 8, 8, 8)
        inside.addWidget(self.text)
        copy = push_button(copies)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        close = push_button("Close", "primary")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch()
        foot.addWidget(copy)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(heading, "section"))
        column.addWidget(label(about, "secondary", wrap=True))
        column.addWidget(frame, 1)
        column.addLayout(foot)
