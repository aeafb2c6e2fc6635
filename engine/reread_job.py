"""The job that reads again for one question (Locret-Q): the question, the documents in sight of it, the question
again, and a further answer.

It stores nothing but the answer. The reading that knows no question stays, and the next turn goes on from it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from engine.answer_job import AnswerJob, Writing
from engine.aside import aside
from engine.backends.base import AbortedError
from engine.engine import Emit, Engine, Loaded
from engine.errors import CANCELLED, UserError
from engine.locret.selection import Selection
from engine.pace import Pace, remember
from engine.reading_job import pending, reading_event
from engine.reread_cost import NOTHING_TO_GAIN, Cost, cost_of, question_of, refuse_in_vain
from engine.session import Progress
from engine.store import Document, Message
from engine.stream import Segment


class RereadJob:
    """Works for one conversation; `emit` gets the protocol's events. measures: of the last reading, for a report."""

    def __init__(self, engine: Engine, conversation: str, emit: Emit) -> None:
        self.engine, self.store, self.conversation, self.emit = engine, engine.store, conversation, emit
        self.answering = AnswerJob(engine, conversation, emit)
        self.measures: dict[str, int] = {}
        self._pace, self._current = Pace(), ""

    def cost_of_asking(self, parent: str | None) -> Cost:
        """Of a question that is yet to be asked after `parent`. Raises UserError as `reread` does."""
        path = self.store.path(parent) if parent else []
        waiting = pending(self.store.documents(self.conversation), path)
        return cost_of(self.engine, [*self.store.documents_along(path), *waiting])

    def reread(self, message: str, options: Mapping[str, Any]) -> Message:
        """message: a question, or an answer to it. options: max_tokens, temperature, seed. Returns the new answer.

        Raises UserError "unknown_message", "nothing_to_read" or "nothing_to_gain" before anything is written;
        "cancelled" with what was written kept.
        """
        question = question_of(self.store, self.conversation, message)
        refuse_in_vain(self.engine, self.store.documents_along(self.store.path(question.id)))
        loaded = self.engine.loaded(self.emit)
        selection = loaded.model.selection
        if selection is None:
            raise NOTHING_TO_GAIN
        try:
            return self.answering.answer(question, options, partial(self._write, loaded, selection))
        finally:
            self._take_up(loaded)

    def _write(self, loaded: Loaded, selection: Selection, writing: Writing) -> list[Document]:
        path = self.store.path(writing.answer.parent or "")
        self._documents = {document.id: document for document in self.store.documents_along(path)}
        segments = loaded.conversation.in_sight(path)
        front = len(segments[0].tokens) + len(segments[1].tokens)
        writing.stats["query_aware"] = True
        self.engine.in_memory = None
        try:
            with aside(loaded.session, selection.keeping_first(front)) as session:
                self._read(replace(loaded, session=session), segments, writing)
                self.measures = session.measures()
        except AbortedError as error:
            raise CANCELLED from error
        return list(self._documents.values())

    def _read(self, lent: Loaded, segments: Sequence[Segment], writing: Writing) -> None:
        self._lent, self._pace, self._current = lent, Pace(), ""
        began = time.monotonic()
        taken = lent.session.advance(segments, self._progressed)
        remember(self.store, self.engine.pace_key(), self._pace)
        writing.began(taken, time.monotonic() - began)
        writing.write(lent)

    def _progressed(self, progress: Progress) -> None:
        """Tells how far it is. What became of the document is another reading's affair, so its record stays."""
        if progress.source != self._current:
            self._current = progress.source
            self._pace.begin(progress.done)
        document = self._documents[progress.source]
        page = self._lent.conversation.document_tokens(document).page_at(progress.done)
        left = self._pace.left(progress.done, progress.total)
        self.emit("reading", {**reading_event(document, page, progress, left), "reread": True})
        if self.engine.cancelled.is_set():
            raise AbortedError

    def _take_up(self, loaded: Loaded) -> None:
        """Memory is as it was: what is stored of the current branch. Where that fails the next turn does it."""
        try:
            self.answering.reading.take_up(loaded)
        except (AbortedError, UserError):
            loaded.session.clear()
