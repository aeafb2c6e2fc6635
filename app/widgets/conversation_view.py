"""The messages on screen, one under the other in a column of at most 760 px.

Streaming never makes the page jump: the view follows only if it was at the end. Long conversations are built from
their end, a message at a time, so that opening one never stalls the window. Knows the session; not the composer.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.memory_words import reread_cost
from app.records import Message, RereadCost
from app.session import Session
from app.theme import Theme
from app.widgets.buttons import push_button
from app.widgets.labels import label
from app.widgets.message_view import AnswerView, QuestionView
from app.words import shortened

WIDEST = 760
MARGIN = 24
SHOWN_AT_ONCE = 40
AT_END = 24
AFTER_READING = "The answer follows once the documents are read."
REREAD_BEGINS = "Reading again begins."


class ConversationView(QScrollArea):
    """Follows the session's path."""

    edit = Signal(str)
    citation = Signal(str, int)
    read_again = Signal(str)

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session = session
        self._theme = theme
        self.messages: list[tuple[str, QuestionView | AnswerView]] = []
        self._to_build: list[Message] = []
        self._pending: QuestionView | None = None
        self._shown_from = 0
        self._follows = True
        self._from_end: int | None = None
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Conversation")
        self.earlier = push_button("Show earlier messages", "quiet")
        self.earlier.clicked.connect(self._show_earlier)
        self._status = label("", "secondary", wrap=True)
        page = QWidget()
        page.setProperty("role", "column")
        self._column = QVBoxLayout(page)
        self._column.setSpacing(16)
        for widget in (self.earlier, self._status):
            widget.hide()
            self._column.addWidget(widget)
        self._column.addStretch()
        self.setWidget(page)
        self._builder = QTimer(self, interval=0)
        self._builder.timeout.connect(self._build_one)
        self._listen()

    def set_status(self, sentence: str) -> None:
        """What the engine is doing before an answer's first word."""
        last = self.messages[-1][1] if self.messages else None
        in_answer = isinstance(last, AnswerView) and self._pending is None
        if sentence and (asked := self._rereading()) is not None:
            asked.open_offer().wait(sentence)
            return
        if isinstance(last, AnswerView) and in_answer:
            last.set_status(sentence)
        if not sentence and self._pending is not None and self._session.reading:
            sentence = AFTER_READING
        self._status.setText(sentence)
        self._status.setVisible(bool(sentence) and not in_answer and self._session.asking)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = max(MARGIN, (self.viewport().width() - WIDEST) // 2)
        self._column.setContentsMargins(side, MARGIN, side, MARGIN)

    def _listen(self) -> None:
        self._session.opened.connect(self._build)
        self._session.path_changed.connect(self._follow_path)
        self._session.message_changed.connect(self._update_message)
        self._session.token.connect(self._add_token)
        self._session.busy_changed.connect(self._show_busy)
        self._session.reread_weighed.connect(self._offer_reread)
        self._session.reread_refused.connect(self._refuse_reread)
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._range_changed)
        bar.valueChanged.connect(self._scrolled)

    # Reading again

    def leave_offer(self) -> bool:
        """Closes the question whether to read again; False if there is none."""
        offering = [view for _, view in self.messages if isinstance(view, AnswerView) and view.offer is not None]
        for view in offering:
            view.leave_offer()
        return bool(offering)

    def _offer_reread(self, answer: str, cost: RereadCost) -> None:
        view = self._view(answer)
        if isinstance(view, AnswerView) and not self._session.asking:
            self._close_offers(but=view)
            view.open_offer().ask(reread_cost(cost))
            self._bring_into_view(view.offer)

    def _refuse_reread(self, answer: str, sentence: str) -> None:
        view = self._view(answer)
        if isinstance(view, AnswerView):
            self._close_offers(but=view)
            view.open_offer().refuse(sentence)
            self._bring_into_view(view.offer)

    def _rereading(self) -> AnswerView | None:
        view = self._view(self._session.rereading or "")
        return view if isinstance(view, AnswerView) else None

    def _show_busy(self) -> None:
        self.set_status("")
        asked = self._rereading()
        if self._session.asking:
            self._close_offers(but=asked)
        else:
            self._close_offers(waiting=True)
        if asked is not None:
            asked.open_offer().wait(AFTER_READING if self._session.reading else REREAD_BEGINS)

    def _close_offers(self, but: AnswerView | None = None, waiting: bool = False) -> None:
        for _, view in self.messages:
            if isinstance(view, AnswerView) and view is not but and view.offer and (view.offer.waiting or not waiting):
                view.close_offer()

    def _bring_into_view(self, offer: QWidget | None) -> None:
        if offer is not None:
            QTimer.singleShot(0, offer, lambda: self.ensureWidgetVisible(offer, 0, MARGIN))

    # Building

    def _build(self) -> None:
        self._clear_from(0)
        path = self._session.now.path
        self._shown_from = max(0, len(path) - SHOWN_AT_ONCE)
        self._to_build = path[self._shown_from :]
        self._follows = True
        self.earlier.setVisible(self._shown_from > 0)
        self._build_one()
        if self._to_build:
            self._builder.start()

    def _build_one(self) -> None:
        if self._to_build:
            self._insert(0, self._to_build.pop())
        if not self._to_build:
            self._builder.stop()
            self._mark()

    def _show_earlier(self) -> None:
        path = self._session.now.path
        bar = self.verticalScrollBar()
        self._from_end = bar.maximum() - bar.value()
        self._to_build = path[max(0, self._shown_from - SHOWN_AT_ONCE) : self._shown_from]
        self._shown_from -= len(self._to_build)
        self.earlier.setVisible(self._shown_from > 0)
        self._builder.start()

    def _follow_path(self) -> None:
        if self._to_build:
            self._build()
            self._show_pending()
            return
        path = self._session.now.path[self._shown_from :]
        kept = 0
        while kept < min(len(path), len(self.messages)) and path[kept].id == self.messages[kept][0]:
            kept += 1
        self._clear_from(kept)
        for message in path[kept:]:
            self._insert(len(self.messages), message)
        self._show_pending()
        self._mark()

    def _show_pending(self) -> None:
        if self._session.now.pending is None:
            return
        self._pending = QuestionView(self._theme, self._session.now.pending)
        self._column.insertWidget(len(self.messages) + 1, self._pending)
        self._scroll_to_end()

    def _clear_from(self, start: int) -> None:
        self._to_build = []
        self._builder.stop()
        for _, view in self.messages[start:]:
            self._remove(view)
        del self.messages[start:]
        if self._pending is not None:
            self._remove(self._pending)
            self._pending = None

    def _remove(self, view: QWidget) -> None:
        self._column.removeWidget(view)
        view.hide()
        view.deleteLater()

    def _insert(self, place: int, message: Message) -> None:
        view = self._question(message) if message.role == "user" else self._answer(message)
        self.messages.insert(place, (message.id, view))
        self._column.insertWidget(place + 1, view)

    def _question(self, message: Message) -> QuestionView:
        names = [d.name for id in message.documents if (d := self._session.now.documents.get(id))]
        view = QuestionView(self._theme, message.text, _came_with(names, len(message.documents)))
        view.id = message.id
        view.sibling.connect(self._session.show_sibling)
        return view

    def _answer(self, message: Message) -> AnswerView:
        view = AnswerView(self._theme, message.id)
        view.set_message(replace(message, text=self._session.text_of(message)))
        view.again.connect(self._session.again)
        view.branch.connect(self._session.go_on_from)
        view.sibling.connect(self._session.show_sibling)
        view.reread.connect(self._session.weigh_reread)
        view.read_again.connect(self.read_again)
        view.edit.connect(self.edit)
        view.citation.connect(self.citation)
        return view

    def _mark(self) -> None:
        for place, (id, view) in enumerate(self.messages):
            siblings = [sibling.id for sibling in self._session.now.tree.siblings(id)]
            view.set_branches(siblings.index(id) + 1, len(siblings))
            if isinstance(view, AnswerView):
                view.set_last(place == len(self.messages) - 1)
                view.set_documents(self._session.now.has_documents(id))

    # Streaming

    def _update_message(self, message: Message) -> None:
        view = self._view(message.id)
        if isinstance(view, AnswerView):
            view.set_message(message)
        elif view is None:
            self._mark()

    def _add_token(self, id: str, text: str) -> None:
        view = self._view(id)
        if isinstance(view, AnswerView):
            view.add(text)

    def _view(self, id: str) -> QuestionView | AnswerView | None:
        return next((view for known, view in reversed(self.messages) if known == id), None)

    # Scrolling

    def _scroll_to_end(self) -> None:
        self._follows = True
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _range_changed(self, _: int, maximum: int) -> None:
        bar = self.verticalScrollBar()
        if self._from_end is not None:
            bar.setValue(maximum - self._from_end)
            if not self._to_build:
                self._from_end = None
        elif self._follows:
            bar.setValue(maximum)

    def _scrolled(self, value: int) -> None:
        self._follows = value >= self.verticalScrollBar().maximum() - AT_END


def _came_with(names: list[str], documents: int) -> str:
    """names: of those that are known, in order."""
    names = [shortened(name) for name in names]
    if documents > 2 and names:
        return f"with {names[0]} and {documents - 1:,} more"
    return f"with {' and '.join(names)}" if names else ""
