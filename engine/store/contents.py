"""What was extracted from files, and its pages, which all conversations share by the file's sha256 and the recipe.

Nothing that was extracted is changed: another recipe makes other pages beside these. It knows nothing of file formats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from sqlite3 import Connection

from engine.documents.page import Page
from engine.documents.reader import LeftOut
from engine.store.database import Database
from engine.store.records import Content

UNFINISHED = "unfinished"
_PAGE = "number, pages.outcome, pages.reason, text, label, section, source"
_PAGE_WITHOUT_TEXT = "number, pages.outcome, pages.reason, '' AS text, label, section, source"
_OF = "FROM pages JOIN contents ON contents.id = pages.content WHERE contents.sha256 = ? AND contents.recipe = ?"


class Contents:
    """The part of the store that knows contents and pages."""

    _database: Database

    def content(self, sha256: str, recipe: str) -> Content | None:
        """What was extracted from a file of this sha256 in this way, or None where that did not come to its end."""
        row = self._database.row(
            "SELECT sha256, recipe, kind, outcome, reason, message, pages, left_out FROM contents"
            " WHERE sha256 = ? AND recipe = ? AND outcome != ?",
            (sha256, recipe, UNFINISHED),
        )
        return None if row is None else Content(**{**row, "left_out": left_out_of(row["left_out"])})

    def save_some_pages(self, sha256: str, recipe: str, pages: Sequence[Page]) -> None:
        """Keeps the next pages of a file that is being extracted, so that they survive a crash."""
        with self._database.write() as db:
            db.execute(
                "INSERT OR IGNORE INTO contents (sha256, recipe, kind, outcome) VALUES (?, ?, 'unknown', ?)",
                (sha256, recipe, UNFINISHED),
            )
            _save_pages(db, sha256, recipe, pages)

    def pages_so_far(self, sha256: str, recipe: str) -> list[Page]:
        """The pages of an extraction that did not come to its end, without text, in order; empty if there is none."""
        return self._pages(
            f"SELECT {_PAGE_WITHOUT_TEXT} {_OF} AND contents.outcome = ? ORDER BY number", sha256, recipe, UNFINISHED
        )

    def forget_pages_so_far(self, sha256: str, recipe: str) -> None:
        """The file turned out to give no pages."""
        with self._database.write() as db:
            db.execute(
                "DELETE FROM contents WHERE sha256 = ? AND recipe = ? AND outcome = ?", (sha256, recipe, UNFINISHED)
            )

    def save_pages(self, content: Content, pages: Sequence[Page]) -> None:
        """Keeps what came of a whole extraction for all conversations, in one transaction: with the pages so far and
        these, which come after them. What an extraction before it came to gives way.
        """
        key = (content.sha256, content.recipe)
        with self._database.write() as db:
            db.execute("DELETE FROM contents WHERE sha256 = ? AND recipe = ? AND outcome != ?", (*key, UNFINISHED))
            db.execute(
                """INSERT INTO contents (sha256, recipe, kind, outcome, reason, message, pages, left_out)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (sha256, recipe) DO UPDATE SET
                kind = excluded.kind, outcome = excluded.outcome, reason = excluded.reason,
                message = excluded.message, pages = excluded.pages, left_out = excluded.left_out""",
                (
                    *key,
                    content.kind,
                    content.outcome,
                    content.reason,
                    content.message,
                    content.pages,
                    left_out_text(content.left_out),
                ),
            )
            _save_pages(db, *key, pages)

    def pages(self, sha256: str, recipe: str | None, first: int = 1, count: int = -1) -> list[Page]:
        """The pages of a file in order, with their text, from number `first` on, at most `count` (-1: all); empty if it
        was not extracted.
        """
        return self._pages(
            f"SELECT {_PAGE} {_OF} AND number >= ? ORDER BY number LIMIT ?", sha256, recipe, first, count
        )

    def page_with_text_before(self, sha256: str, recipe: str | None, number: int) -> Page | None:
        """The nearest page with text above this one."""
        sql = f"SELECT {_PAGE} {_OF} AND number < ? AND text != '' ORDER BY number DESC LIMIT 1"
        found = self._pages(sql, sha256, recipe, number)
        return found[0] if found else None

    def outline(self, sha256: str, recipe: str | None) -> list[Page]:
        """The pages that have a label or a section, without their text."""
        return self._pages(
            f"SELECT {_PAGE_WITHOUT_TEXT} {_OF} AND coalesce(label, section) IS NOT NULL ORDER BY number",
            sha256,
            recipe,
        )

    def last_page(self, sha256: str, recipe: str | None) -> int:
        """The highest number of a page, 0 where there is none."""
        row = self._database.row(f"SELECT max(number) AS last {_OF}", (sha256, recipe))
        return int(row["last"] or 0) if row else 0

    def pages_with_text(self, sha256: str, recipe: str | None) -> tuple[int, int]:
        """How many pages were read, blank ones among them, and of how many the text was recognised."""
        row = self._database.row(
            "SELECT coalesce(sum(pages.outcome IN ('read', 'blank')), 0) AS read,"
            f" coalesce(sum(source = 'ocr' AND pages.outcome = 'read'), 0) AS recognised {_OF}",
            (sha256, recipe),
        )
        return (row["read"], row["recognised"]) if row else (0, 0)

    def recognised_pages(self, sha256: str, recipe: str | None) -> list[int]:
        """The numbers of the pages of which the text was recognised."""
        rows = self._database.rows(
            f"SELECT number {_OF} AND source = 'ocr' AND pages.outcome = 'read' ORDER BY number", (sha256, recipe)
        )
        return [row["number"] for row in rows]

    def skipped_pages(self, sha256: str, recipe: str | None) -> list[Page]:
        """The pages that could not be read whole, and why; without text. Blank pages are not among them."""
        return self._pages(
            f"SELECT {_PAGE_WITHOUT_TEXT} {_OF} AND pages.reason IS NOT NULL ORDER BY number", sha256, recipe
        )

    def all_skipped_pages(self, conversation: str) -> dict[tuple[str, str], list[Page]]:
        """The same for all files of a conversation at once, by sha256 and recipe."""
        rows = self._database.rows(
            f"""SELECT contents.sha256, contents.recipe, {_PAGE_WITHOUT_TEXT} FROM contents
            JOIN pages ON pages.content = contents.id
            WHERE pages.reason IS NOT NULL AND (contents.sha256, contents.recipe) IN
                (SELECT sha256, recipe FROM documents WHERE conversation = ?)
            ORDER BY contents.id, number""",
            (conversation,),
        )
        found: dict[tuple[str, str], list[Page]] = {}
        for row in rows:
            found.setdefault((row.pop("sha256"), row.pop("recipe")), []).append(Page(**row))
        return found

    def files_read(self) -> dict[tuple[str, str], int]:
        """The sha256 of every file of a conversation whose text is known, each with its newest recipe, and how many
        characters that gave.

        Whether a model has read it yet is another matter: one without retaining heads may be unable to.
        """
        rows = self._database.rows(
            """SELECT sha256, recipe, characters FROM (
                SELECT contents.sha256, contents.recipe, sum(length(pages.text)) AS characters, contents.id,
                    max(contents.id) OVER (PARTITION BY contents.sha256) AS newest
                FROM contents JOIN pages ON pages.content = contents.id
                WHERE (contents.sha256, contents.recipe) IN (
                    SELECT documents.sha256, documents.recipe FROM documents
                    JOIN conversations ON conversations.id = documents.conversation
                    WHERE conversations.deleted IS NULL)
                GROUP BY contents.id)
            WHERE id = newest AND characters > 0 ORDER BY sha256"""
        )
        return {(row["sha256"], row["recipe"]): row["characters"] for row in rows}

    def search_pages(self, conversation: str, words: str) -> list[tuple[str, int]]:
        """(document id, page) of the pages of this conversation that hold all the words, the best match first."""
        phrase = " ".join('"' + word.replace('"', '""') + '"' for word in words.split())
        if not phrase:
            return []
        rows = self._database.rows(
            """SELECT documents.id, pages.number FROM pages_fts
            JOIN pages ON pages.id = pages_fts.rowid JOIN contents ON contents.id = pages.content
            JOIN documents ON documents.sha256 = contents.sha256 AND documents.recipe = contents.recipe
            WHERE pages_fts MATCH ? AND documents.conversation = ? ORDER BY pages_fts.rank, documents.position""",
            (phrase, conversation),
        )
        return [(row["id"], row["number"]) for row in rows]

    def _pages(self, sql: str, *parameters: str | int | None) -> list[Page]:
        return [Page(**row) for row in self._database.rows(sql, parameters)]


def left_out_text(parts: Iterable[LeftOut]) -> str:
    """As it stands in the database."""
    return json.dumps([astuple(part) for part in parts])


def left_out_of(text: str) -> tuple[LeftOut, ...]:
    """From the database."""
    return tuple(LeftOut(*part) for part in json.loads(text))


def _save_pages(db: Connection, sha256: str, recipe: str, pages: Iterable[Page]) -> None:
    db.executemany(
        """INSERT INTO pages (content, number, outcome, reason, text, label, section, source)
        SELECT id, ?, ?, ?, ?, ?, ?, ? FROM contents WHERE sha256 = ? AND recipe = ?""",
        ((*astuple(page), sha256, recipe) for page in pages),
    )
