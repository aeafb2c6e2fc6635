"""The messages of a conversation as a tree, and the path through it that is on screen.

Editing or asking again makes a sibling, so nothing is lost. Knows no Qt and no engine.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.records import Message


class MessageTree:
    """Messages by id; a path runs from a root to the message that the next question continues."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = {message.id: message for message in messages}

    def __contains__(self, id: str) -> bool:
        return id in self._messages

    def __getitem__(self, id: str) -> Message:
        return self._messages[id]

    def put(self, message: Message) -> None:
        """Adds a message or replaces the one with its id."""
        self._messages[message.id] = message

    def path(self, leaf: str | None) -> list[Message]:
        """From the root to `leaf`; empty for None or an unknown id."""
        found: list[Message] = []
        while leaf is not None and leaf in self._messages:
            found.append(self._messages[leaf])
            leaf = self._messages[leaf].parent
        return found[::-1]

    def siblings(self, id: str) -> list[Message]:
        """The messages with the same parent, oldest first, `id` among them."""
        parent = self._messages[id].parent
        return sorted((m for m in self._messages.values() if m.parent == parent), key=lambda m: m.created)

    def newest_leaf(self, id: str) -> str:
        """The end of the newest branch under `id`."""
        children = [m for m in self._messages.values() if m.parent == id]
        while children:
            id = max(children, key=lambda m: m.created).id
            children = [m for m in self._messages.values() if m.parent == id]
        return id
