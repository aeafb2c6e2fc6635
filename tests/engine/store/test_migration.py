"""A database of before recipes: brought up to date, with every page, document and reading where it was."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlite_utils import Database as SqliteDatabase

from engine.conversation import Conversation
from engine.documents.page import Page
from engine.store import Store, migrations
from engine.stream import Segment, keys_along
from tests.engine.fake_runtime import FakeRuntime, fake_model

SHA, OTHER, LOST = "a" * 64, "b" * 64, "c" * 64
TEXTS = ["The granary lease ends in autumn.", "", "The barn is let."]
OLD = f"""
INSERT INTO conversations VALUES ('c', 'Lease', 0, 1.0, 2.0, NULL);
INSERT INTO contents VALUES ('{SHA}', 'pdf', 'partial', 'some_pages_need_ocr', 'Page 2 is a picture.', 3, 1);
INSERT INTO contents VALUES ('{OTHER}', 'text', 'read', NULL, NULL, NULL, 1);
INSERT INTO pages (sha256, number, outcome, reason, text) VALUES ('{OTHER}', 1, 'read', NULL, 'A letter.'),
    ('{SHA}', 1, 'read', NULL, '{TEXTS[0]}'), ('{SHA}', 2, 'needs_ocr', 'no_text_layer', ''),
    ('{SHA}', 3, 'read', NULL, '{TEXTS[2]}');
INSERT INTO documents VALUES ('d', 'c', 0, 'lease.pdf', '/x/lease.pdf', NULL, 'pdf', '{SHA}', 'partial',
    'some_pages_need_ocr', 'Page 2 is a picture.', 3, 2, 40, 1.0);
INSERT INTO documents VALUES ('e', 'c', 1, 'a/letter.txt', '/x/drop/a/letter.txt', 'drop', 'text', '{OTHER}', 'read',
    NULL, NULL, NULL, 1, 9, 1.0);
INSERT INTO documents VALUES ('f', 'c', 2, 'noise.bin', '/x/drop/noise.bin', 'drop', 'unknown', '{LOST}', 'refused',
    'binary', 'No text.', NULL, 0, NULL, 1.0);
INSERT INTO documents VALUES ('g', 'c', 3, 'drop', '/y/drop', 'drop', 'unknown', NULL, 'refused', 'no_permission',
    'Closed.', NULL, 0, NULL, 1.0);
INSERT INTO messages (id, conversation, parent, role, text, state, created)
    VALUES ('m', 'c', NULL, 'user', 'When does it end?', 'complete', 1.0);
INSERT INTO message_documents VALUES ('m', 'd', 0), ('m', 'e', 1);
INSERT INTO readings VALUES ('k', NULL, 'm', 'h', '{{}}', 'complete', 9, 9, 4, 1.0, 1.0);
INSERT INTO reading_layers VALUES ('k', 0, x'01', x'02', x'03', x'04');
"""


@pytest.fixture
def migrated(file: Path) -> Store:
    file.parent.mkdir()
    connection = sqlite3.connect(file)
    with pytest.MonkeyPatch.context() as older:
        older.setattr(migrations, "STEPS", migrations.STEPS[:3])
        migrations.apply(SqliteDatabase(connection))
    connection.executescript(OLD)
    connection.close()
    with Store(file) as store:
        yield store


def test_every_page_and_content_is_there_under_the_recipe_that_made_it(migrated: Store) -> None:
    pages = migrated.pages(SHA, "1")
    assert [page.text for page in pages] == TEXTS
    assert pages[1] == Page(2, "needs_ocr", "no_text_layer", "")
    content = migrated.content(SHA, "1")
    assert content is not None
    assert (content.kind, content.outcome, content.pages, content.left_out) == ("pdf", "partial", 3, ())
    assert [page.text for page in migrated.pages(OTHER, "1")] == ["A letter."]


def test_documents_keep_what_became_of_them_and_learn_where_they_came_from(migrated: Store) -> None:
    lease, letter, noise, closed = migrated.documents("c")
    assert (lease.recipe, lease.outcome, lease.pages_read, lease.tokens, lease.origin) == ("1", "partial", 2, 40, None)
    assert (letter.recipe, letter.origin, letter.folder) == ("1", "/x/drop", "drop")
    assert (noise.recipe, noise.origin, noise.sha256) == (None, "/x/drop", LOST)
    assert closed.origin == "drop", "of a folder that was closed itself no more is known than its name"
    assert migrated.skipped_pages(SHA, "1")[0].number == 2


def test_the_index_finds_the_old_pages_and_forgets_those_that_go(migrated: Store) -> None:
    assert migrated.search_pages("c", "granary") == [("d", 1)]
    assert migrated.search_pages("c", "letter") == [("e", 1)]
    with migrated._database.write() as db:
        db.execute("DELETE FROM contents WHERE sha256 = ?", (SHA,))
        assert db.execute("SELECT count(*) FROM pages").fetchone()[0] == 1
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        db.execute("INSERT INTO pages_fts(pages_fts) VALUES ('integrity-check')")
    assert migrated.search_pages("c", "granary") == []


def test_a_conversation_is_the_stream_that_its_stored_readings_were_made_of(migrated: Store) -> None:
    model = fake_model(FakeRuntime(0.0))
    conversation = Conversation(model, migrated)
    segments = conversation.segments(migrated.path("m"))
    runtime = model.runtime
    seen = (
        f"[lease.pdf, page 1]\n{TEXTS[0]}\n\n",
        f"[lease.pdf, page 3]\n{TEXTS[2]}\n\n",
        "[Document: a/letter.txt]\nA letter.\n\n",
    )
    tokens = [tuple(runtime.tokenize(text, special=False)) for text in seen]
    before = [segments[0], Segment("document", tokens[0] + tokens[1]), Segment("document", tokens[2]), segments[-1]]
    assert keys_along("root", segments) == keys_along("root", before)
    found = migrated.load_reading("k")
    assert found is not None
    assert [tuple(layer) for layer in found[1]] == [(b"\x01", b"\x02", b"\x03", b"\x04")]


def test_a_step_that_breaks_off_leaves_the_database_as_it_was(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.parent.mkdir()
    connection = sqlite3.connect(file)
    monkeypatch.setattr(migrations, "STEPS", migrations.STEPS[:3])
    migrations.apply(SqliteDatabase(connection))
    connection.executescript(OLD)

    def m004_recipes(db: SqliteDatabase) -> None:
        real(db)
        raise RuntimeError("the power went")

    monkeypatch.undo()
    real = migrations.m004_recipes
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS[:3], m004_recipes))
    with pytest.raises(RuntimeError, match="power"):
        migrations.apply(SqliteDatabase(connection))
    assert connection.execute("SELECT text FROM pages WHERE sha256 = ? ORDER BY number", (SHA,)).fetchall() == [
        (text,) for text in TEXTS
    ]
    connection.close()
    monkeypatch.undo()
    with Store(file) as store:
        assert [page.text for page in store.pages(SHA, "1")] == TEXTS
