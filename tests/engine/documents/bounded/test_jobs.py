"""The jobs other than reading, from the other side of the pipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.documents.bounded.bounds import Bounds
from engine.documents.bounded.frames import Frame
from engine.documents.bounded.messages import asked_fields
from engine.documents.bounded.pool import call
from engine.documents.reader import How, Unreadable
from engine.documents.stopping import never
from tests.engine.documents.bounded.conftest import SMALL, Read
from tests.engine.documents.test_archive import zip_of


def asked(job: str, path: Path, member: str | None = None, **more: object) -> list[Frame]:
    return call(Frame({"job": job, **asked_fields(path, member, How("secret")), **more}), SMALL, never)


def test_a_picture_of_a_page_comes_as_bytes(read: Read, tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"x/b.pdf": "b"})
    (answer,) = asked("image", path, page=2, width=300)
    assert answer.payload == b"a.zip 2 300 secret"
    (answer,) = asked("image", path, "x/b.pdf", page=1, width=300)
    assert answer.payload == b"b.pdf 1 300 secret"
    with pytest.raises(Unreadable) as raised:
        asked("image", path, page=3, width=300)
    assert raised.value.reason == "changed"


def test_what_ends_the_process_is_the_reason(read: Read, tmp_path: Path) -> None:
    with pytest.raises(Unreadable) as raised:
        asked("nothing of that name", tmp_path / "a")
    assert raised.value.reason == "crashed"
    with pytest.raises(Unreadable) as raised:
        call(
            Frame({"job": "read", **asked_fields(script(tmp_path, "sleep"), None, How()), "first": 1, "lost": []}),
            SMALL,
            never,
        )
    assert raised.value.reason == "too_slow"
    with pytest.raises(Unreadable) as raised:
        asked("digest", tmp_path / "gone.zip", "a")
    assert raised.value.reason == "no_such_file"


def test_a_process_broken_by_an_earlier_job_is_not_held_against_this_one(read: Read, tmp_path: Path) -> None:
    assert read("read").outcome == "read"
    fields = asked_fields(script(tmp_path, "breaks-when-used"), None, How())
    answers = call(Frame({"job": "read", **fields, "first": 1, "lost": []}), Bounds(), never)
    assert [next(iter(answer.fields)) for answer in answers] == ["opened", "page", "through"]


def script(folder: Path, words: str) -> Path:
    path = folder / "words.dat"
    path.write_text(f"%PDF- {words}")
    return path
