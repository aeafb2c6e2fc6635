"""A fault of ours: what went wrong, in a form that can be copied into a report."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.widgets.buttons import push_button
from app.widgets.labels import label
from engine.protocol import Failure


class ReportDialog(QDialog):
    """Shows a failure of kind "bug" with its details."""

    def __init__(self, failure: Failure, log: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Something went wrong")
        self.resize(600, 400)
        self.details = QPlainTextEdit(_details(failure, log))
        self.details.setReadOnly(True)
        self.details.setProperty("role", "code-text")
        self.details.setAccessibleName("Details")
        frame = QFrame()
        frame.setProperty("role", "code")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(8, 8, 8, 8)
        inside.addWidget(self.details)
        copy = push_button("Copy details")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.details.toPlainText()))
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
        column.addWidget(label("Keepsake ran into a fault of its own.", "section"))
        column.addWidget(
            label("What you wrote is stored. If it happens again, these details help to mend it.", "secondary", True)
        )
        column.addWidget(frame, 1)
        column.addLayout(foot)


def _details(failure: Failure, log: str) -> str:
    extra = "\n".join(f"{name}: {value}" for name, value in failure.details.items() if name != "traceback")
    parts = [f"{failure.code}: {failure.message}", extra, str(failure.details.get("traceback", "")), f"Log: {log}"]
    return "\n".join(part for part in parts if part)
