"""Where questions are written: several lines, grows with them, Enter sends, Shift+Enter begins a line.

Knows nothing of conversations; says what was sent and asked for.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.theme import Theme
from app.widgets.buttons import IconButton
from app.widgets.labels import label

MOST_LINES = 8
PADDING = 6


class Composer(QFrame):
    """Signals: `sent(text)`, `stop`, `attach`, `edit_last` (Up when empty), `edit_left` (no longer editing)."""

    sent = Signal(str)
    stop = Signal()
    attach = Signal()
    edit_last = Signal()
    edit_left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "composer")
        self._busy = False
        self._theme = theme
        self.input = _Input()
        self.input.setPlaceholderText("Ask about your documents")
        self.input.setAccessibleName("Question")
        self.input.enter.connect(self.send)
        self.input.up_when_empty.connect(self.edit_last)
        self.input.focused.connect(self._frame)
        self.input.textChanged.connect(self._changed)
        self.attach_button = IconButton(theme, "attach", "Add documents", hint="Ctrl+O")
        self.attach_button.setFixedSize(32, 32)
        self.attach_button.clicked.connect(self.attach)
        self.send_button = IconButton(theme, "send", "Send")
        self.send_button.setProperty("role", "send")
        self.send_button.setFixedSize(32, 32)
        self.send_button.set_colour("on_accent")
        self.send_button.clicked.connect(self._send_or_stop)
        self._note = self._make_note(theme)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.attach_button, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.input, 1, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.send_button, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 8)
        column.setSpacing(4)
        column.addWidget(self._note)
        column.addLayout(row)
        theme.changed.connect(self._changed)
        self._changed()

    def send(self) -> None:
        """Sends what is written, unless an answer is on its way or there is nothing."""
        text = self.input.toPlainText().strip()
        if text and not self._busy:
            self.input.clear()
            self.sent.emit(text)

    def put(self, text: str) -> None:
        """Puts text in to be changed and sent."""
        self.input.setPlainText(text)
        self.input.moveCursor(self.input.textCursor().MoveOperation.End)
        self.input.setFocus()

    def set_busy(self, busy: bool) -> None:
        """While an answer is written the button stops it."""
        self._busy = busy
        self.send_button.set_picture("stop" if busy else "send", "Stop" if busy else "Send")
        self._changed()

    def set_editing(self, editing: bool) -> None:
        """Says that the next question replaces an earlier one."""
        self._note.setVisible(editing)

    def _send_or_stop(self) -> None:
        if self._busy:
            self.stop.emit()
        else:
            self.send()

    def _changed(self) -> None:
        self.send_button.setEnabled(self._busy or bool(self.input.toPlainText().strip()))
        self.input.fit()

    def _frame(self, focused: bool) -> None:
        self.setProperty("focused", focused)
        self.style().unpolish(self)
        self.style().polish(self)

    def _make_note(self, theme: Theme) -> QWidget:
        note = QWidget()
        leave = IconButton(theme, "close", "Leave the edit")
        leave.clicked.connect(self.edit_left)
        row = QHBoxLayout(note)
        row.setContentsMargins(4, 0, 0, 0)
        row.addWidget(label("Changing an earlier question. The old one stays on its own branch.", "secondary"))
        row.addStretch()
        row.addWidget(leave)
        note.hide()
        return note


class _Input(QPlainTextEdit):
    enter = Signal()
    up_when_empty = Signal()
    focused = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAcceptDrops(False)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.setViewportMargins(0, PADDING, 0, PADDING)

    def fit(self) -> None:
        """As tall as its lines, up to the most that are shown."""
        line = self.fontMetrics().lineSpacing()
        lines = max(1, sum(self._lines_of_blocks()))
        self.setFixedHeight(min(lines, MOST_LINES) * line + 2 * PADDING)
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if lines > MOST_LINES else policy.ScrollBarAlwaysOff)

    def _lines_of_blocks(self) -> list[int]:
        block, lines = self.document().begin(), []
        while block.isValid():
            lines.append(block.layout().lineCount() or 1)
            block = block.next()
        return lines

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.enter.emit()
        elif event.key() == Qt.Key.Key_Up and not self.toPlainText():
            self.up_when_empty.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit()
