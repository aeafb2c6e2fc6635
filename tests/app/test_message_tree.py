"""The tree of messages and the path through it."""

from __future__ import annotations

from app.message_tree import MessageTree
from app.records import Message


def message(id: str, parent: str | None, created: float) -> Message:
    return Message(id, "c", "user", parent=parent, created=created)


def tree() -> MessageTree:
    return MessageTree([message("q1", None, 1), message("a1", "q1", 2), message("q2", "a1", 3), message("q3", "a1", 5)])


def test_path_runs_from_root_to_leaf() -> None:
    assert [m.id for m in tree().path("q2")] == ["q1", "a1", "q2"]


def test_no_leaf_is_an_empty_path() -> None:
    assert tree().path(None) == []
    assert tree().path("unknown") == []


def test_siblings_are_oldest_first() -> None:
    assert [m.id for m in tree().siblings("q3")] == ["q2", "q3"]


def test_newest_leaf_follows_the_newest_branch() -> None:
    assert tree().newest_leaf("q1") == "q3"
