from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UserError
from engine.store import Store
from engine.store.store import FILE_NAME


def test_a_path_runs_from_the_root_to_the_message(store: Store) -> None:
    conversation = store.create_conversation().id
    question = store.add_message(conversation, None, "user", "first")
    answer = store.add_message(conversation, question.id, "assistant", "one", state="streaming")
    other = store.add_message(conversation, question.id, "assistant", "two")
    assert store.path(answer.id) == [question, answer]
    assert store.path(other.id) == [question, other]
    assert store.messages(conversation) == [question, answer, other]


def test_the_leaf_is_what_was_written_last(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = store.create_conversation().id
    assert store.leaf(conversation) is None
    question = store.add_message(conversation, None, "user", "first")
    store.add_message(conversation, question.id, "assistant", "answer")
    monkeypatch.setattr("time.time", lambda: 0.0)
    edited = store.add_message(conversation, None, "user", "edited, while the clock went back")
    assert store.leaf(conversation) == edited.id


def test_a_further_answer_without_a_word_gives_way_to_the_one_before_it(store: Store) -> None:
    conversation = store.create_conversation().id
    question = store.add_message(conversation, None, "user", "first")
    alone = store.add_message(conversation, question.id, "assistant", "", state="stopped")
    assert store.leaf(conversation) == alone.id, "there is no other"
    answer = store.add_message(conversation, question.id, "assistant", "answer")
    after = store.add_message(conversation, answer.id, "user", "second")
    further = store.add_message(conversation, question.id, "assistant", "", state="streaming")
    assert store.leaf(conversation) == further.id
    for state in ("stopped", "failed"):
        store.update_message(further.id, state=state)
        assert store.leaf(conversation) == after.id, "what was there before it, wherever that was"
    store.update_message(further.id, text="but")
    assert store.leaf(conversation) == further.id


def test_documents_come_in_with_a_message_in_order(store: Store) -> None:
    conversation = store.create_conversation().id
    ids = [store.add_document(conversation, name=name, path=f"/{name}").id for name in "abc"]
    message = store.add_message(conversation, None, "user", "read", documents=[ids[2], ids[0]])
    assert message.documents == (ids[2], ids[0])
    assert store.path(message.id) == store.messages(conversation) == [message]


def test_an_update_changes_what_is_given_and_nothing_else(store: Store) -> None:
    conversation = store.create_conversation().id
    made = store.add_message(conversation, None, "assistant", "so far", state="streaming")
    stats = {"tokens": 12, "citations": [{"document": "a", "name": "ä.pdf", "page": 3}]}
    assert store.update_message(made.id, stats=stats).text == "so far"
    changed = store.update_message(made.id, text="", state="complete")
    assert (changed.text, changed.state, changed.stats) == ("", "complete", stats)
    assert store.message(made.id) == changed


def test_what_does_not_belong_is_refused_and_leaves_nothing(store: Store) -> None:
    here, there = store.create_conversation().id, store.create_conversation().id
    foreign = store.add_message(there, None, "user", "elsewhere")
    document = store.add_document(there, name="a", path="/a")
    with pytest.raises(UserError, match="another conversation"):
        store.add_message(here, foreign.id, "user", "text")
    with pytest.raises(UserError) as unknown:
        store.add_message(here, None, "user", "text", documents=[document.id])
    assert unknown.value.code == "unknown_document"
    assert store.messages(here) == []


def test_an_unknown_message_is_said_to_be(store: Store) -> None:
    conversation = store.create_conversation().id
    for call in (
        lambda: store.message("none"),
        lambda: store.path("none"),
        lambda: store.update_message("none", text="text"),
        lambda: store.add_message(conversation, "none", "user", "text"),
    ):
        with pytest.raises(UserError) as unknown:
            call()
        assert unknown.value.code == "unknown_message"


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(min_value=0), max_size=25), st.text(max_size=20).filter(lambda text: text.isprintable()))
def test_any_tree_comes_back_as_it_was_written(parents: list[int], text: str) -> None:
    """`parents[i] % (i + 1)` is the parent of message i: 0 the root, n the n-th message."""
    with tempfile.TemporaryDirectory() as folder:
        expected: dict[str, list[str]] = {}
        with Store(Path(folder) / FILE_NAME) as store:
            conversation = store.create_conversation().id
            ids: list[str] = []
            for number, choice in enumerate(parents):
                parent = ([None, *ids])[choice % (number + 1)]
                role = "user" if number % 2 else "assistant"
                message = store.add_message(conversation, parent, role, f"{number} {text}")
                expected[message.id] = [*expected.get(parent or "", []), message.id]
                ids.append(message.id)
                assert store.leaf(conversation) == message.id
        with Store(Path(folder) / FILE_NAME) as store:
            assert [message.id for message in store.messages(conversation)] == ids
            for id, path in expected.items():
                assert [message.id for message in store.path(id)] == path
            assert [message.text for message in store.messages(conversation)] == [
                f"{number} {text}" for number in range(len(ids))
            ]
