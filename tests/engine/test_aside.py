"""A reading on the side keeps its beginning, stores nothing, and leaves the session's own stream as if it had never
been.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.aside import aside
from engine.backends.base import AbortedError
from engine.session import Session
from engine.store import Store
from engine.stream import Segment
from tests.engine.fake_runtime import SELECTION, fake_model
from tests.engine.test_session import NEXT, OPEN, QUESTION, STREAM, in_one_piece, quietly, state

FRONT = Segment("turn", (7, 8, 9, 11, 11))
IN_SIGHT = [OPEN, FRONT, *STREAM[1:]]
KEPT = SELECTION.keeping_first(len(OPEN.tokens) + len(FRONT.tokens))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr("engine.session.WORTH_STORING_SECONDS", -1.0)
    with Store(tmp_path / "keepsake.sqlite3") as opened:
        yield opened


def stored(store: Store) -> list[tuple[str, int]]:
    return [(row["key"], row["rowid"]) for row in store._database.rows("SELECT rowid, key FROM readings ORDER BY key")]


def written(session: Session) -> list[int]:
    answer = list(session.answer(lambda logits: int(logits.argmax()), 20))
    session.answered(answer)
    return answer


def test_the_next_turn_is_as_if_nothing_had_been_read_on_the_side(store: Store, tmp_path: Path) -> None:
    session = Session(fake_model(), store)
    session.advance(STREAM, quietly)
    written(session)
    with aside(session, KEPT) as lent:
        lent.advance(IN_SIGHT, quietly)
        answer = written(lent)
    stream = [*STREAM, Segment("answer", tuple(answer)), NEXT, QUESTION]
    assert session.advance(stream, quietly).documents_read == 0
    assert state(session) == in_one_piece(stream, tmp_path)


def test_nothing_of_it_is_stored_and_nothing_stored_is_lost(store: Store) -> None:
    session = Session(fake_model(), store)
    session.advance(STREAM, quietly)
    written(session)
    before = stored(store)
    with aside(session, KEPT) as lent:
        assert lent.advance(IN_SIGHT, quietly).reused == 0
        written(lent)
        lent.store_now()
    assert stored(store) == before != []


def test_what_was_only_in_memory_is_stored_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.session.WORTH_STORING_SECONDS", 1e9)
    session = Session(fake_model(), store)
    session.advance(STREAM[:3], quietly)
    whole = state(session)
    assert stored(store) == []
    with aside(session, KEPT) as lent:
        lent.advance(IN_SIGHT, quietly)
    session.take_up(STREAM)
    assert state(session) == whole


def test_stopped_it_leaves_the_stream_where_it_was(store: Store, tmp_path: Path) -> None:
    session = Session(fake_model(), store)
    session.advance(STREAM, quietly)
    written(session)
    stops = iter(range(4))

    def stop(_progress: object) -> None:
        if next(stops, None) is None:
            raise AbortedError

    before = stored(store)
    with pytest.raises(AbortedError), aside(session, KEPT) as lent:
        lent.advance(IN_SIGHT, stop)
    assert stored(store) == before
    session.advance(STREAM, quietly)
    assert state(session) == in_one_piece(STREAM, tmp_path)


def test_the_question_in_front_stays_in_every_head(store: Store) -> None:
    session = Session(fake_model(), store)
    with aside(session, KEPT) as lent:
        lent.advance(IN_SIGHT, quietly)
        positions = lent.reader.units.positions[..., : KEPT.sinks]
    assert KEPT.sinks == 7
    assert (positions == positions.new_tensor(range(7))).all()


def test_of_a_long_question_a_quarter_of_the_budget_is_protected() -> None:
    assert [SELECTION.keeping_first(tokens).sinks for tokens in (0, 2, 9, 10, 5000)] == [2, 2, 9, 10, 10]
    assert SELECTION.keeping_first(5000).capacity == SELECTION.capacity


def test_a_question_longer_than_its_room_may_stand_in_front(store: Store) -> None:
    session = Session(fake_model(), store)
    front = Segment("turn", tuple(1 + i % 200 for i in range(3000)))
    with aside(session, SELECTION.keeping_first(3002)) as lent:
        lent.advance([OPEN, front, *STREAM[1:]], quietly)
        assert lent.model.runtime.length <= lent.model.capacity
        assert lent.reader.units.positions[0, 0, :10].tolist() == list(range(10))
