"""The open conversation as it changes: applies what the engine tells of it and announces what is new.

Knows events and records; starts nothing. Answers of other conversations are followed, too: coming back finds them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.open_conversation import OpenConversation
from app.records import Document, Folder, Memory, Message


class ConversationFeed(QObject):
    """`now` is the open conversation."""

    path_changed = Signal()
    message_changed = Signal(object)
    token = Signal(str, str)
    documents_changed = Signal()
    document_changed = Signal(object)
    memory_changed = Signal()
    status_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.now = OpenConversation()
        self._live: dict[str, str] = {}

    def text_of(self, message: Message) -> str:
        """A message's text with what has been heard of it since."""
        return self._live.get(message.id, message.text)

    def put_message(self, message: Message) -> None:
        """A message that is new or has changed, of any conversation."""
        if message.state == "streaming":
            self._live.setdefault(message.id, message.text)
        else:
            self._live.pop(message.id, None)
        if message.conversation == self.now.id:
            lengthened = self.now.put(message)
            (self.path_changed.emit() if lengthened else self.message_changed.emit(message))

    def add_token(self, message: str, text: str) -> None:
        """A piece of an answer, of any conversation."""
        self._live[message] = self._live.get(message, "") + text
        self.token.emit(message, text)

    def end_answer(self, answer: str, state: str) -> None:
        """An answer that will not be heard of again ends as it is."""
        if answer in self.now.tree and self.now.tree[answer].state == "streaming":
            message = self.now.tree[answer]
            self.put_message(replace(message, text=self.text_of(message), state=state))
        self._live.pop(answer, None)

    def put_document(self, document: Document) -> None:
        """A document that is new or has changed, of any conversation."""
        if document.conversation == self.now.id:
            known = document.id in self.now.documents
            self.now.put_documents([document])
            (self.document_changed.emit(document) if known else self.documents_changed.emit())

    def put_documents(self, told: dict[str, Any]) -> None:
        """Documents of the open conversation, and what is known of its folders, as the engine tells of many at once."""
        self.now.put_documents(Document.of(wire) for wire in told["documents"])
        self.now.folders |= {wire["origin"]: Folder.of(wire) for wire in told.get("folders", [])}
        self.documents_changed.emit()

    def read_on(self, progress: dict[str, Any]) -> Document | None:
        """How far the reading of one of the open conversation's documents has come."""
        document = self.now.read_on(progress)
        if document is not None:
            self.document_changed.emit(document)
            self.memory_changed.emit()
        return document

    def put_memory(self, memory: dict[str, Any] | None) -> None:
        """What the open conversation's cache holds; None changes nothing."""
        if memory is not None:
            self.now.memory = Memory.of(memory)
            self.memory_changed.emit()
