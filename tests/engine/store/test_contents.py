"""Pages: kept once for each file and recipe, saved as they come, found by words."""

from __future__ import annotations

from dataclasses import replace

from engine.documents.page import Page
from engine.documents.reader import LeftOut
from engine.store import Content, Store

SHA = "a" * 64
CONTENT = Content(
    SHA, "2", "pdf", "partial", "some_pages_need_ocr", "Page 2 is a picture.", 3, (LeftOut("picture", "a.png", None),)
)
PAGES = [
    Page(1, "read", None, "The granary lease ends in autumn.", "Cover"),
    Page(2, "needs_ocr", "no_text_layer", ""),
    Page(3, "blank", None, ""),
    Page(4, "read", "damaged", "A page of which the end is", section="Ends", source="ocr"),
]


def test_pages_are_kept_once_under_the_files_sha256_and_the_recipe(store: Store) -> None:
    assert store.content(SHA, "2") is None and store.pages(SHA, "2") == []
    store.save_pages(CONTENT, PAGES)
    assert store.content(SHA, "2") == CONTENT
    assert store.pages(SHA, "2") == PAGES
    assert store.pages(SHA, None) == [] and store.content(SHA, "3") is None
    assert store.skipped_pages(SHA, "2") == [PAGES[1], replace(PAGES[3], text="")]


def test_pages_are_given_in_parts(store: Store) -> None:
    store.save_pages(CONTENT, PAGES)
    assert store.pages(SHA, "2", first=2, count=2) == PAGES[1:3]
    assert store.last_page(SHA, "2") == 4 and store.last_page(SHA, "9") == 0
    assert store.page_with_text_before(SHA, "2", 4) == PAGES[0]
    assert store.page_with_text_before(SHA, "2", 1) is None
    assert store.outline(SHA, "2") == [replace(PAGES[0], text=""), replace(PAGES[3], text="")]


def test_another_recipe_leaves_what_was_read_before_as_it_was(store: Store) -> None:
    conversation = store.create_conversation().id
    old, new = (store.add_document(conversation, name=name, path=f"/{name}") for name in "ab")
    store.update_document(old.id, sha256=SHA, recipe="2")
    store.save_pages(CONTENT, PAGES)
    newer = Content(SHA, "3", "pdf", "read", None, None, 1)
    store.save_pages(newer, [Page(1, "read", None, "Only the barn is let.")])
    store.update_document(new.id, sha256=SHA, recipe="3")
    assert store.content(SHA, "3") == newer and len(store.pages(SHA, "3")) == 1
    assert store.pages(SHA, "2") == PAGES
    assert store.search_pages(conversation, "granary") == [(old.id, 1)]
    assert store.search_pages(conversation, "barn") == [(new.id, 1)]
    assert store.files_read() == {(SHA, "3"): 21}


def test_the_same_recipe_again_replaces_what_there_was_in_the_index_too(store: Store) -> None:
    conversation = store.create_conversation().id
    document = store.add_document(conversation, name="a.pdf", path="/a.pdf")
    store.update_document(document.id, sha256=SHA, recipe="2")
    store.save_pages(CONTENT, PAGES)
    store.save_pages(CONTENT, [Page(1, "read", None, "Only the barn is let.")])
    assert [page.text for page in store.pages(SHA, "2")] == ["Only the barn is let."]
    assert store.search_pages(conversation, "granary") == []
    assert store.search_pages(conversation, "barn") == [(document.id, 1)]


def test_pages_that_came_are_there_after_a_crash_and_are_no_content_yet(store: Store) -> None:
    store.save_some_pages(SHA, "2", PAGES[:2])
    store.save_some_pages(SHA, "2", PAGES[2:3])
    assert store.content(SHA, "2") is None
    assert store.pages_so_far(SHA, "2") == [replace(page, text="") for page in PAGES[:3]]
    store.save_pages(CONTENT, PAGES[3:])
    assert store.content(SHA, "2") == CONTENT
    assert store.pages(SHA, "2") == PAGES and store.pages_so_far(SHA, "2") == []


def test_pages_of_what_turned_out_to_be_unreadable_are_forgotten(store: Store) -> None:
    store.save_some_pages(SHA, "2", PAGES[:2])
    store.forget_pages_so_far(SHA, "2")
    assert store.pages(SHA, "2") == []
    store.save_pages(CONTENT, PAGES)
    store.forget_pages_so_far(SHA, "2")
    assert store.pages(SHA, "2") == PAGES


def test_the_skipped_pages_of_a_conversation_come_at_once(store: Store) -> None:
    store.save_pages(CONTENT, PAGES)
    here, there = store.create_conversation().id, store.create_conversation().id
    document = store.add_document(here, name="a.pdf", path="/a.pdf")
    store.update_document(document.id, sha256=SHA, recipe="2")
    assert store.all_skipped_pages(here) == {(SHA, "2"): store.skipped_pages(SHA, "2")}
    assert store.all_skipped_pages(there) == {}


def test_pages_are_found_by_words_in_their_own_conversation(store: Store) -> None:
    store.save_pages(CONTENT, PAGES)
    here, there = store.create_conversation().id, store.create_conversation().id
    document = store.add_document(here, name="a.pdf", path="/a.pdf")
    store.update_document(document.id, sha256=SHA, recipe="2")
    assert store.search_pages(here, "autumn GRANARY") == [(document.id, 1)]
    assert store.search_pages(here, "granary winter") == store.search_pages(there, "granary") == []
    for words in ('"', "AND (", "*", "", "  "):
        assert store.search_pages(here, words) == []
