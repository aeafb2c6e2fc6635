"""The text of an answer, streamed: finished sections are rendered once, only the last one again.

Drawn at most 25 times a second, whatever the rate of tokens. Knows sections and their widgets; nothing of messages.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.markdown import Section, sections
from app.theme import Theme
from app.widgets.code_block import CodeBlock
from app.widgets.rich_text import RichText

FLUSH_MS = 40
# A section that takes long to render is rendered less often, so that the window has most of the time.
REST_FACTOR = 4


class AnswerText(QWidget):
    """A column of sections."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._text = ""
        self._open = ""
        self._last: RichText | CodeBlock | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(12)
        self._flush = QTimer(self, interval=FLUSH_MS, singleShot=True)
        self._flush.timeout.connect(self._render)

    def text(self) -> str:
        """The whole answer as Markdown."""
        return self._text

    def add(self, text: str) -> None:
        """Appends to the answer; it is drawn a moment later, with what comes until then."""
        self._text += text
        self._open += text
        if not self._flush.isActive():
            self._flush.start()

    def set_text(self, text: str) -> None:
        """Shows `text`, drawing only what is new when it continues what is shown."""
        if text.startswith(self._text):
            self._text, self._open = text, self._open + text[len(self._text) :]
        else:
            self._clear()
            self._text = self._open = text
        self._flush.stop()
        self._render()

    def _render(self) -> None:
        began = time.perf_counter()
        found = sections(self._open)
        for place, section in enumerate(found):
            self._show(section)
            if place < len(found) - 1:
                self._last = None
        if found:
            self._open = found[-1].raw
        spent = (time.perf_counter() - began) * 1000
        self._flush.setInterval(max(FLUSH_MS, round(spent * REST_FACTOR)))

    def _show(self, section: Section) -> None:
        if section.is_code != isinstance(self._last, CodeBlock) or self._last is None:
            self._drop_open()
            self._last = CodeBlock(self._theme) if section.is_code else RichText(self._theme)
            self._column.addWidget(self._last)
        if isinstance(self._last, CodeBlock):
            self._last.set_code(section.code, section.language)
        else:
            self._last.set_markdown(section.raw)

    def _drop_open(self) -> None:
        if self._last is not None:
            self._column.removeWidget(self._last)
            self._last.deleteLater()
            self._last = None

    def _clear(self) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (section := item.widget()) is not None:
                section.deleteLater()
        self._last = None
