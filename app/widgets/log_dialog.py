"""The end of a log, to be read and copied. Knows nothing of what wrote it."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from app.widgets.text_dialog import TextDialog


class LogDialog(TextDialog):
    """Shows the text from its end, and where the whole lies."""

    def __init__(self, title: str, text: str, path: str, parent: QWidget | None = None) -> None:
        super().__init__(title, path, text or "Nothing was written.", "Log", parent=parent)
        self.text.moveCursor(QTextCursor.MoveOperation.End)
