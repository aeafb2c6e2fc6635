"""What the person does in the open conversation.

Knows the engine's methods; nothing of widgets, which listen to its signals, nor of what becomes of a call under way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Signal

from app.conversation_jobs import ConversationJobs, Job
from app.engine_client import ENGINE_STOPPED, EngineClient
from app.open_conversation import OpenConversation
from app.records import Conversation, Document, Message, RereadCost
from engine.protocol import Failure

FILES_AT_ONCE = 100
ANSWER_UNDER_WAY = "An answer is on its way. Wait for it or stop it, then read again."


class Session(ConversationJobs):
    """`opened` when another conversation is shown, `editing_changed` when another question, or none, is to be replaced,
    `reread_weighed(answer, RereadCost)` says what reading again would take, `folder_changed(path, count)` how many
    files of a dropped folder are new, have changed or are gone, `folder_listed(path, count)` that the first so many of
    its files are known."""

    opened = Signal()
    editing_changed = Signal()
    reread_weighed = Signal(str, object)
    folder_changed = Signal(object, int)
    folder_listed = Signal(object, int)

    def __init__(self, client: EngineClient) -> None:
        super().__init__(client)
        self._opening = 0
        client.ready.connect(lambda _: self._take_up())

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
                for folder in list(self.now.folders):
                    self._look_for_changes(folder)

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

    def stop_adding(self) -> None:
        """Gives up what is still being looked through: nothing of it is added."""
        for id, job in self._own_jobs().items():
            if job.paths is not None:
                self._client.cancel(id)

    def resume_reading(self) -> None:
        """Goes on with what waits or is paused."""
        self._pausing = False
        self._read()

    def read_what_was_too_long(self) -> None:
        """Reads the documents that the model did not hold before it was given another way to read."""
        if self.now.too_long:
            self.now.too_long = False
            self.documents_refused.emit("")
            self.refused.emit("")
            self.resume_reading()

    def unlock(self, password: str) -> None:
        """Tries a password on every locked document; it is not kept."""
        conversation = self.now.id
        if conversation is not None:
            self._pausing = False
            params = {"conversation": conversation, "password": password}
            self._start("documents_unlock", params, Job(conversation, asks=False, unlocks=True))

    def refresh_folder(self, folder: str) -> None:
        """Reads what is new or has changed in a dropped folder."""
        conversation = self.now.id
        if conversation is not None:
            self._pausing = False
            params = {"conversation": conversation, "folder": folder}
            self._start("documents_refresh", params, Job(conversation, asks=False))
            self.folder_changed.emit(folder, 0)

    def more_files(self, folder: str, known: int) -> None:
        """Asks for the next files of a large folder, of which so many are known in order."""
        conversation = self.now.id

        def done(result: dict[str, Any]) -> None:
            if conversation == self.now.id:
                self.put_documents(result)
                self.folder_listed.emit(folder, known + FILES_AT_ONCE)

        params = {"conversation": conversation, "folder": folder, "from": known, "count": FILES_AT_ONCE}
        self._client.call("folder_files", params, done=done)

    def with_document(self, id: str, then: Callable[[Document], None]) -> None:
        """Does something with a document; one of a large folder may have to be asked for."""
        if id in self.now.documents:
            then(self.now.documents[id])
            return
        params = {"document": id, "count": 0}
        self._client.call("document_text", params, done=lambda result: then(Document.of(result["document"])))

    def _look_for_changes(self, folder: str) -> None:
        conversation = self.now.id

        def done(result: dict[str, Any]) -> None:
            if conversation == self.now.id:
                self.folder_changed.emit(folder, result["new"] + result["changed"] + result["gone"])

        params = {"conversation": conversation, "folder": folder}
        self._client.call("documents_changed", params, done=done, failed=lambda _: None)

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
