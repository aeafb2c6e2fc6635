"""A quiet bar above the composer: one sentence and, for a while, one thing to do about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.theme import Theme
from app.widgets.buttons import IconButton, push_button
from app.widgets.labels import label

SHOWN_MS = 8000
MARGIN = 8


class NoticeBar(QFrame):
    """Floats over its parent, at the foot of `area`, and goes by itself after 8 s."""

    def __init__(self, theme: Theme, parent: QWidget, area: QWidget) -> None:
        super().__init__(parent)
        self._area = area
        self.setProperty("role", "bar")
        self._act: Callable[[], None] | None = None
        self._sentence = label()
        self.action = push_button("", "quiet")
        self.action.clicked.connect(self._do)
        close = IconButton(theme, "close", "Close this notice")
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 4, 8, 4)
        row.setSpacing(8)
        for widget in (self._sentence, self.action, close):
            row.addWidget(widget)
        self._timer = QTimer(self, interval=SHOWN_MS, singleShot=True)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        self.hide()

    def say(self, sentence: str, action: str = "", act: Callable[[], None] | None = None) -> None:
        """Shows a sentence and, if given, a button that does something about it."""
        self._sentence.setText(sentence)
        self.setAccessibleName(sentence)
        self._act = act
        self.action.setText(action)
        self.action.setVisible(act is not None)
        self._place()
        self.raise_()
        self.show()
        self._timer.start()

    def text(self) -> str:
        """The sentence shown."""
        return self._sentence.text()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _do(self) -> None:
        self.hide()
        if self._act is not None:
            self._act()

    def _place(self) -> None:
        parent = self.parentWidget()
        assert parent is not None
        self._sentence.setMaximumWidth(parent.width() - 240)
        self.adjustSize()
        foot = self._area.mapTo(parent, QPoint(self._area.width() // 2, self._area.height()))
        self.move(foot.x() - self.width() // 2, foot.y() - self.height() - MARGIN)
