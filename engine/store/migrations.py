"""The schema's history. Steps are appended, never edited: a database somewhere has already taken them.

It knows SQL and nothing of what the tables are used for. Each step and the note that it was taken are one transaction.
"""

from __future__ import annotations

from typing import Any

from sqlite_utils import Database, Migrations

from engine.errors import UserError

SET = "keepsake"


def apply(db: Database) -> None:
    """Brings the database to the newest schema. Raises UserError("database_newer") if it has steps unknown here."""
    steps = Migrations(SET)
    for step in STEPS:
        steps()(step)
    unknown = {taken.name for taken in steps.applied(db)} - {step.__name__ for step in STEPS}
    if unknown:
        raise UserError(
            "database_newer",
            "These conversations were written by a newer Keepsake. Install it, or choose another data folder.",
            steps=sorted(unknown),
        )
    if steps.pending(db):
        steps.apply(db)


def m001_conversations(db: Any) -> None:
    """Conversations, their tree of messages, their documents, and settings."""
    for statement in (
        "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
        """CREATE TABLE conversations (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0,
            created REAL NOT NULL,
            updated REAL NOT NULL,
            deleted REAL)""",
        """CREATE TABLE messages (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            parent TEXT REFERENCES messages(id) ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
            text TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('complete', 'streaming', 'stopped', 'failed')),
            created REAL NOT NULL,
            stats TEXT NOT NULL DEFAULT '{}')""",
        "CREATE INDEX messages_conversation ON messages(conversation)",
        "CREATE INDEX messages_parent ON messages(parent)",
        """CREATE TABLE documents (
            id TEXT PRIMARY KEY,
            conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            name TEXT NOT NULL,
            path BLOB NOT NULL,
            folder TEXT,
            kind TEXT NOT NULL,
            sha256 TEXT,
            outcome TEXT NOT NULL,
            reason TEXT,
            message TEXT,
            pages INTEGER,
            pages_read INTEGER NOT NULL DEFAULT 0,
            tokens INTEGER,
            created REAL NOT NULL,
            UNIQUE (conversation, position))""",
        "CREATE INDEX documents_sha256 ON documents(sha256)",
        """CREATE TABLE message_documents (
            message TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
            document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            PRIMARY KEY (message, document)) WITHOUT ROWID""",
        "CREATE INDEX message_documents_document ON message_documents(document)",
    ):
        db.execute(statement)


def m002_contents(db: Any) -> None:
    """What was extracted from a file, once for all conversations, with a full-text index over the pages."""
    for statement in (
        """CREATE TABLE contents (
            sha256 TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            outcome TEXT NOT NULL,
            reason TEXT,
            message TEXT,
            pages INTEGER,
            extractor INTEGER NOT NULL)""",
        """CREATE TABLE pages (
            id INTEGER PRIMARY KEY,
            sha256 TEXT NOT NULL REFERENCES contents(sha256) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            reason TEXT,
            text TEXT NOT NULL,
            UNIQUE (sha256, number))""",
    ):
        db.execute(statement)
    db.table("pages").enable_fts(["text"], create_triggers=True)


def m003_readings(db: Any) -> None:
    """Stored states of the cache, layer by layer."""
    for statement in (
        """CREATE TABLE readings (
            key TEXT PRIMARY KEY,
            parent TEXT,
            model TEXT NOT NULL,
            heads TEXT NOT NULL,
            policy TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('partial', 'complete')),
            tokens_read INTEGER NOT NULL,
            units INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            created REAL NOT NULL,
            used REAL NOT NULL)""",
        """CREATE TABLE reading_layers (
            reading TEXT NOT NULL REFERENCES readings(key) ON DELETE CASCADE,
            layer INTEGER NOT NULL,
            keys BLOB NOT NULL,
            "values" BLOB NOT NULL,
            scores BLOB NOT NULL,
            positions BLOB NOT NULL,
            PRIMARY KEY (reading, layer))""",
    ):
        db.execute(statement)


def m004_recipes(db: Any) -> None:
    """What was extracted is kept for each recipe, so that a better one leaves what was read with another as it was.

    Parts of documents get the names that they have there, documents what tells whether their file has changed since.
    """
    db.table("pages").disable_fts()
    for statement in (
        """CREATE TABLE new_contents (
            id INTEGER PRIMARY KEY,
            sha256 TEXT NOT NULL,
            recipe TEXT NOT NULL,
            kind TEXT NOT NULL,
            outcome TEXT NOT NULL,
            reason TEXT,
            message TEXT,
            pages INTEGER,
            left_out TEXT NOT NULL DEFAULT '[]',
            UNIQUE (sha256, recipe))""",
        """INSERT INTO new_contents (sha256, recipe, kind, outcome, reason, message, pages)
            SELECT sha256, CAST(extractor AS TEXT), kind, outcome, reason, message, pages FROM contents""",
        """CREATE TABLE new_pages (
            id INTEGER PRIMARY KEY,
            content INTEGER NOT NULL REFERENCES new_contents(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            reason TEXT,
            text TEXT NOT NULL,
            label TEXT,
            section TEXT,
            source TEXT NOT NULL DEFAULT 'text',
            UNIQUE (content, number))""",
        """INSERT INTO new_pages (id, content, number, outcome, reason, text)
            SELECT pages.id, new_contents.id, pages.number, pages.outcome, pages.reason, pages.text
            FROM pages JOIN new_contents ON new_contents.sha256 = pages.sha256""",
        "DROP TABLE pages",
        "DROP TABLE contents",
        "ALTER TABLE new_contents RENAME TO contents",
        "ALTER TABLE new_pages RENAME TO pages",
        "CREATE INDEX pages_with_reason ON pages(content) WHERE reason IS NOT NULL",
        "ALTER TABLE documents ADD COLUMN recipe TEXT",
        "ALTER TABLE documents ADD COLUMN size INTEGER",
        "ALTER TABLE documents ADD COLUMN mtime_ns INTEGER",
        "ALTER TABLE documents ADD COLUMN member TEXT",
        "ALTER TABLE documents ADD COLUMN origin BLOB",
        "ALTER TABLE documents ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE documents ADD COLUMN pages_recognised INTEGER NOT NULL DEFAULT 0",
        "UPDATE documents SET recipe = (SELECT recipe FROM contents WHERE contents.sha256 = documents.sha256)",
        """UPDATE documents SET origin = CASE
            WHEN name != folder AND typeof(path) = 'text' AND substr(path, -length(name)) = name
            THEN substr(path, 1, length(path) - length(name) - 1) ELSE folder END
            WHERE folder IS NOT NULL""",
        "CREATE INDEX documents_conversation_sha256 ON documents(conversation, sha256)",
        "CREATE INDEX documents_conversation_origin ON documents(conversation, origin, position)",
    ):
        db.execute(statement)
    db.table("pages").enable_fts(["text"], create_triggers=True)


STEPS = (m001_conversations, m002_contents, m003_readings, m004_recipes)
