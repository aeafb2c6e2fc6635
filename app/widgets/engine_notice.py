"""The page-level notice when the engine could not be kept running."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from app.widgets.buttons import push_button
from app.widgets.labels import label


class EngineNotice(QFrame):
    """Says what happened, where the log is, and offers to try again."""

    again = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "note")
        self._log = ""
        self._reason = label("", "secondary", wrap=True)
        self._reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.again_button = push_button("Try again")
        self.again_button.clicked.connect(self.again)
        open_log = push_button("Open the log", "quiet")
        open_log.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(self._log)))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.again_button)
        row.addWidget(open_log)
        row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        column.addWidget(label("The part of Keepsake that reads and answers has stopped.", "section", wrap=True))
        column.addWidget(self._reason)
        column.addLayout(row)
        self.hide()

    def text(self) -> str:
        """The sentences shown."""
        return self._reason.text()

    def tell(self, reason: str, log: str) -> None:
        """Shows itself with the reason and the log's path."""
        self._log = log
        self._reason.setText(f"Your conversations and documents are safe. {reason} The log is at {log}.")
        self.show()
