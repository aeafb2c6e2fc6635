"""The end of a log, to be read and copied. Knows nothing of what wrote it."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.widgets.buttons import push_button
from app.widgets.labels import label


class LogDialog(QDialog):
    """Shows the text from its end, and where the whole lies."""

    def __init__(self, title: str, text: str, path: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(640, 440)
        self.log = QPlainTextEdit(text or "Nothing was written.")
        self.log.setReadOnly(True)
        self.log.setProperty("role", "code-text")
        self.log.setAccessibleName("Log")
        self.log.moveCursor(QTextCursor.MoveOperation.End)
        frame = QFrame()
        frame.setProperty("role", "code")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(8, 8, 8, 8)
        inside.addWidget(self.log)
        copy = push_button("Copy")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.log.toPlainText()))
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
        column.addWidget(label(title, "section"))
        column.addWidget(label(path, "secondary", wrap=True))
        column.addWidget(frame, 1)
        column.addLayout(foot)
