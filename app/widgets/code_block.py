"""A code block of an answer: monospace on the pane's colour, scrolled sideways, with a copy button."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout

from app.theme import Theme
from app.widgets.buttons import IconButton
from app.widgets.labels import label


class CodeBlock(QFrame):
    """Grows with its text; text that only grew is appended, so that a long block streams cheaply."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "code")
        self._theme = theme
        self._language = label("", "secondary")
        self._text = _Lines()
        self._text.setAccessibleName("Code")
        copy = IconButton(theme, "copy", "Copy code")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.code()))
        head = QHBoxLayout()
        head.addWidget(self._language)
        head.addStretch()
        head.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 4, 4, 8)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._text)
        theme.changed.connect(self._fit)

    def code(self) -> str:
        """What stands between the fences."""
        return self._text.toPlainText()

    def set_code(self, code: str, language: str) -> None:
        """Shows `code`."""
        self._language.setText(language)
        shown = self.code()
        if code.startswith(shown):
            cursor = QTextCursor(self._text.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(code[len(shown) :])
        else:
            self._text.setPlainText(code)
        self._fit()

    def _fit(self) -> None:
        self._text.setFont(self._theme.code_font())
        self._text.fit()


class _Lines(QPlainTextEdit):
    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "code-text")
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAcceptDrops(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(0)

    def fit(self) -> None:
        lines = max(1, self.blockCount())
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + self.horizontalScrollBar().sizeHint().height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.angleDelta().x():
            super().wheelEvent(event)
        else:
            event.ignore()
