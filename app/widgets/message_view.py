"""One message of the conversation: the person's bubble or Keepsake's text with what can be done about it.

Knows the records and the theme; what the buttons do is decided by whoever listens.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QEnterEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.document_words import place_cited
from app.records import Message
from app.theme import Theme
from app.widgets.answer_text import AnswerText
from app.widgets.branches import Branches
from app.widgets.buttons import IconButton, push_button
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import label
from app.widgets.reread_offer import RereadOffer

BUBBLE_SHARE = 0.8
LONGEST_NAME = 32


class QuestionView(QWidget):
    """The person's message in a soft bubble at the right, with the arrows between its branches."""

    sibling = Signal(str, int)

    def __init__(self, theme: Theme, text: str, documents: str = "") -> None:
        super().__init__()
        self.id = ""
        self._text = QLabel(text)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setAccessibleName(f"You: {text}")
        self._bubble = QFrame()
        self._bubble.setProperty("role", "bubble")
        inside = QVBoxLayout(self._bubble)
        inside.setContentsMargins(14, 8, 14, 8)
        inside.addWidget(self._text)
        self._with = label(documents, "secondary")
        self._with.setVisible(bool(documents))
        self._branches = Branches(theme, "Earlier version of this question", "Later version of this question")
        self._branches.step.connect(lambda step: self.sibling.emit(self.id, step))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for widget in (self._with, self._bubble, self._branches):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignRight)
        theme.changed.connect(self._fit)

    def set_branches(self, place: int, total: int) -> None:
        """Which of its siblings this is, from 1; arrows only where there are several."""
        self._branches.set(place, total)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        widest = int(self.width() * BUBBLE_SHARE) - 28
        self._text.ensurePolished()
        lines = self._text.fontMetrics().boundingRect(
            0, 0, widest, 1_000_000, int(Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextExpandTabs), self._text.text()
        )
        self._text.setFixedWidth(min(widest, math.ceil(lines.width()) + 2))


