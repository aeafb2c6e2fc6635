"""The job that answers: the question is committed, the model brought to it, and the answer streamed, stored as it
grows.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Mapping
from typing import Any

from engine import wire
from engine.backends.base import AbortedError
from engine.citations import cite
from engine.documents.places import place
from engine.documents.reasons import NO_DOCUMENTS
from engine.engine import Emit, Engine, Loaded
from engine.errors import CANCELLED, UserError
from engine.reading_job import ReadingJob, pending
from engine.sampling import chooser, is_looping
from engine.session import Advance
from engine.store import Document, Message

COMMIT_SECONDS = 0.5
TITLE_LENGTH = 60
LOST = ("needs_password", "needs_ocr", "refused", "failed")
LOOPING = "The answer began to repeat itself and was stopped there."


class AnswerJob:
    """Answers one question in one conversation; `emit` gets the protocol's events."""

    def __init__(self, engine: Engine, conversation: str, emit: Emit) -> None:
        self.engine, self.store, self.conversation, self.emit = engine, engine.store, conversation, emit
        self.reading = ReadingJob(engine, conversation, emit)

    def ask(self, text: str, parent: str | None, options: Mapping[str, Any]) -> Message:
        """options: max_tokens, temperature, seed. Returns the answer as committed.

        Raises UserError("cancelled") if stopped, with what was written kept; another error leaves the question in
        place.
        """
        return self.answer(self.commit_question(text, parent), options, self._write_next)

    def commit_question(self, text: str, parent: str | None) -> Message:
        """Below `parent`, with the documents that wait. Raises UserError("bad_params") for an empty one."""
        if not text.strip():
            raise UserError("bad_params", "There is no question in it.")
        self.reading.extract_all()
        path = self.store.path(parent) if parent else []
        documents = pending(self.store.documents(self.conversation), path)
        question = self.store.add_message(
            self.conversation, parent, "user", text, documents=[document.id for document in documents]
        )
        self._title(text)
        self.emit("message", {"message": wire.message(question)})
        return question

    def answer(
        self, question: Message, options: Mapping[str, Any], write: Callable[[Writing], list[Document]]
    ) -> Message:
        """Commits a further answer to a question and has it written. write: brings the model there, writes, and
        returns the documents to cite from.
        """
        answer = self.store.add_message(self.conversation, question.id, "assistant", "", state="streaming")
        self.emit("message", {"message": wire.message(answer)})
        writing = Writing(self, answer, options)
        try:
            documents = write(writing)
        except BaseException as error:
            stopped = isinstance(error, UserError) and error.code == "cancelled"
            self._finish(writing, "stopped" if stopped else "failed", [])
            raise
        return self._finish(writing, "complete", documents)

    def _write_next(self, writing: Writing) -> list[Document]:
        loaded = self.engine.loaded(self.emit)
        path = self.store.path(writing.answer.parent or "")
        there = self.store.documents_along(path)
        began = time.monotonic()
        taken = self.reading.advance(loaded, loaded.conversation.segments(path), there)
        writing.began(taken, time.monotonic() - began)
        writing.write(loaded)
        return there

    def _finish(self, writing: Writing, state: Any, documents: list[Document]) -> Message:
        if documents:
            writing.stats["citations"] = self._citations(writing, documents)
        writing.stats["left_out"] = left_out(self.reading.found())
        answer = writing.commit(state)
        self.emit("message", {"message": wire.message(answer)})
        return answer

    def _citations(self, writing: Writing, documents: list[Document]) -> list[dict[str, Any]]:
        pages = {
            (document.id, page.number): page
            for document in documents
            if document.sha256
            for page in self.store.pages(document.sha256, document.recipe)
        }
        by_id = {document.id: document for document in documents}
        question = self.store.message(writing.answer.parent or "").text
        found = cite(writing.text, question, {where: page.text for where, page in pages.items()})
        return [
            {
                "document": id,
                "name": by_id[id].name,
                "page": number,
                "place": place(by_id[id].kind, pages[id, number]),
            }
            for id, number in found
        ]

    def _title(self, question: str) -> None:
        if not self.store.conversation(self.conversation).title:
            self.store.rename(self.conversation, title_from(question))


