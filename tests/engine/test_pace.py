"""What a reading will take follows from what the last ones took."""

from __future__ import annotations

from pathlib import Path

import pytest

import engine.pace
from engine.pace import Pace, remember, seconds_for
from engine.store import Store

MODEL = "model.gguf"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(engine.pace.time, "monotonic", lambda: now[0])
    return now


def reading(clock: list[float], tokens: int, seconds: float) -> Pace:
    pace = Pace()
    pace.begin(50)
    assert pace.left(50, 50 + tokens) is None
    clock[0] += seconds
    assert pace.left(50 + tokens, 50 + tokens) == 0
    return pace


def test_the_time_left_goes_by_the_document_and_the_sums_by_all(clock: list[float]) -> None:
    pace = Pace()
    for done in (0, 100):
        clock[0] += 60  # between documents: no reading
        pace.begin(done)
        pace.left(done, 400)
        clock[0] += 2
        assert pace.left(done + 100, 400) == pytest.approx((300 - done) / 50)
    assert (pace.tokens, pace.seconds) == (200, 4)


def test_a_pace_is_remembered_by_model_and_averaged(tmp_path: Path, clock: list[float]) -> None:
    with Store(tmp_path / "keepsake.sqlite3") as store:
        assert seconds_for(store, MODEL, 1000) is None
        remember(store, MODEL, reading(clock, 100, 1))
        assert seconds_for(store, MODEL, 1000) is None, "too short to say anything"
        remember(store, MODEL, reading(clock, 1000, 10))
        assert seconds_for(store, MODEL, 1000) == pytest.approx(10)
        remember(store, MODEL, reading(clock, 3000, 10))
        assert seconds_for(store, MODEL, 1000) == pytest.approx(5)
        assert seconds_for(store, "other.gguf", 1000) is None
        for number in range(40):
            remember(store, f"{number}.gguf", reading(clock, 1000, 10))
        assert len(store.settings()["paces"]) == engine.pace.KEYS