class AnswerView(QWidget):
    """Keepsake's message: text, citations, what was left out; on hover or by keyboard what can be done about it.

    `reread` asks what reading the documents again would take, `read_again` is the person's yes to it.
    """

    sibling = Signal(str, int)
    again = Signal(str)
    reread = Signal(str)
    read_again = Signal(str)
    edit = Signal(str)
    branch = Signal(str)
    citation = Signal(str, int)

    def __init__(self, theme: Theme, id: str) -> None:
        super().__init__()
        self.id = id
        self._is_last = False
        self._streaming = False
        self._announced = True
        self._text = AnswerText(theme)
        self._status = label("", "secondary", wrap=True)
        self._status.hide()
        self._citations = QWidget()
        self._chips = FlowLayout(self._citations, spacing=8)
        self._citations.hide()
        self._cited: list[dict[str, object]] = []
        self._footer = label("", "secondary", wrap=True)
        self._footer.hide()
        self.offer: RereadOffer | None = None
        self.branches = Branches(theme, "Earlier answer", "Later answer")
        self.branches.step.connect(lambda step: self.sibling.emit(self.id, step))
        self._buttons = self._make_buttons(theme)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.branches)
        for button in self._buttons:
            row.addWidget(button)
        row.addStretch()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        for widget in (self._text, self._status, self._citations, self._footer):
            self._column.addWidget(widget)
        self._column.addLayout(row)
        self._show_buttons(False)

    def text(self) -> str:
        """The answer as Markdown."""
        return self._text.text()

    def status(self) -> str:
        """The sentence in place of the text or after it, empty where there is none."""
        return "" if self._status.isHidden() else self._status.text()

    def footer(self) -> str:
        """The sentences at its foot."""
        return self._footer.text()

    def add(self, text: str) -> None:
        """A piece of the answer as it is written."""
        self._status.hide()
        self._text.add(text)

    def set_status(self, sentence: str) -> None:
        """What happens until the first word is there; an answer that has ended says how itself."""
        if self._streaming and not self._text.text():
            self._status.setText(sentence)
            self._status.setVisible(bool(sentence))

    def set_message(self, message: Message) -> None:
        """Shows a message as the engine tells it."""
        self._text.set_text(message.text)
        self._text.setVisible(bool(message.text))
        self._streaming = message.state == "streaming"
        ending = {"stopped": "Stopped here.", "failed": "The answer broke off. Ask again to get it whole."}
        self._status.setText(ending.get(message.state, ""))
        self._status.setVisible(message.state in ending)
        self._show_citations(message.stats.get("citations") or [])
        self._footer.setText(_footer(message))
        self._footer.setVisible(bool(self._footer.text()))
        for button in self._buttons:
            button.setEnabled(not self._streaming)
        self._show_buttons(self.underMouse())
        if self._streaming:
            self._announced = False
        elif not self._announced:
            self._announced = True
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, message.text))

    def set_branches(self, place: int, total: int) -> None:
        """Which of the answers to one question this is, from 1; arrows only where there are several."""
        self.branches.set(place, total)

    def set_documents(self, known: bool) -> None:
        """Without documents along its path there is nothing to read again."""
        self._reread.setVisible(known)

    def open_offer(self) -> RereadOffer:
        """The panel about reading again, made when it is first needed."""
        if self.offer is None:
            self.offer = RereadOffer()
            self.offer.accepted.connect(lambda: self.read_again.emit(self.id))
            self.offer.left.connect(self.leave_offer)
            self._column.addWidget(self.offer)
        return self.offer

    def leave_offer(self) -> None:
        """Closes the panel as the person does: the focus goes back to the button that opened it."""
        self.close_offer()
        self._reread.setFocus()

    def close_offer(self) -> None:
        """Takes the panel away."""
        if self.offer is not None:
            self._column.removeWidget(self.offer)
            self.offer.hide()
            self.offer.deleteLater()
            self.offer = None

    def set_last(self, last: bool) -> None:
        """The last answer shows its buttons always and needs no branch."""
        self._is_last = last
        self._buttons[-1].setVisible(not last)
        self._show_buttons(self.underMouse())

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._show_buttons(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._show_buttons(False)

    def _make_buttons(self, theme: Theme) -> list[IconButton]:
        copy = IconButton(theme, "copy", "Copy answer")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text()))
        again = IconButton(theme, "again", "Answer again")
        again.clicked.connect(lambda: self.again.emit(self.id))
        self._reread = IconButton(theme, "read-again", "Read again for this question")
        self._reread.clicked.connect(lambda: self.reread.emit(self.id))
        self._reread.hide()
        edit = IconButton(theme, "edit", "Edit the question")
        edit.clicked.connect(lambda: self.edit.emit(self.id))
        branch = IconButton(theme, "branch", "Go on from here")
        branch.clicked.connect(lambda: self.branch.emit(self.id))
        return [copy, again, self._reread, edit, branch]

    def _show_buttons(self, shown: bool) -> None:
        for button in self._buttons:
            button.set_quiet(self._streaming or not (shown or self._is_last))

    def _show_citations(self, citations: list[dict[str, object]]) -> None:
        if citations == self._cited:
            return
        self._cited = citations
        while (item := self._chips.takeAt(0)) is not None:
            if (chip := item.widget()) is not None:
                chip.deleteLater()
        for citation in citations:
            document, page, place = str(citation["document"]), int(str(citation["page"])), place_cited(citation)
            name, where = str(citation["name"]), str(citation.get("place", f"page {page}") or "")
            chip = push_button(", ".join(filter(None, (_shortened(name), _shortened(place)))), "chip")
            chip.setAccessibleName(f"Open {name} at {where}" if where else f"Open {name}")
            chip.clicked.connect(lambda _=False, document=document, page=page: self.citation.emit(document, page))
            self._chips.addWidget(chip)
        self._citations.setVisible(bool(citations))


def _shortened(name: str) -> str:
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half].rstrip()}\u2026{name[-half:].lstrip()}"


def _footer(message: Message) -> str:
    """How the answer came about, what it could not know, and why it ended early if it did."""
    stats = message.stats
    written = bool(message.text) and message.state != "streaming"
    again = ["Read again for this question."] if stats.get("query_aware") and written else []
    return " ".join(again + [str(stats[said]) for said in ("note", "left_out") if stats.get(said)])
