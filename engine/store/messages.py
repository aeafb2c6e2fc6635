"""Messages: a tree in each conversation, so that an edited question or a second answer loses nothing.

It knows nothing of tokens or models. Order is the order of writing (a sequence of SQLite's), whatever the clock says.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from engine.errors import UserError
from engine.store.conversations import Conversations
from engine.store.database import Row
from engine.store.records import Message, MessageState, Role

_SELECT = """SELECT m.id, m.conversation, m.parent, m.role, m.text, m.state, m.created, m.stats,
    (SELECT json_group_array(document)
        FROM (SELECT document FROM message_documents WHERE message = m.id ORDER BY position)) AS documents
    FROM messages AS m"""


class Messages(Conversations):
    """The part of the store that knows messages."""

    def messages(self, conversation: str) -> list[Message]:
        """The whole tree, in the order of writing. Raises UserError("unknown_conversation")."""
        self.conversation(conversation)
        found = self._database.rows(f"{_SELECT} WHERE m.conversation = ? ORDER BY m.sequence", (conversation,))
        return [_message(row) for row in found]

    def message(self, id: str) -> Message:
        """Raises UserError("unknown_message")."""
        row = self._database.row(f"{_SELECT} WHERE m.id = ?", (id,))
        if row is None:
            raise UserError("unknown_message", "That message is no longer there.", id=id)
        return _message(row)

    def add_message(
        self,
        conversation: str,
        parent: str | None,
        role: Role,
        text: str,
        *,
        documents: Sequence[str] = (),
        state: MessageState = "complete",
    ) -> Message:
        """Committed when it returns. `documents`: ids of this conversation's documents that come in with the message.

        Raises UserError "unknown_conversation", "unknown_message" (parent), "unknown_document".
        """
        id, now = uuid4().hex, time.time()
        with self._database.write() as db:
            self.conversation(conversation)
            if parent is not None and self.message(parent).conversation != conversation:
                raise UserError("unknown_message", "The message to follow belongs to another conversation.", id=parent)
            db.execute(
                "INSERT INTO messages (id, conversation, parent, role, text, state, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (id, conversation, parent, role, text, state, now),
            )
            for position, document in enumerate(documents):
                if not db.execute(
                    "SELECT 1 FROM documents WHERE id = ? AND conversation = ?", (document, conversation)
                ).fetchone():
                    raise UserError("unknown_document", "That document is not in this conversation.", id=document)
                db.execute("INSERT INTO message_documents VALUES (?, ?, ?)", (id, document, position))
            db.execute("UPDATE conversations SET updated = ? WHERE id = ?", (now, conversation))
        return self.message(id)

    def update_message(
        self,
        id: str,
        text: str | None = None,
        state: MessageState | None = None,
        stats: Mapping[str, Any] | None = None,
    ) -> Message:
        """Changes what is given, leaves the rest. Raises UserError("unknown_message")."""
        with self._database.write() as db:
            self.message(id)
            db.execute(
                "UPDATE messages SET text = coalesce(?, text), state = coalesce(?, state), stats = coalesce(?, stats)"
                " WHERE id = ?",
                (text, state, None if stats is None else json.dumps(stats), id),
            )
        return self.message(id)

    def path(self, id: str) -> list[Message]:
        """From the root of the tree to this message. Raises UserError("unknown_message")."""
        found = self._database.rows(
            f"""WITH RECURSIVE up(id, depth) AS (
                SELECT ?, 0 UNION ALL
                SELECT parent, depth + 1 FROM messages JOIN up USING (id) WHERE parent IS NOT NULL)
            {_SELECT} JOIN up ON up.id = m.id ORDER BY up.depth DESC""",
            (id,),
        )
        if not found:
            self.message(id)
        return [_message(row) for row in found]

    def leaf(self, conversation: str) -> str | None:
        """The message that nothing follows and that was written last; None in an empty conversation.

        A further answer that ended without a word gives way to what was there before it.
        Raises UserError("unknown_conversation").
        """
        self.conversation(conversation)
        row = self._database.row(
            """SELECT id FROM messages AS m WHERE conversation = ? AND NOT (
                role = 'assistant' AND text = '' AND state IN ('stopped', 'failed') AND EXISTS (
                    SELECT 1 FROM messages AS earlier WHERE earlier.parent = m.parent
                    AND earlier.role = 'assistant' AND earlier.sequence < m.sequence))
            ORDER BY sequence DESC""",
            (conversation,),
        )
        return None if row is None else str(row["id"])


def _message(row: Row) -> Message:
    documents = tuple(json.loads(row["documents"]))
    return Message(**{**row, "documents": documents, "stats": json.loads(row["stats"])})
