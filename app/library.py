"""The list of conversations: search, rename, pin, delete and take back.

Knows the engine's methods for conversations; nothing of the one that is open nor of widgets.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.engine_client import EngineClient
from app.records import Conversation

SEARCH_PAUSE_MS = 150


class Library(QObject):
    """`conversations` is what the current search finds, in the engine's order."""

    changed = Signal()
    deleted = Signal(object)

    def __init__(self, client: EngineClient) -> None:
        super().__init__()
        self._client = client
        self.conversations: list[Conversation] = []
        self._search = ""
        self._turn = 0
        self._typing = QTimer(self, interval=SEARCH_PAUSE_MS, singleShot=True)
        self._typing.timeout.connect(self.refresh)
        client.ready.connect(lambda _: self.refresh())

    def search(self, text: str) -> None:
        """Shows the conversations that match, shortly after the typing pauses."""
        self._search = text.strip()
        self._typing.start()

    @property
    def searching(self) -> bool:
        return bool(self._search)

    def refresh(self) -> None:
        """Asks for the list; an answer that a later question has overtaken is left aside."""
        self._turn += 1
        turn = self._turn

        def done(result: dict[str, Any]) -> None:
            if turn == self._turn:
                self.conversations = [Conversation.of(wire) for wire in result["conversations"]]
                self.changed.emit()

        self._client.call("conversations_list", {"search": self._search} if self._search else {}, done=done)

    def rename(self, id: str, title: str) -> None:
        """Gives a conversation another title; an empty one changes nothing."""
        if title.strip():
            self._change("conversation_rename", {"conversation": id, "title": title.strip()})

    def pin(self, id: str, pinned: bool) -> None:
        """Holds a conversation at the top of the list, or lets it go."""
        self._change("conversation_pin", {"conversation": id, "pinned": pinned})

    def delete(self, conversation: Conversation) -> None:
        """Deletes; `deleted` follows, and `restore` takes it back."""
        self._client.call(
            "conversation_delete", {"conversation": conversation.id}, done=lambda _: self._gone(conversation)
        )

    def restore(self, id: str) -> None:
        """Takes a deletion back."""
        self._change("conversation_restore", {"conversation": id})

    def _change(self, method: str, params: dict[str, Any]) -> None:
        self._client.call(method, params, done=lambda _: self.refresh())

    def _gone(self, conversation: Conversation) -> None:
        self.deleted.emit(conversation)
        self.refresh()
