"""What the person does in the open conversation, and what the engine answers.

Knows the engine's methods and events; nothing of widgets, which listen to its signals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal

from app.conversation_feed import ConversationFeed
from app.engine_client import ENGINE_STOPPED, EngineClient
from app.open_conversation import OpenConversation
from app.records import Conversation, Document, Message, RereadCost
from app.words import reread_progress
from engine.protocol import Event, Failure

ANSWER_UNDER_WAY = "An answer is on its way. Wait for it or stop it, then read again."


@dataclass
class Job:
    """A call that the engine works on. `text` until the question is stored, `paths` until the documents are; `rereads`
    is the answer whose documents are read again."""

    conversation: str
    asks: bool
    text: str | None = None
    paths: list[str] | None = None
    rereads: str | None = None
    answer: str = ""
    resumed: bool = False
    id: int = 0


class Session(ConversationFeed):
    """`refused(sentence)` and `documents_refused(sentence)` say why something was not done, `given_back(text)` returns
    a question that was not stored, `stored` tells that the list of conversations may have changed.
    `reread_weighed(answer, RereadCost)` says what reading again would take, `reread_refused(answer, sentence)` why it
    is not done."""

    opened = Signal()
    busy_changed = Signal()
    editing_changed = Signal()
    reread_weighed = Signal(str, object)
    reread_refused = Signal(str, str)
    refused = Signal(str)
    documents_refused = Signal(str)
    given_back = Signal(str)
    stored = Signal()

    def __init__(self, client: EngineClient) -> None:
        super().__init__()
        self._client = client
        self._jobs: dict[int, Job] = {}
        self._unadded: list[Job] = []
        self._pausing = False
        self._resume = False
        self._opening = 0
        client.ready.connect(lambda _: self._take_up())

    @property
    def asking(self) -> bool:
        """Whether an answer of this conversation is on its way."""
        return self.now.pending is not None or any(job.asks for job in self._own_jobs().values())

    @property
    def reading(self) -> bool:
        """Whether documents of this conversation are being read."""
        return any(not job.asks for job in self._own_jobs().values())

    @property
    def rereading(self) -> str | None:
        """The answer whose documents are to be read again, until the new answer takes its place."""
        return next((job.rereads for job in self._own_jobs().values() if job.rereads and not job.answer), None)

    # Opening

    def new(self) -> None:
        """Shows an empty conversation; the engine hears of it when something is put into it."""
        self._show(OpenConversation())

    def open(self, id: str) -> None:
        """Shows a stored conversation and lets the engine load its memory."""
        self._opening += 1
        turn = self._opening

        def done(result: dict[str, Any]) -> None:
            if turn == self._opening:
                self._show(OpenConversation.of(result, self._live))
                self._go_on()

        self._client.call("conversation_open", {"conversation": id}, done=done)

    def _show(self, conversation: OpenConversation) -> None:
        self._opening += 1
        self.now, self._pausing = conversation, False
        self.opened.emit()
        self.editing_changed.emit()
        self.busy_changed.emit()

    def _go_on(self) -> None:
        if self._resume:
            self._resume = False
            self._read(resumed=True)
        elif (self.now.leaf or self.now.documents) and not self._own_jobs():
            self._warm()

    def _warm(self) -> None:
        conversation = self.now.id

        def ended(memory: dict[str, Any] | None, sentence: str) -> None:
            if conversation == self.now.id:
                self.status_changed.emit(sentence)
                self.put_memory(memory)

        def failed(failure: Failure) -> None:
            ended(None, "" if failure.code in ("cancelled", ENGINE_STOPPED) else failure.message)

        self._client.call(
            "warm",
            {"conversation": conversation},
            done=lambda result: ended(result.get("memory"), ""),
            failed=failed,
            event=self._loading,
        )

    def _take_up(self) -> None:
        """A new engine: shows what it has stored, and hands it what the last one did not take in."""
        if self.now.id is not None:
            self.open(self.now.id)
        unadded, self._unadded = self._unadded, []
        for job in unadded:
            self._add(job.conversation, job.paths or [])

    # Documents

    def add_paths(self, paths: list[str]) -> None:
        """Puts files and folders into the conversation and has them read."""
        self._pausing = False
        self._in_conversation(
            lambda id: self._add(id, paths), lambda failure: self.documents_refused.emit(failure.message)
        )

    def pause_reading(self) -> None:
        """Stops reading at the next chunk; what is read so far is kept."""
        self._pausing = True
        running = [id for id, job in self._own_jobs().items() if not job.asks]
        if running:
            self._client.cancel(running[0])

    def resume_reading(self) -> None:
        """Goes on with what waits or is paused."""
        self._pausing = False
        self._read()

    def _add(self, conversation: str, paths: list[str]) -> None:
        params = {"conversation": conversation, "paths": paths}
        self._start("documents_add", params, Job(conversation, asks=False, paths=paths))

    def _read(self, resumed: bool = False) -> None:
        conversation = self.now.id
        if conversation is not None:
            params = {"conversation": conversation}
            self._start("documents_read", params, Job(conversation, asks=False, resumed=resumed))

    # Questions

    def ask(self, text: str) -> None:
        """Asks at the end of what is on screen, or in place of the question being edited."""
        parent = self.now.leaf if self.now.editing is None else self.now.editing.parent
        self.set_editing(None)
        self._ask_after(text, parent)

    def again(self, answer: str) -> None:
        """Asks the question of an answer once more, on a branch of its own."""
        question = self.now.question_of(answer)
        if question is not None and not self.asking:
            self._ask_after(question.text, question.parent)

    def go_on_from(self, message: str) -> None:
        """Goes on from an earlier answer; what follows it stays on its own branch."""
        self.now.leaf = message
        self.path_changed.emit()

    def show_sibling(self, message: str, step: int) -> None:
        """Shows the branch `step` places from a message's."""
        siblings = [sibling.id for sibling in self.now.tree.siblings(message)]
        place = siblings.index(message) + step
        if 0 <= place < len(siblings):
            self.now.leaf = self.now.tree.newest_leaf(siblings[place])
            self.path_changed.emit()

    def set_editing(self, message: Message | None) -> None:
        """The question that the next one replaces; None for none."""
        if message is not self.now.editing:
            self.now.editing = message
            self.editing_changed.emit()

    def stop(self) -> None:
        """Stops the answer; what is written stays."""
        for id, job in self._own_jobs().items():
            if job.asks:
                self._client.cancel(id)

    def _ask_after(self, text: str, parent: str | None) -> None:
        self.now.leaf, self.now.pending = parent, text
        self.path_changed.emit()
        self.busy_changed.emit()
        self._in_conversation(lambda id: self._ask(id, text, parent), lambda failure: self._not_asked(text, failure))

    def _not_asked(self, text: str, failure: Failure) -> None:
        self._give_back(text)
        self.refused.emit(failure.message)

    def _ask(self, conversation: str, text: str, parent: str | None) -> None:
        params = {"conversation": conversation, "text": text, "parent": parent}
        self._start("ask", params, Job(conversation, asks=True, text=text))

    # Reading again

    def weigh_reread(self, answer: str) -> None:
        """Asks what reading the documents again for an answer's question would take; starts nothing."""
        if self._may_reread(answer):
            self._client.call(
                "reread_cost",
                {"conversation": self.now.id, "message": answer},
                done=lambda result: self.reread_weighed.emit(answer, RereadCost.of(result)),
                failed=lambda failure: self._not_reread(answer, failure),
            )

    def reread(self, answer: str) -> None:
        """Has the documents read again in sight of an answer's question, which is then answered anew beside it."""
        conversation = self.now.id
        if conversation is not None and self._may_reread(answer):
            params = {"conversation": conversation, "message": answer}
            self._start("reread", params, Job(conversation, asks=True, rereads=answer))

    def _may_reread(self, answer: str) -> bool:
        if self.asking:
            self.reread_refused.emit(answer, ANSWER_UNDER_WAY)
        return not self.asking

    def _not_reread(self, answer: str, failure: Failure) -> None:
        if failure.kind == "user" and failure.code != ENGINE_STOPPED:
            self.reread_refused.emit(answer, failure.message)

    # Jobs

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
            if job.rereads is not None:
                self._not_reread(job.answer or job.rereads, failure)
            else:
                (self.refused if job.asks else self.documents_refused).emit(failure.message)
        self._refresh()

    def _refresh(self) -> None:
        conversation = self.now.id

        def done(result: dict[str, Any]) -> None:
            if conversation == self.now.id:
                self.put_documents(result["documents"])
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
                job.paths = None
                self.put_document(Document.of(data["document"]))
            case "reading" if job.conversation == self.now.id:
                self._progress(job, data)
            case "loading" if job.conversation == self.now.id:
                self._loading(event)

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
        if document is not None and job.asks:
            self.status_changed.emit(f"Reading {document.name} first")
        if self._pausing and not job.asks:
            self._client.cancel(job.id)

    def _progress_again(self, data: dict[str, Any]) -> None:
        """The documents' cards say what was read before, which stays as it is."""
        document = self.now.at(data)
        if document is not None:
            self.status_changed.emit(reread_progress(document))

    def _loading(self, event: Event) -> None:
        self.status_changed.emit(str(event.data.get("message", "")))

    def _in_conversation(self, then: Callable[[str], None], failed: Callable[[Failure], None]) -> None:
        now = self.now
        if now.id is not None:
            then(now.id)
            return
        now.waiting.append((then, failed))
        if len(now.waiting) > 1:
            return

        def done(result: dict[str, Any]) -> None:
            now.about = Conversation.of(result["conversation"])
            self.stored.emit()
            waiting, now.waiting = now.waiting, []
            for go_on, _ in waiting:
                go_on(now.about.id)
            self._refresh()

        def refused(failure: Failure) -> None:
            waiting, now.waiting = now.waiting, []
            for _, give_up in waiting:
                give_up(failure)

        self._client.call("conversation_create", done=done, failed=refused)

    def _own_jobs(self) -> dict[int, Job]:
        return {id: job for id, job in self._jobs.items() if job.conversation == self.now.id}
