from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from engine.documents.page import Page
from engine.errors import UserError
from engine.store import Content, Store


def test_the_list_has_pinned_first_then_the_newest(store: Store) -> None:
    first, second, third = (store.create_conversation(title) for title in ("first", "second", "third"))
    store.add_message(second.id, None, "user", "now the newest")
    store.pin(first.id, True)
    assert [found.title for found in store.conversations()] == ["first", "second", "third"]
    store.pin(first.id, False)
    assert [found.id for found in store.conversations()] == [second.id, third.id, first.id]


def test_renaming_and_pinning_do_not_make_it_newer(store: Store) -> None:
    made = store.create_conversation()
    assert store.pin(made.id, True).updated == store.rename(made.id, "lease").updated == made.updated
    assert store.conversation(made.id).title == "lease"


@pytest.mark.parametrize("search", ["LEASE", "über", "ÜBER", "100%_", ""])
def test_search_finds_a_piece_of_a_title_or_a_message_in_any_case(store: Store, search: str) -> None:
    wanted = store.create_conversation("The lease, Über 100%_")
    assert wanted in store.conversations(search)
    by_message = store.create_conversation()
    store.add_message(by_message.id, None, "user", "what does the Lease say Über 100%_ of it?")
    assert {found.id for found in store.conversations(search)} == {wanted.id, by_message.id}


def test_search_finds_nothing_else(store: Store) -> None:
    store.create_conversation("1000 leases")
    assert store.conversations("100%") == store.conversations("l_ase") == []


def test_a_deleted_conversation_is_out_of_the_list_and_comes_back_whole(store: Store) -> None:
    made = store.create_conversation("kept")
    message = store.add_message(made.id, None, "user", "hello")
    assert store.delete(made.id).deleted is not None
    assert store.conversations() == store.conversations("kept") == []
    assert store.restore(made.id).deleted is None
    assert store.messages(made.id) == [message]
    assert [found.id for found in store.conversations()] == [made.id]


def test_purge_removes_for_good_only_what_was_deleted_long_ago(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    old, recent, kept = (store.create_conversation(title) for title in ("old", "recent", "kept"))
    for conversation, sha256 in ((old, "a" * 64), (kept, "b" * 64)):
        store.save_pages(Content(sha256, "1", "text", "read", None, None, None), [Page(1, "read", None, "text")])
        document = store.add_document(conversation.id, name="a.txt", path="/a.txt")
        store.update_document(document.id, sha256=sha256, recipe="1")
        store.add_message(conversation.id, None, "user", "question", documents=[document.id])
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 31 * 86400)
    store.delete(old.id)
    monkeypatch.setattr(time, "time", lambda: now - 29 * 86400)
    store.delete(recent.id)
    monkeypatch.setattr(time, "time", lambda: now)
    assert store.purge() == 1
    assert store.purge() == 0
    with pytest.raises(UserError):
        store.conversation(old.id)
    store.restore(recent.id)
    assert {found.title for found in store.conversations()} == {"recent", "kept"}
    assert store.content("a" * 64, "1") is None and store.pages("a" * 64, "1") == []
    assert len(store.pages("b" * 64, "1")) == 1 and len(store.messages(kept.id)) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.conversation("none"),
        lambda store: store.rename("none", "title"),
        lambda store: store.pin("none", True),
        lambda store: store.delete("none"),
        lambda store: store.restore("none"),
        lambda store: store.messages("none"),
        lambda store: store.leaf("none"),
        lambda store: store.documents("none"),
        lambda store: store.add_message("none", None, "user", "text"),
        lambda store: store.add_document("none", name="a", path="/a"),
    ],
)
def test_an_unknown_conversation_is_said_to_be(store: Store, call: Callable[[Store], object]) -> None:
    with pytest.raises(UserError) as unknown:
        call(store)
    assert unknown.value.code == "unknown_conversation"


def test_settings_are_kept_by_name(store: Store) -> None:
    assert store.settings() == {}
    store.save_settings({"budget_mb": 512.5, "policy": "locret"})
    store.save_settings({"policy": "full", "engine": ["ssh", "workstation"]})
    assert store.settings() == {"budget_mb": 512.5, "policy": "full", "engine": ["ssh", "workstation"]}
