from __future__ import annotations

import pytest

from engine.errors import UserError
from engine.store import NewDocument, Store

SHA = "a" * 64


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
    conversation = store.create_conversation().id
    made = store.add_document(conversation, name="menu", path=path, folder="drop", origin=path)
    assert (made.path, made.origin) == (path, path)
    assert store.folder_files(conversation, path) == [made]
    assert [folder.origin for folder in store.folders(conversation)] == [path]


def test_an_unknown_document_is_said_to_be(store: Store) -> None:
    for call in (lambda: store.document("none"), lambda: store.update_document("none", tokens=1)):
        with pytest.raises(UserError) as unknown:
            call()
        assert unknown.value.code == "unknown_document"


def drop(store: Store, conversation: str, origin: str, files: int) -> None:
    new = [NewDocument(f"{n}.txt", f"{origin}/{n}.txt", "drop", origin) for n in range(files)]
    store.add_documents(conversation, new)


def test_many_files_are_added_at_once_behind_the_others(store: Store) -> None:
    conversation = store.create_conversation().id
    store.add_document(conversation, name="a", path="/a")
    assert store.add_documents(conversation, [NewDocument("b", "/b"), NewDocument("c", "/c", outcome="refused")]) == 1
    assert [(d.position, d.name, d.outcome) for d in store.documents(conversation)] == [
        (0, "a", "waiting"),
        (1, "b", "waiting"),
        (2, "c", "refused"),
    ]
    assert store.add_documents(conversation, []) == 3


def test_of_a_large_folder_the_first_files_are_listed_and_the_rest_asked_for(store: Store) -> None:
    conversation = store.create_conversation().id
    drop(store, conversation, "/x/drop", 130)
    alone = store.add_document(conversation, name="alone", path="/alone")
    drop(store, conversation, "/y/drop", 3)
    listed = store.listed_documents(conversation)
    assert [d.name for d in listed[:100]] == [f"{n}.txt" for n in range(100)]
    assert listed[100] == alone
    assert [d.origin for d in listed[101:]] == ["/y/drop"] * 3
    assert [d.name for d in store.folder_files(conversation, "/x/drop", 100, 2)] == ["100.txt", "101.txt"]
    assert len(store.folder_files(conversation, "/x/drop", 100)) == 30


def test_a_folder_counts_what_became_of_its_files(store: Store) -> None:
    conversation = store.create_conversation().id
    drop(store, conversation, "/x/drop", 4)
    one, two, three, _ = store.documents(conversation)
    store.update_document(one.id, outcome="read", tokens=40)
    store.update_document(two.id, outcome="refused", reason="damaged")
    store.update_document(three.id, outcome="refused", reason="binary")
    (folder,) = store.folders(conversation)
    assert (folder.origin, folder.name, folder.tokens) == ("/x/drop", "drop", 40)
    assert folder.outcomes == {"read": 1, "refused": 1, "waiting": 1}
    assert folder.left_out == {"binary": 1}


def test_an_earlier_document_with_the_same_content_is_a_twin(store: Store) -> None:
    conversation = store.create_conversation().id
    first, second, third = (store.add_document(conversation, name=name, path=f"/{name}") for name in "abc")
    assert store.twin(second, SHA, "2") is None
    first = store.update_document(first.id, sha256=SHA, recipe="2", outcome="waiting")
    assert store.twin(second, SHA, "2") == first
    assert store.twin(second, SHA, "2 eng") is None, "another way may find more in what was not read whole"
    first = store.update_document(first.id, outcome="read")
    assert store.twin(second, SHA, "2 eng") == first
    store.update_document(second.id, sha256=SHA, recipe="2", outcome="refused", reason="duplicate")
    assert store.twin(third, SHA, "2") == first
    assert store.twin(first, SHA, "2") is None
