"""What is told of documents: one by one while little happens, many at once where much does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import document_events
from engine.document_events import DocumentEvents
from engine.engine import Engine
from engine.store import NewDocument

Told = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine(tmp_path / "data")
    yield engine
    engine.close()


def events(engine: Engine, conversation: str) -> tuple[DocumentEvents, Told]:
    told: Told = []
    return DocumentEvents(engine, conversation, lambda event, data: told.append((event, data))), told


def test_one_that_changes_now_and_then_is_told_of_at_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_events, "EVENT_SECONDS", 0.0)
    conversation = engine.store.create_conversation().id
    document = engine.store.add_document(conversation, name="a.txt", path="/a.txt")
    told_by, told = events(engine, conversation)
    engine.live[document.id] = {"page": 4, "doing": "recognising"}
    told_by.changed(document)
    ((event, data),) = told
    assert event == "document"
    assert (data["document"]["name"], data["document"]["page"]) == ("a.txt", 4)


def test_many_that_change_at_once_are_told_of_together_each_as_it_is_last(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_events, "EVENT_SECONDS", 3600.0)
    store = engine.store
    conversation = store.create_conversation().id
    store.add_documents(conversation, [NewDocument(f"{n}.txt", f"/drop/{n}.txt", "drop", "/drop") for n in range(300)])
    told_by, told = events(engine, conversation)
    told_by.flush()
    for document in store.documents(conversation):
        told_by.changed(document)
        told_by.changed(store.update_document(document.id, outcome="read", tokens=2))
    told_by.tick()
    assert len(told) == 1, "the first at once, the others with the next"
    told_by.flush()
    (_, _), (event, data) = told
    assert event == "documents"
    assert {d["outcome"] for d in data["documents"]} == {"read"} and len(data["documents"]) == 300
    (folder,) = data["folders"]
    assert (folder["files"], folder["outcomes"], folder["tokens"]) == (300, {"read": 300}, 600)
    told_by.flush()
    assert len(told) == 2


def test_of_a_large_drop_that_arrives_the_first_files_are_named(engine: Engine) -> None:
    store = engine.store
    conversation = store.create_conversation().id
    store.add_document(conversation, name="before.txt", path="/before.txt")
    new = [NewDocument(f"{n}.txt", f"/drop/{n}.txt", "drop", "/drop") for n in range(300)]
    told_by, told = events(engine, conversation)
    told_by.arrived(store.add_documents(conversation, new))
    ((event, data),) = told
    assert event == "documents"
    assert [d["name"] for d in data["documents"]] == [f"{n}.txt" for n in range(100)]
    assert data["folders"][0]["files"] == 300
