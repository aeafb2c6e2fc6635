"""What training reads of the documents in Keepsake."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.documents.page import Page
from engine.errors import UserError
from engine.store import Content, Store
from engine.training import corpus
from engine.training_runs import texts


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "keepsake.sqlite3")
    yield store
    store.close()


def read(store: Store, sha256: str, text: str, outcome: str = "read") -> str:
    """A conversation with a document of two pages; its id."""
    conversation = store.create_conversation("").id
    pages = [Page(1, "read", None, text), Page(2, "read", None, "The end.")]
    store.save_pages(Content(sha256, "1", "text", "read", None, None, 2), pages)
    document = store.add_document(conversation, name="lease.txt", path="/lease.txt")
    store.update_document(document.id, sha256=sha256, recipe="1", outcome=outcome)
    return conversation


def test_all_text_of_conversations_counts_once(store: Store) -> None:
    read(store, "a" * 64, "x" * 1000)
    read(store, "a" * 64, "x" * 1000)
    read(store, "b" * 64, "x" * 500, outcome="partial")
    read(store, "c" * 64, "x" * 2000, outcome="waiting")
    deleted = read(store, "d" * 64, "x" * 5000)
    store.delete(deleted)
    told = texts.available(store)
    assert (told["documents"], told["characters"]) == (3, 3524)
    assert told["least"] == texts.LEAST_CHARACTERS


@pytest.mark.parametrize(("apt", "pip", "standard"), [(True, False, True), (False, True, True), (False, False, False)])
def test_the_standard_texts_are_offered_where_a_program_fetches_them(
    apt: bool, pip: bool, standard: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus.shutil, "which", lambda name: f"/usr/bin/{name}" if apt else None)
    monkeypatch.setattr(corpus, "find_spec", lambda name: object() if pip else None)
    assert texts.available(store)["standard"] is standard


def test_the_documents_become_files_in_the_runs_folder(store: Store, tmp_path: Path) -> None:
    read(store, "a" * 64, "The rent \u20ac is due. " + "x" * texts.LEAST_CHARACTERS)
    words = texts.options(store, {"texts": "documents"}, tmp_path / "run")
    assert words == ["--data", str(tmp_path / "run" / "texts")]
    (file,) = (tmp_path / "run" / "texts").iterdir()
    assert file.suffix == ".txt"
    written = file.read_text(encoding="utf-8")
    assert written.startswith("The rent \u20ac ")
    assert written.endswith("x\n\nThe end.")


def test_too_little_is_refused_with_how_much_is_needed(store: Store, tmp_path: Path) -> None:
    read(store, "a" * 64, "x" * 1000)
    with pytest.raises(UserError) as refused:
        texts.options(store, {"texts": "documents"}, tmp_path / "run")
    assert refused.value.message == (
        "Training needs at least 200,000 characters of text. Let Keepsake read more documents."
    )


def test_the_standard_texts_are_what_the_command_fetches_by_itself(store: Store, tmp_path: Path) -> None:
    assert texts.options(store, {"texts": "standard"}, tmp_path / "run") == []
