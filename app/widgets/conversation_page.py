"""The middle of the window: title, messages or empty state, memory meter, composer."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.icons import icon
from app.open_conversation import READ
from app.session import Session
from app.theme import Theme
from app.training import WITHOUT_HEADS, Training
from app.widgets.buttons import IconButton, push_button
from app.widgets.composer import Composer
from app.widgets.conversation_view import MARGIN, WIDEST, ConversationView
from app.widgets.empty_state import EmptyState
from app.widgets.engine_notice import EngineNotice
from app.widgets.heads_notice import HeadsNotice
from app.widgets.labels import ElidedLabel, label
from app.widgets.memory_meter import MemoryMeter
from app.widgets.training_row import TrainingRow
from app.words import count


class ConversationPage(QWidget):
    """Wires the session to the widgets between the side panes."""

    toggle_list = Signal()
    toggle_documents = Signal()

    def __init__(self, session: Session, training: Training, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self._session, self._training = session, training
        self._theme = theme
        self.list_button = IconButton(theme, "sidebar", "Show or fold the conversations", hint="Ctrl+B")
        self.list_button.clicked.connect(self.toggle_list)
        self.documents_button = push_button("Documents", "row")
        self.documents_button.setFixedHeight(28)
        self.documents_button.clicked.connect(self.toggle_documents)
        self.title = ElidedLabel("", "title")
        self.notice = EngineNotice()
        self.view = ConversationView(session, theme)
        self.empty = EmptyState(theme)
        self.heads_notice = HeadsNotice(theme)
        self.training_row = TrainingRow(theme)
        self.meter = MemoryMeter(theme)
        self.status = label("", "secondary")
        self.refusal = label("", "refusal", wrap=True)
        self.refusal.hide()
        self.composer = Composer(theme)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.view)
        self._lay_out()
        self._listen()
        self._theme.changed.connect(self._recolour)
        self._recolour()
        self._refresh()

    def set_title(self, title: str) -> None:
        """The conversation's title, as the list knows it."""
        self.title.setText(title)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = max(MARGIN, (self.width() - WIDEST) // 2)
        self._foot.setContentsMargins(side, 0, side, 16)
        self._notes.setContentsMargins(side, 0, side, 0)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 10, 12, 10)
        head.setSpacing(8)
        head.addWidget(self.list_button)
        head.addWidget(self.title, 1)
        head.addWidget(self.documents_button)
        self._notes = QVBoxLayout()
        self._notes.addWidget(self.notice)
        self._foot = QVBoxLayout()
        self._foot.setSpacing(4)
        line = QHBoxLayout()
        line.addWidget(self.meter, 1)
        line.addWidget(self.status)
        self._foot.addWidget(self.heads_notice)
        self._foot.addWidget(self.training_row)
        self._foot.addLayout(line)
        self._foot.addWidget(self.refusal)
        self._foot.addWidget(self.composer)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(self._notes)
        column.addWidget(self.stack, 1)
        column.addLayout(self._foot)

    def _listen(self) -> None:
        session = self._session
        session.opened.connect(self._opened)
        session.path_changed.connect(self._refresh)
        session.documents_changed.connect(self._refresh)
        session.document_changed.connect(lambda _: self._refresh())
        session.memory_changed.connect(self._show_memory)
        session.busy_changed.connect(self._refresh)
        session.busy_changed.connect(lambda: self.composer.set_busy(session.asking))
        session.editing_changed.connect(lambda: self.composer.set_editing(session.now.editing is not None))
        session.given_back.connect(self.composer.put)
        session.refused.connect(self.refuse)
        session.status_changed.connect(self._show_status)
        self._training.changed.connect(self._show_training)
        self.heads_notice.use_keydiff.connect(lambda: self._training.use_policy(WITHOUT_HEADS))
        self.heads_notice.put_away.connect(self._show_memory)
        self.training_row.pause.connect(self._training.pause)
        self.training_row.resume.connect(self._training.resume)
        self.training_row.discard.connect(self._training.discard)
        self.training_row.show_log.connect(self._training.read_log)
        self.composer.sent.connect(session.ask)
        self.composer.stop.connect(session.stop)
        self.composer.edit_last.connect(self.edit_last)
        self.composer.edit_left.connect(self.leave_edit)
        self.empty.asked.connect(session.ask)
        self.view.edit.connect(self.edit_question_of)
        self.view.read_again.connect(self._read_again)

    def refuse(self, sentence: str) -> None:
        """Says above the composer why a question was not answered; empty takes it away."""
        self.refusal.setText(sentence)
        self.refusal.setVisible(bool(sentence))

    def edit_last(self) -> None:
        """Puts the last question back into the composer."""
        question = self._session.now.last_question()
        if question is not None and not self._session.asking:
            self._session.set_editing(question)
            self.composer.put(question.text)

    def edit_question_of(self, answer: str) -> None:
        """Puts the question of an answer back into the composer."""
        question = self._session.now.question_of(answer)
        if question is not None:
            self._session.set_editing(question)
            self.composer.put(question.text)

    def leave_edit(self) -> None:
        """Leaves the earlier question as it was."""
        if self._session.now.editing is not None:
            self._session.set_editing(None)
            self.composer.input.clear()

    def _read_again(self, answer: str) -> None:
        self._session.reread(answer)
        self.composer.input.setFocus()

    def _opened(self) -> None:
        self._show_memory()
        self.status.setText("")
        self.refuse("")
        self._refresh()
        self.composer.input.setFocus()

    def _show_training(self) -> None:
        run = self._training.run
        self.training_row.set_run(run)
        self.heads_notice.set_heads(self._training.heads, training=run is not None and run.for_model)
        self._show_memory()

    def _show_memory(self) -> None:
        """What the notice about missing heads says is not said again beside the meter."""
        memory = self._session.now.memory
        if memory is not None and not self.heads_notice.isHidden():
            memory = replace(memory, notice="")
        self.meter.set_memory(memory)

    def _show_status(self, sentence: str) -> None:
        asking = self._session.asking
        self.view.set_status(sentence if asking else "")
        self.status.setText("" if asking else sentence)

    def _refresh(self) -> None:
        session = self._session
        if session.now.pending is not None:
            self.refuse("")
        talking = bool(session.now.leaf) or session.now.pending is not None
        self.stack.setCurrentWidget(self.view if talking else self.empty)
        total, read = session.now.files, session.now.files_read
        first = next((d.name for d in session.now.documents.values() if d.outcome in READ), "")
        self.empty.set_documents(total, read, first, session.reading)
        self.documents_button.setText(count(total, "document") if total else "Documents")

    def _recolour(self) -> None:
        self.documents_button.setIcon(icon("documents", self._theme.colours.secondary))
