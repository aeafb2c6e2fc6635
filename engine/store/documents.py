"""Documents of a conversation, and the pages of their files, which all conversations share by the file's sha256.

It knows nothing of file formats. A path is whatever the file system calls the file: where that is no valid Unicode it
is kept as bytes, so that the file can be opened again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from engine.documents.page import Page
from engine.errors import UserError
from engine.store.database import Row
from engine.store.messages import Messages
from engine.store.records import Content, Document, Message, Outcome

CHANGEABLE = frozenset(
    {"kind", "sha256", "outcome", "reason", "message", "pages", "pages_read", "tokens", "path", "name", "folder"}
)


class Documents(Messages):
    """The part of the store that knows documents and pages."""

    def documents(self, conversation: str) -> list[Document]:
        """In the order of arrival. Raises UserError("unknown_conversation")."""
        self.conversation(conversation)
        rows = self._database.rows("SELECT * FROM documents WHERE conversation = ? ORDER BY position", (conversation,))
        return [_document(row) for row in rows]

    def document(self, id: str) -> Document:
        """Raises UserError("unknown_document")."""
        row = self._database.row("SELECT * FROM documents WHERE id = ?", (id,))
        if row is None:
            raise UserError("unknown_document", "That document is no longer there.", id=id)
        return _document(row)

    def documents_along(self, path: Sequence[Message]) -> list[Document]:
        """Those that the messages of a path brought in, in order."""
        return [self.document(id) for message in path for id in message.documents]

    def add_document(
        self,
        conversation: str,
        *,
        name: str,
        path: str,
        folder: str | None = None,
        kind: str = "unknown",
        outcome: Outcome = "waiting",
        reason: str | None = None,
        message: str | None = None,
    ) -> Document:
        """Puts a file after the others of its conversation. Raises UserError("unknown_conversation")."""
        id, now = uuid4().hex, time.time()
        with self._database.write() as db:
            self.conversation(conversation)
            db.execute(
                """INSERT INTO documents
                (id, conversation, position, name, path, folder, kind, outcome, reason, message, created)
                SELECT ?, ?, coalesce(max(position) + 1, 0), ?, ?, ?, ?, ?, ?, ?, ?
                FROM documents WHERE conversation = ?""",
                (id, conversation, name, _storable(path), folder, kind, outcome, reason, message, now, conversation),
            )
            db.execute("UPDATE conversations SET updated = ? WHERE id = ?", (now, conversation))
        return self.document(id)

    def update_document(self, id: str, **changes: Any) -> Document:
        """Changes the columns given, of CHANGEABLE (else ValueError). Raises UserError("unknown_document")."""
        if not changes.keys() <= CHANGEABLE:
            raise ValueError(f"not to be changed: {', '.join(sorted(changes.keys() - CHANGEABLE))}")
        if "path" in changes:
            changes["path"] = _storable(changes["path"])
        with self._database.write() as db:
            self.document(id)
            if changes:
                columns = ", ".join(f"{column} = ?" for column in changes)
                db.execute(f"UPDATE documents SET {columns} WHERE id = ?", (*changes.values(), id))
        return self.document(id)

    def content(self, sha256: str) -> Content | None:
        """What was extracted from a file of this sha256, or None."""
        row = self._database.row("SELECT * FROM contents WHERE sha256 = ?", (sha256,))
        return None if row is None else Content(**row)

    def save_pages(self, content: Content, pages: Iterable[Page]) -> None:
        """Keeps a file's pages for all conversations, in one transaction; replaces an earlier extraction."""
        with self._database.write() as db:
            db.execute("DELETE FROM contents WHERE sha256 = ?", (content.sha256,))
            db.execute(
                "INSERT INTO contents (sha256, kind, outcome, reason, message, pages, extractor)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    content.sha256,
                    content.kind,
                    content.outcome,
                    content.reason,
                    content.message,
                    content.pages,
                    content.extractor,
                ),
            )
            db.executemany(
                "INSERT INTO pages (sha256, number, outcome, reason, text) VALUES (?, ?, ?, ?, ?)",
                ((content.sha256, page.number, page.outcome, page.reason, page.text) for page in pages),
            )

    def pages(self, sha256: str) -> list[Page]:
        """All pages of a file, in order, with their text; empty if it was not extracted."""
        rows = self._database.rows(
            "SELECT number, outcome, reason, text FROM pages WHERE sha256 = ? ORDER BY number", (sha256,)
        )
        return [Page(**row) for row in rows]

    def files_read(self) -> dict[str, int]:
        """The sha256 of every file of a conversation whose text is known, and how many characters it has.

        Whether a model has read it yet is another matter: one without retaining heads may be unable to.
        """
        rows = self._database.rows(
            """SELECT pages.sha256, sum(length(pages.text)) AS characters FROM pages WHERE pages.sha256 IN (
                SELECT documents.sha256 FROM documents JOIN conversations ON conversations.id = documents.conversation
                WHERE conversations.deleted IS NULL)
            GROUP BY pages.sha256 HAVING characters > 0 ORDER BY pages.sha256"""
        )
        return {row["sha256"]: row["characters"] or 0 for row in rows}

    def skipped_pages(self, sha256: str) -> list[Page]:
        """The pages that could not be read whole, and why; without text. Blank pages are not among them."""
        rows = self._database.rows(
            "SELECT number, outcome, reason, '' AS text FROM pages"
            " WHERE sha256 = ? AND reason IS NOT NULL ORDER BY number",
            (sha256,),
        )
        return [Page(**row) for row in rows]

    def search_pages(self, conversation: str, words: str) -> list[tuple[str, int]]:
        """(document id, page) of the pages of this conversation that hold all the words, the best match first."""
        phrase = " ".join('"' + word.replace('"', '""') + '"' for word in words.split())
        if not phrase:
            return []
        rows = self._database.rows(
            """SELECT documents.id, pages.number FROM pages_fts
            JOIN pages ON pages.id = pages_fts.rowid JOIN documents ON documents.sha256 = pages.sha256
            WHERE pages_fts MATCH ? AND documents.conversation = ? ORDER BY pages_fts.rank, documents.position""",
            (phrase, conversation),
        )
        return [(row["id"], row["number"]) for row in rows]


def _storable(path: str) -> str | bytes:
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass")
    return path


def _document(row: Row) -> Document:
    path = row["path"]
    return Document(**{**row, "path": path if isinstance(path, str) else path.decode("utf-8", "surrogatepass")})
