"""Conversations: their list, search, names, and the way out (put away, brought back, removed for good)."""

from __future__ import annotations

import time
from uuid import uuid4

from engine.errors import UserError
from engine.store.database import Database, Row
from engine.store.records import Conversation

DAYS_KEPT = 30


class Conversations:
    """The part of the store that knows conversations."""

    _database: Database

    def conversations(self, search: str | None = None) -> list[Conversation]:
        """Those not deleted, pinned first, then newest first. `search`: a piece of a title or a message, any case."""
        found = self._database.rows(
            """SELECT * FROM conversations AS c WHERE deleted IS NULL AND (? IS NULL
                OR instr(casefold(title), ?)
                OR EXISTS (SELECT 1 FROM messages WHERE conversation = c.id AND instr(casefold(text), ?)))
            ORDER BY pinned DESC, updated DESC, created DESC""",
            (None,) * 3 if not search else (search.casefold(),) * 3,
        )
        return [_conversation(row) for row in found]

    def conversation(self, id: str) -> Conversation:
        """Also one that was deleted and not yet purged. Raises UserError("unknown_conversation")."""
        row = self._database.row("SELECT * FROM conversations WHERE id = ?", (id,))
        if row is None:
            raise UserError("unknown_conversation", "That conversation is no longer there.", id=id)
        return _conversation(row)

    def create_conversation(self, title: str = "") -> Conversation:
        """A new conversation, empty."""
        id, now = uuid4().hex, time.time()
        with self._database.write() as db:
            db.execute(
                "INSERT INTO conversations (id, title, created, updated) VALUES (?, ?, ?, ?)", (id, title, now, now)
            )
        return self.conversation(id)

    def rename(self, id: str, title: str) -> Conversation:
        """Gives it another title."""
        return self._change(id, "title", title)

    def pin(self, id: str, pinned: bool) -> Conversation:
        """Pinned conversations stand first in the list."""
        return self._change(id, "pinned", int(pinned))

    def delete(self, id: str) -> Conversation:
        """Puts it away; `restore` brings it back until `purge` removes it."""
        return self._change(id, "deleted", time.time())

    def restore(self, id: str) -> Conversation:
        """Brings back a deleted conversation, whole."""
        return self._change(id, "deleted", None)

    def purge(self, days: float = DAYS_KEPT) -> int:
        """Removes for good what was deleted more than `days` ago, and the pages no document needs. Returns how many."""
        with self._database.write() as db:
            gone = db.execute("DELETE FROM conversations WHERE deleted < ?", (time.time() - days * 86400,)).rowcount
            if gone:
                db.execute(
                    """DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM documents
                        WHERE documents.sha256 = contents.sha256 AND documents.recipe = contents.recipe)
                    AND NOT (outcome = 'unfinished' AND EXISTS (SELECT 1 FROM documents WHERE outcome = 'waiting'))"""
                )
        if gone:
            self._database.give_back_space()
        return gone

    def _change(self, id: str, column: str, value: str | int | float | None) -> Conversation:
        with self._database.write() as db:
            self.conversation(id)
            db.execute(f"UPDATE conversations SET {column} = ? WHERE id = ?", (value, id))
        return self.conversation(id)


def _conversation(row: Row) -> Conversation:
    return Conversation(**{**row, "pinned": bool(row["pinned"])})
