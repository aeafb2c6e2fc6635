"""The state of the open conversation: its messages, the path on screen, its documents and its memory.

Changed by the session alone. Knows the records; no Qt and no process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from app.message_tree import MessageTree
from app.records import Conversation, Document, Folder, Memory, Message
from engine.protocol import Failure

READ = frozenset({"read", "partial"})


@dataclass
class OpenConversation:
    """`about` is None until the first question or document makes a conversation of it. `documents` holds of a large
    folder only those that were heard of, `alone` those of them that came with no folder; `folders`, by path, count all
    of theirs. `pending` is a question that is sent and
    not yet stored, `editing` the question that the next one replaces, `waiting` what is to be done once the engine has
    made the conversation, and what if it cannot, `too_long` whether the model as it is does not hold it."""

    about: Conversation | None = None
    tree: MessageTree = field(default_factory=MessageTree)
    leaf: str | None = None
    pending: str | None = None
    editing: Message | None = None
    documents: dict[str, Document] = field(default_factory=dict)
    alone: dict[str, Document] = field(default_factory=dict)
    folders: dict[str, Folder] = field(default_factory=dict)
    memory: Memory | None = None
    waiting: list[tuple[Callable[[str], None], Callable[[Failure], None]]] = field(default_factory=list)
    too_long: bool = False

    @classmethod
    def of(cls, opened: dict[str, Any], live: dict[str, str]) -> OpenConversation:
        """From conversation_open's result; `live` is what was heard of answers that are still being written."""
        messages = [_with_live_text(Message.of(wire), live) for wire in opened["messages"]]
        made = cls(
            about=Conversation.of(opened["conversation"]),
            tree=MessageTree(messages),
            leaf=opened.get("leaf"),
            folders={wire["origin"]: Folder.of(wire) for wire in opened["folders"]},
            memory=Memory.of(opened["memory"]) if opened.get("memory") else None,
        )
        made.put_documents(Document.of(wire) for wire in opened["documents"])
        return made

    def put_documents(self, documents: Iterable[Document]) -> None:
        """Adds or replaces documents."""
        for document in documents:
            self.documents[document.id] = document
            if document.origin is None:
                self.alone[document.id] = document

    @property
    def id(self) -> str | None:
        return None if self.about is None else self.about.id

    @property
    def path(self) -> list[Message]:
        """The messages on screen, oldest first."""
        return self.tree.path(self.leaf)

    @property
    def files(self) -> int:
        """How many documents there are, those that were left out of folders aside."""
        return len(self.alone) + sum(sum(folder.outcomes.values()) for folder in self.folders.values())

    @property
    def files_read(self) -> int:
        """How many of them are read."""
        alone = sum(document.outcome in READ for document in self.alone.values())
        return alone + sum(folder.outcomes.get(outcome, 0) for folder in self.folders.values() for outcome in READ)

    @property
    def locked(self) -> tuple[int, list[str]]:
        """How many wait for a password, or hold something that does, and the names of those that are known."""
        opened = [document for document in self.documents.values() if document.opens_with_password]
        names = [document.name for document in sorted(opened, key=lambda document: document.position)]
        in_folders = sum(folder.outcomes.get("needs_password", 0) for folder in self.folders.values())
        known = sum(d.origin is not None and d.outcome == "needs_password" for d in self.documents.values())
        return len(names) + max(0, in_folders - known), names

    def question_of(self, answer: str) -> Message | None:
        """The user's message that an answer answers."""
        parent = self.tree[answer].parent if answer in self.tree else None
        return self.tree[parent] if parent is not None and parent in self.tree else None

    def has_documents(self, message: str) -> bool:
        """Whether documents came in along the path to a message."""
        return any(each.documents for each in self.tree.path(message))

    def last_question(self) -> Message | None:
        """The newest message of the person on screen."""
        return next((message for message in reversed(self.path) if message.role == "user"), None)

    def put(self, message: Message) -> bool:
        """Adds or replaces a message; True if it lengthened the path on screen."""
        known = message.id in self.tree
        self.tree.put(message)
        if known or message.parent != self.leaf:
            return False
        self.leaf, self.pending = message.id, None
        return True

    def read_on(self, progress: dict[str, Any]) -> Document | None:
        """Applies a `reading` event; returns the document as it is now, None if it is not one of these."""
        document = self.at(progress)
        if document is None:
            return None
        self.put_documents([document])
        memory = self.memory or Memory()
        tokens = max(memory.tokens_read, sum(each.tokens_read for each in self.documents.values()))
        self.memory = replace(memory, units=progress.get("units_kept", memory.units), tokens_read=tokens)
        return document

    def at(self, progress: dict[str, Any]) -> Document | None:
        """The document of a `reading` event as the event has it, changing nothing; None if it is not one of these."""
        document = self.documents.get(progress["document"])
        return document and replace(
            document,
            outcome="reading",
            page=progress.get("page"),
            pages=progress.get("pages", document.pages),
            tokens=progress.get("tokens_total", document.tokens),
            tokens_read=progress.get("tokens_read", document.tokens_read),
            seconds_left=progress.get("seconds_left"),
        )


def _with_live_text(message: Message, live: dict[str, str]) -> Message:
    if message.state != "streaming":
        return message
    if message.id in live:
        return replace(message, text=live[message.id])
    return replace(message, state="stopped")
