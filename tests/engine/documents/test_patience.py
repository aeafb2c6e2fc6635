"""A drive that does not answer holds nobody: its calls here come back only when the test is over."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.documents.archive import members
from engine.documents.extract import extract, file_sha256
from engine.documents.patience import patiently, waited
from engine.documents.stopping import never
from engine.errors import UserError

MOST_SECONDS = 20.0
"""So that a test fails and does not hang where the drive does hold somebody."""


@pytest.fixture
def over() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def silent(over: threading.Event, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes the opening, or whatever else, of a path come back no more."""

    def silence(call: str) -> None:
        def held(*_: object, **__: object) -> None:
            over.wait(MOST_SECONDS)
            raise AssertionError("it was waited for")

        monkeypatch.setattr(Path, call, held)

    return silence


def soon() -> Callable[[], bool]:
    """Cancelled the third time somebody asks."""
    asked: list[bool] = []
    return lambda: asked.append(True) or len(asked) > 2


@pytest.mark.parametrize(
    ("work", "call"),
    [(extract, "stat"), (extract, "open"), (file_sha256, "open"), (members, "stat"), (members, "open")],
)
def test_what_never_comes_is_cancelled(
    work: Callable[..., object], call: str, silent: Callable[[str], None], tmp_path: Path
) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(b"PK\x03\x04")
    silent(call)
    with pytest.raises(UserError) as raised:
        work(path, cancelled=soon())
    assert raised.value.code == "cancelled"


def test_what_takes_too_long_is_an_error_of_the_disk(over: threading.Event) -> None:
    def items() -> Iterator[int]:
        yield 1
        over.wait(MOST_SECONDS)
        yield 2

    found = patiently(items(), never, seconds=0.2)
    assert next(found) == 1
    with pytest.raises(OSError, match="does not answer"):
        next(found)


def test_things_come_in_order_and_errors_with_them() -> None:
    def items() -> Iterator[int]:
        yield from range(1000)
        raise FileNotFoundError("gone")

    seen: list[int] = []
    with pytest.raises(FileNotFoundError):
        seen.extend(patiently(items(), never))
    assert seen == list(range(1000))
    assert waited(os.getpid, never) == os.getpid()


def test_nothing_goes_on_when_nobody_wants_more() -> None:
    made: list[int] = []
    ended = threading.Event()

    def items() -> Iterator[int]:
        try:
            for number in range(10**9):
                made.append(number)
                yield number
        finally:
            ended.set()

    found = patiently(items(), never)
    assert next(found) == 0
    found.close()  # type: ignore[attr-defined]
    assert ended.wait(MOST_SECONDS)
    assert len(made) < 10**6