class Writing:
    """An answer as it grows: its text, its tokens, and how much of them is committed."""

    def __init__(self, job: AnswerJob, answer: Message, options: Mapping[str, Any]) -> None:
        self.job, self.answer, self.options = job, answer, options
        self.text = ""
        self.tokens: list[int] = []
        self.stats: dict[str, Any] = {}
        self._committed_at = time.monotonic()

    def began(self, taken: Advance, seconds: float) -> None:
        self.stats.update(reused=taken.reused > 0, tokens_reused=taken.reused, seconds_reading=seconds)

    def write(self, loaded: Loaded) -> None:
        """Decodes to the end of the answer. Raises UserError("cancelled")."""
        began = time.monotonic()
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        choose = chooser(float(self.options["temperature"]), int(self.options["seed"]))
        cancelled = self.job.engine.cancelled.is_set
        ended = "complete"
        try:
            for token in loaded.session.answer(choose, int(self.options["max_tokens"])):
                self.tokens.append(token)
                self._grew(decoder.decode(loaded.model.runtime.token_bytes(token)))
                if cancelled():
                    raise AbortedError
                if is_looping(self.tokens):
                    self._stopped("repeating", LOOPING)
                    break
            self._grew(decoder.decode(b"", final=True))
            if loaded.session.cut:
                self._tell_of_the_cut()
        except AbortedError as error:
            ended = "stopped"
            raise CANCELLED from error
        finally:
            seconds = time.monotonic() - began
            self.stats.update(tokens=len(self.tokens), seconds_answering=seconds)
            try:
                self.commit("streaming" if ended == "complete" else "stopped")
            finally:  # the cache holds these tokens, whatever became of the message
                loaded.session.answered(self.tokens)

    def _tell_of_the_cut(self) -> None:
        tokens = len(self.tokens)
        cut = f"The answer was cut at {tokens:,} token{'' if tokens == 1 else 's'}"
        if tokens < int(self.options["max_tokens"]):
            self._stopped("room", f"{cut}, where the memory has no more room.")
        else:
            self._stopped("length", f"{cut}.")

    def _stopped(self, why: str, note: str) -> None:
        self.stats.update(stopped=why, note=note)

    def _grew(self, piece: str) -> None:
        if not piece:
            return
        self.text += piece
        self.job.emit("token", {"message": self.answer.id, "text": piece})
        if time.monotonic() - self._committed_at > COMMIT_SECONDS:
            self.commit("streaming")

    def commit(self, state: Any) -> Message:
        self._committed_at = time.monotonic()
        stats = {**self.stats, "token_ids": self.tokens}
        return self.job.store.update_message(self.answer.id, self.text, state, stats)


def left_out(documents: list[Document]) -> str | None:
    """What the answer could not know, as a sentence, or None."""
    files = [d for d in documents if not is_beside(d)]
    lost = [d.name for d in files if d.outcome in LOST]
    partly = [d.name for d in files if d.outcome == "partial"]
    parts = []
    if lost:
        of = f"{len(lost)} of {len(files)} files could not be read: {_names(lost)}."
        parts.append(of if len(files) > 1 else f"{lost[0]} could not be read.")
    if partly:
        parts.append(f"Only part of {_names(partly)} could be read.")
    return " ".join(parts) or None


def why_left_out(documents: list[Document]) -> list[str]:
    """What is wrong with each file that `left_out` names, a sentence each."""
    wrong = [d for d in documents if d.outcome in (*LOST, "partial") and not is_beside(d)]
    return [f"{document.name}: {document.message}" for document in wrong if document.message]


def hidden_parts(documents: list[Document]) -> list[str]:
    """What a document hides and was not read, by name, a sentence for each."""
    found = [(d.name, [part.name for part in d.left_out if part.what == "hidden" and part.name]) for d in documents]
    return [f"Hidden in {name} and not read: {_names(names)}." for name, names in found if names]


def is_beside(document: Document) -> bool:
    """Whether nobody would expect it to be read: what lies in a folder and is no document, a second copy, an older
    version of a file that is read as it is now.
    """
    if document.reason in ("duplicate", "outdated"):
        return True
    return document.folder is not None and document.reason in NO_DOCUMENTS


def _names(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def title_from(text: str) -> str:
    """The beginning of a question, on one line, cut between words."""
    line = " ".join(text.split())
    if len(line) <= TITLE_LENGTH:
        return line
    return line[:TITLE_LENGTH].rsplit(" ", 1)[0] + "\u2026"
