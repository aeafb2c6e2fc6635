"""The calls of conversations that the engine works on, from their start to their end, and what it tells of them.

Knows the engine's events and which concern the open conversation; nothing of what the person does nor of widgets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal

from app.conversation_feed import ConversationFeed
from app.document_words import reread_progress
from app.engine_client import ENGINE_STOPPED, EngineClient
from app.records import Document, Message
from app.words import shortened
from engine.protocol import Event, Failure


@dataclass
class Job:
    """A call that the engine works on. `text` until the question is stored, `paths` until the documents are; `rereads`
    is the answer whose documents are read again, `unlocks` whether a password is still to be tried."""

    conversation: str
    asks: bool
    text: str | None = None
    paths: list[str] | None = None
    rereads: str | None = None
    unlocks: bool = False
    answer: str = ""
    resumed: bool = False
    id: int = 0


class ConversationJobs(ConversationFeed):
    """`refused(sentence)` and `documents_refused(sentence)` say why something was not done, `given_back(text)` returns
    a question that was not stored, `stored` tells that the list of conversations may have changed.
    `reread_refused(answer, sentence)` says why documents are not read again, `unlocked(count)` how many a password
    opened."""

    busy_changed = Signal()
    reread_refused = Signal(str, str)
    refused = Signal(str)
    documents_refused = Signal(str)
    given_back = Signal(str)
    unlocked = Signal(int)
    stored = Signal()

    def __init__(self, client: EngineClient) -> None:
        super().__init__()
        self._client = client
        self._jobs: dict[int, Job] = {}
        self._unadded: list[Job] = []
        self._pausing = False
        self._resume = False

    @property
    def asking(self) -> bool:
        """Whether an answer of this conversation is on its way."""
        return self.now.pending is not None or any(job.asks for job in self._own_jobs().values())

    @property
    def reading(self) -> bool:
        """Whether documents of this conversation are being read."""
        return any(not job.asks for job in self._own_jobs().values())

    @property
    def adding(self) -> bool:
        """Whether what was dropped is still being looked through."""
        return any(job.paths is not None for job in self._own_jobs().values())

    @property
    def unlocking(self) -> bool:
        """Whether a password is to be tried."""
        return any(job.unlocks for job in self._own_jobs().values())

    @property
    def waits(self) -> bool:
        """Whether what was dropped, or a password, has its turn only after another call."""
        first = next(iter(self._jobs.values()), None)
        return first is not None and not first.unlocks and first.paths is None

    @property
    def rereading(self) -> str | None:
        """The answer whose documents are to be read again, until the new answer takes its place."""
        return next((job.rereads for job in self._own_jobs().values() if job.rereads and not job.answer), None)

    def _start(self, method: str, params: dict[str, Any], job: Job) -> None:
        job.id = self._client.call(
            method,
            params,
            done=lambda result: self._done(job, result),
            failed=lambda failure: self._failed(job, failure),
            event=lambda event: self._happened(job, event),
        )
        self._jobs[job.id] = job
        self.busy_changed.emit()

    def _done(self, job: Job, result: dict[str, Any]) -> None:
        del self._jobs[job.id]
        if "message" in result:
            self.put_message(Message.of(result["message"]))
        if job.conversation == self.now.id:
            self.status_changed.emit("")
            self.put_memory(result.get("memory"))
            self._refresh()
        self.busy_changed.emit()
        self.stored.emit()

    def _failed(self, job: Job, failure: Failure) -> None:
        del self._jobs[job.id]
        self.end_answer(job.answer, "stopped" if failure.code == "cancelled" else "failed")
        if failure.code == ENGINE_STOPPED:
            self._keep_for_later(job)
        if job.conversation == self.now.id:
            self.status_changed.emit("")
            if job.text is not None:
                self._give_back(job.text)
            self._refuse(job, failure)
        self.busy_changed.emit()

    def _keep_for_later(self, job: Job) -> None:
        if job.paths is not None:
            self._unadded.append(job)
        elif not job.asks and not job.resumed and job.conversation == self.now.id:
            self._resume = True

    def _give_back(self, text: str) -> None:
        self.now.pending = None
        self.path_changed.emit()
        self.busy_changed.emit()
        self.given_back.emit(text)

    def _refuse(self, job: Job, failure: Failure) -> None:
        if failure.code == ENGINE_STOPPED:
            return
        if failure.kind == "user" and failure.code != "cancelled":
            self.now.too_long |= failure.code == "documents_too_long"
            if job.rereads is not None:
                self._not_reread(job.answer or job.rereads, failure)
            else:
                (self.refused if job.asks else self.documents_refused).emit(failure.message)
        self._refresh()

    def _refresh(self) -> None:
        conversation = self.now.id

        def done(result: dict[str, Any]) -> None:
            if conversation == self.now.id:
                self.put_documents(result)
                self._put_stored_memory(result.get("memory"))

        self._client.call("conversation_open", {"conversation": conversation}, done=done, failed=lambda _: None)

    def _put_stored_memory(self, stored: dict[str, Any] | None) -> None:
        """While a job runs, its events know more of what is read than a reply that crossed with them."""
        now = self.now.memory
        if stored is not None and now is not None and self._own_jobs():
            stored = {**stored, "units": now.units, "tokens_read": now.tokens_read}
        self.put_memory(stored)

    def _happened(self, job: Job, event: Event) -> None:
        data = event.data
        match event.event:
            case "message":
                self._heard(job, Message.of(data["message"]))
            case "token":
                self.add_token(data["message"], data["text"])
            case "document":
                self._added(job)
                self.put_document(Document.of(data["document"]))
            case "documents":
                self._added(job)
                if job.conversation == self.now.id:
                    self.put_documents(data)
            case "unlocked":
                self._tried(job, data["unlocked"])
            case "reading" if job.conversation == self.now.id:
                self._progress(job, data)
            case "loading" if job.conversation == self.now.id:
                self._loading(event)

    def _added(self, job: Job) -> None:
        if job.paths is not None:
            job.paths = None
            self.busy_changed.emit()

    def _tried(self, job: Job, opened: int) -> None:
        job.unlocks = False
        self.busy_changed.emit()
        if job.conversation == self.now.id:
            self.unlocked.emit(opened)

    def _heard(self, job: Job, message: Message) -> None:
        if message.role == "user":
            job.text = None
            self.stored.emit()
        else:
            if not job.answer:
                self._make_room(job, message)
            job.answer = message.id
        self.put_message(message)

    def _make_room(self, job: Job, message: Message) -> None:
        """The new answer takes the place of the earlier one, if that is on screen."""
        if job.conversation == self.now.id and job.rereads in {shown.id for shown in self.now.path}:
            self.now.leaf = message.parent

    def _progress(self, job: Job, data: dict[str, Any]) -> None:
        if data.get("reread"):
            self._progress_again(data)
            return
        document = self.read_on(data)
        if document is not None:
            self.status_changed.emit(f"Reading {shortened(document.name)} first" if job.asks else "")
        if self._pausing and not job.asks:
            self._client.cancel(job.id)

    def _progress_again(self, data: dict[str, Any]) -> None:
        """The documents' cards say what was read before, which stays as it is."""
        document = self.now.at(data)
        if document is not None:
            self.status_changed.emit(reread_progress(document))

    def _loading(self, event: Event) -> None:
        self.status_changed.emit(str(event.data.get("message", "")))

    def _not_reread(self, answer: str, failure: Failure) -> None:
        if failure.kind == "user" and failure.code != ENGINE_STOPPED:
            self.reread_refused.emit(answer, failure.message)

    def _own_jobs(self) -> dict[int, Job]:
        return {id: job for id, job in self._jobs.items() if job.conversation == self.now.id}
