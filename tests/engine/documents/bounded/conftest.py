"""The reading process with fake readers, and bounds that are soon reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from engine.documents import extract as extracting
from engine.documents.bounded import pool, process
from engine.documents.bounded.bounds import Bounds
from engine.documents.judge import Extracted
from engine.documents.limits import MIB

FAKE = (process.PROGRAM, "-m", "tests.engine.documents.bounded.fake_worker")
SMALL = Bounds(opening=10.0, page=0.3, everything=60.0, memory=150 * MIB)
SECONDS = 30.0
Read = Callable[..., Extracted]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Read]:
    """Extracts a document whose pages do what the words say."""
    monkeypatch.setattr(process, "COMMAND", FAKE)
    pool.end_all()

    def extracted(words: str, head: str = "%PDF-", bounds: Bounds = SMALL, **how: object) -> Extracted:
        monkeypatch.setattr(extracting, "bounds", lambda kind, recognition: bounds)
        path = tmp_path / "script.dat"
        path.write_text(f"{head} {words}")
        return extracting.extract(path, **how)  # type: ignore[arg-type]

    yield extracted
    pool.end_all()


def is_gone(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def wait_until_gone(pid: int) -> None:
    late = time.monotonic() + SECONDS
    while not is_gone(pid):
        assert time.monotonic() < late
        time.sleep(0.02)
