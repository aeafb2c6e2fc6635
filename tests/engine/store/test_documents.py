from __future__ import annotations

from dataclasses import replace

import pytest

from engine.documents.page import Page
from engine.errors import UserError
from engine.store import Content, Store

SHA = "a" * 64
CONTENT = Content(SHA, "pdf", "partial", "some_pages_need_ocr", "Page 2 is a picture.", 3, 1)
PAGES = [
    Page(1, "read", None, "The granary lease ends in autumn."),
    Page(2, "needs_ocr", "no_text_layer", ""),
    Page(3, "blank", None, ""),
    Page(4, "read", "damaged", "A page of which the end is"),
]


def test_documents_stand_in_the_order_of_arrival(store: Store) -> None:
    conversation = store.create_conversation().id
    made = [store.add_document(conversation, name=name, path=f"/drop/{name}", folder="drop") for name in "cab"]
    assert [document.position for document in made] == [0, 1, 2]
    assert store.documents(conversation) == made
    other = store.add_document(store.create_conversation().id, name="x", path="/x", outcome="refused", reason="binary")
    assert (other.position, other.outcome, other.reason, other.folder) == (0, "refused", "binary", None)


def test_a_drop_is_committed_whole_or_not_at_all(store: Store) -> None:
    conversation = store.create_conversation().id
    with pytest.raises(KeyboardInterrupt), store.at_once():
        for name in "ab":
            store.add_document(conversation, name=name, path=f"/drop/{name}")
        raise KeyboardInterrupt
    assert store.documents(conversation) == []
    with store.at_once():
        for name in "ab":
            store.add_document(conversation, name=name, path=f"/drop/{name}")
    assert [document.name for document in store.documents(conversation)] == ["a", "b"]


def test_an_update_changes_only_the_columns_given(store: Store) -> None:
    made = store.add_document(store.create_conversation().id, name="a.pdf", path="/a.pdf", reason="damaged")
    changed = store.update_document(
        made.id, outcome="read", pages=12, pages_read=11, tokens=4000, sha256=SHA, reason=None
    )
    assert (changed.outcome, changed.pages, changed.pages_read, changed.tokens) == ("read", 12, 11, 4000)
    assert (changed.name, changed.reason, changed.sha256) == ("a.pdf", None, SHA)
    assert store.update_document(made.id) == store.document(made.id) == changed
    with pytest.raises(ValueError, match="not to be changed: conversation"):
        store.update_document(made.id, conversation="other")


@pytest.mark.parametrize("path", ["/caf\udce9 menu.txt", "/half \ud800.txt", "/📎 receipts/two\nlines.txt"])
def test_a_path_comes_back_as_the_file_system_has_it(store: Store, path: str) -> None:
    made = store.add_document(store.create_conversation().id, name="menu", path=path)
    assert made.path == path
    assert store.update_document(made.id, path=path + path).path == path + path


def test_an_unknown_document_is_said_to_be(store: Store) -> None:
    for call in (lambda: store.document("none"), lambda: store.update_document("none", tokens=1)):
        with pytest.raises(UserError) as unknown:
            call()
        assert unknown.value.code == "unknown_document"


def test_pages_are_kept_once_under_the_files_sha256(store: Store) -> None:
    assert store.content(SHA) is None and store.pages(SHA) == []
    store.save_pages(CONTENT, PAGES)
    assert store.content(SHA) == CONTENT
    assert store.pages(SHA) == PAGES
    assert store.skipped_pages(SHA) == [PAGES[1], replace(PAGES[3], text="")]


def test_a_new_extraction_replaces_the_old_one_in_the_index_too(store: Store) -> None:
    conversation = store.create_conversation().id
    document = store.add_document(conversation, name="a.pdf", path="/a.pdf")
    store.update_document(document.id, sha256=SHA)
    store.save_pages(CONTENT, PAGES)
    newer = Content(SHA, "pdf", "read", None, None, 1, 2)
    store.save_pages(newer, [Page(1, "read", None, "Only the barn is let.")])
    assert store.content(SHA) == newer and len(store.pages(SHA)) == 1
    assert store.search_pages(conversation, "granary") == []
    assert store.search_pages(conversation, "barn") == [(document.id, 1)]


def test_pages_are_found_by_words_in_their_own_conversation(store: Store) -> None:
    store.save_pages(CONTENT, PAGES)
    here, there = store.create_conversation().id, store.create_conversation().id
    document = store.add_document(here, name="a.pdf", path="/a.pdf")
    store.update_document(document.id, sha256=SHA)
    assert store.search_pages(here, "autumn GRANARY") == [(document.id, 1)]
    assert store.search_pages(here, "granary winter") == store.search_pages(there, "granary") == []
    for words in ('"', "AND (", "*", "", "  "):
        assert store.search_pages(here, words) == []
