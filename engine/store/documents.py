"""Documents of a conversation, in the order of arrival, and the folders that they came from.

It knows nothing of file formats. A path is whatever the file system calls the file: where that is no valid Unicode it
is kept as bytes, so that the file can be opened again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from engine.documents.reasons import NO_DOCUMENTS
from engine.errors import UserError
from engine.store.contents import left_out_of, left_out_text
from engine.store.database import Row
from engine.store.messages import Messages
from engine.store.records import Document, Folder, Message, NewDocument

CHANGEABLE = frozenset(
    {
        "kind",
        "sha256",
        "recipe",
        "outcome",
        "reason",
        "message",
        "pages",
        "pages_read",
        "pages_recognised",
        "left_out",
        "tokens",
        "size",
        "mtime_ns",
    }
)
FIRST_FILES = 100
"""Of each folder, which a list of documents names; the others are asked for."""


class Documents(Messages):
    """The part of the store that knows documents."""

    def documents(self, conversation: str) -> list[Document]:
        """In the order of arrival. Raises UserError("unknown_conversation")."""
        self.conversation(conversation)
        rows = self._database.rows("SELECT * FROM documents WHERE conversation = ? ORDER BY position", (conversation,))
        return [_document(row) for row in rows]

    def listed_documents(self, conversation: str) -> list[Document]:
        """Those that were dropped themselves, and the first FIRST_FILES of each folder, in the order of arrival."""
        self.conversation(conversation)
        rows = self._database.rows(
            """SELECT * FROM documents WHERE conversation = ? AND (origin IS NULL OR id IN (
                SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY origin ORDER BY position) AS place
                    FROM documents WHERE conversation = ? AND origin IS NOT NULL) WHERE place <= ?))
            ORDER BY position""",
            (conversation, conversation, FIRST_FILES),
        )
        return [_document(row) for row in rows]

    def folder_files(self, conversation: str, origin: str, start: int = 0, count: int = -1) -> list[Document]:
        """The files of a dropped folder in order, from place `start` on, at most `count` (-1: all)."""
        rows = self._database.rows(
            "SELECT * FROM documents WHERE conversation = ? AND origin = ? ORDER BY position LIMIT ? OFFSET ?",
            (conversation, _storable(origin), count, start),
        )
        return [_document(row) for row in rows]

    def folders(self, conversation: str) -> list[Folder]:
        """The dropped folders and archives, in the order of arrival, each with what became of its files."""
        rows = self._database.rows(
            """SELECT origin, folder, outcome, reason, count(*) AS files, coalesce(sum(tokens), 0) AS tokens,
                min(position) AS first FROM documents
            WHERE conversation = ? AND origin IS NOT NULL GROUP BY origin, folder, outcome, reason ORDER BY first""",
            (conversation,),
        )
        found: dict[str | bytes, Folder] = {}
        for row in rows:
            folder = found.setdefault(row["origin"], Folder(_path(row["origin"]), row["folder"], {}, {}, 0))
            where, name = ("left_out", row["reason"]) if row["reason"] in NO_DOCUMENTS else ("outcomes", row["outcome"])
            counts = dict(getattr(folder, where))
            counts[name] = counts.get(name, 0) + row["files"]
            changed = {where: counts, "tokens": folder.tokens + row["tokens"]}
            found[row["origin"]] = Folder(**{**vars(folder), **changed})
        return list(found.values())

    def twin(self, document: Document, sha256: str, recipe: str) -> Document | None:
        """An earlier document of the conversation with the same content, unless that was read in part, in another
        way.
        """
        row = self._database.row(
            """SELECT * FROM documents WHERE conversation = ? AND sha256 = ? AND position < ?
            AND reason IS NOT 'duplicate' AND (recipe = ? OR outcome = 'read') ORDER BY position LIMIT 1""",
            (document.conversation, sha256, document.position, recipe),
        )
        return None if row is None else _document(row)

    def document(self, id: str) -> Document:
        """Raises UserError("unknown_document")."""
        row = self._database.row("SELECT * FROM documents WHERE id = ?", (id,))
        if row is None:
            raise UserError("unknown_document", "That document is no longer there.", id=id)
        return _document(row)

    def documents_along(self, path: Sequence[Message]) -> list[Document]:
        """Those that the messages of a path brought in, in order."""
        return [self.document(id) for message in path for id in message.documents]

    def add_documents(self, conversation: str, new: Iterable[NewDocument]) -> int:
        """Puts files after the others of their conversation, all or none. Returns the position of the first.

        Raises UserError("unknown_conversation").
        """
        now = time.time()
        with self._database.write() as db:
            self.conversation(conversation)
            (first,) = db.execute(
                "SELECT coalesce(max(position) + 1, 0) FROM documents WHERE conversation = ?", (conversation,)
            ).fetchone()
            db.executemany(
                """INSERT INTO documents
                (id, conversation, position, name, path, folder, origin, member,
                    kind, outcome, reason, message, created)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    (
                        uuid4().hex,
                        conversation,
                        position,
                        file.name,
                        _storable(file.path),
                        file.folder,
                        None if file.origin is None else _storable(file.origin),
                        file.member,
                        file.kind,
                        file.outcome,
                        file.reason,
                        file.message,
                        now,
                    )
                    for position, file in enumerate(new, start=first)
                ),
            )
            db.execute("UPDATE conversations SET updated = ? WHERE id = ?", (now, conversation))
        return int(first)

    def add_document(self, conversation: str, **fields: Any) -> Document:
        """Puts one file after the others. fields: of NewDocument. Raises UserError("unknown_conversation")."""
        with self._database.write():
            position = self.add_documents(conversation, [NewDocument(**fields)])
            row = self._database.row(
                "SELECT * FROM documents WHERE conversation = ? AND position = ?", (conversation, position)
            )
        assert row is not None
        return _document(row)

    def update_document(self, id: str, **changes: Any) -> Document:
        """Changes the columns given, of CHANGEABLE (else ValueError). Raises UserError("unknown_document")."""
        if not changes.keys() <= CHANGEABLE:
            raise ValueError(f"not to be changed: {', '.join(sorted(changes.keys() - CHANGEABLE))}")
        if "left_out" in changes:
            changes["left_out"] = left_out_text(changes["left_out"])
        with self._database.write() as db:
            if changes:
                columns = ", ".join(f"{column} = ?" for column in changes)
                db.execute(f"UPDATE documents SET {columns} WHERE id = ?", (*changes.values(), id))
            return self.document(id)


def _storable(path: str) -> str | bytes:
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass")
    return path


def _path(stored: str | bytes) -> str:
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass")


def _document(row: Row) -> Document:
    origin = None if row["origin"] is None else _path(row["origin"])
    return Document(**{**row, "path": _path(row["path"]), "origin": origin, "left_out": left_out_of(row["left_out"])})
