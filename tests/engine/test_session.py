"""A session reaches the same cache whichever way it goes: in one piece, stopped, stored, restored, by another
branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import engine.session
from engine.backends.base import AbortedError
from engine.errors import UserError
from engine.session import Session
from engine.store import Store
from engine.stream import Segment
from tests.engine.fake_runtime import FakeRuntime, fake_model


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "keepsake.sqlite3") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _store_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.session, "WORTH_STORING_SECONDS", -1.0)
    monkeypatch.setattr(engine.session, "CHECKPOINT_SECONDS", -1.0)


def document(seed: int, length: int) -> Segment:
    tokens = torch.randint(1, 250, (length,), generator=torch.Generator().manual_seed(seed))
    return Segment("document", tuple(tokens.tolist()), f"document {seed}")


OPEN, QUESTION, NEXT = (Segment("turn", tokens) for tokens in ((300, 1), (7, 8, 9), (301, 2)))
STREAM = [OPEN, document(1, 100), document(2, 77), QUESTION]


def quietly(_progress: object) -> None:
    return None


def state(session: Session) -> tuple[bytes, bytes, bytes, int]:
    units = session.reader.units
    return (
        session.model.runtime.cache.numpy().tobytes(),
        units.scores.numpy().tobytes(),
        units.positions.numpy().tobytes(),
        session.reader.tokens_read,
    )


def in_one_piece(stream: list[Segment], tmp_path: Path) -> tuple[bytes, bytes, bytes, int]:
    with Store(tmp_path / "apart" / "keepsake.sqlite3") as apart:
        session = Session(fake_model(), apart)
        session.advance(stream, quietly)
        return state(session)


@pytest.mark.parametrize("chunks", range(1, 14))
def test_a_reading_stopped_anywhere_goes_on_to_the_same_cache(store: Store, tmp_path: Path, chunks: int) -> None:
    stops = iter(range(chunks))

    def stop(_progress: object) -> None:
        if next(stops, None) is None:
            raise AbortedError

    first = Session(fake_model(), store)
    with pytest.raises(AbortedError):
        first.advance(STREAM, stop)
    first.store_now()
    second = Session(fake_model(), store)
    taken = second.advance(STREAM, quietly)
    assert state(second) == in_one_piece(STREAM, tmp_path)
    assert taken.reused > 0 or chunks == 1


def test_an_abort_inside_a_forward_loses_no_more_than_its_chunk(store: Store, tmp_path: Path) -> None:
    whole = in_one_piece(STREAM, tmp_path)
    countdown = [6]

    def abort() -> bool:
        countdown[0] -= 1
        return countdown[0] == 0

    session = Session(fake_model(FakeRuntime(abort=abort)), store)
    with pytest.raises(AbortedError):
        session.advance(STREAM, quietly)
    countdown[0] = 10**9
    session.advance(STREAM, quietly)
    assert state(session) == whole


def test_a_document_read_once_is_reused_by_any_stream_with_the_same_beginning(store: Store) -> None:
    Session(fake_model(), store).advance(STREAM, quietly)
    other = Session(fake_model(), store)
    taken = other.advance([OPEN, document(1, 100), Segment("turn", (5, 5))], quietly)
    assert (taken.reused, taken.read, taken.documents_read) == (102, 2, 0)
    changed = Session(fake_model(), store).advance([OPEN, document(3, 100)], quietly)
    assert changed.reused == 0


def test_an_answer_is_part_of_the_stream(store: Store, tmp_path: Path) -> None:
    session = Session(fake_model(), store)
    session.advance(STREAM, quietly)
    answer = list(session.answer(lambda logits: int(logits.argmax()), 30))
    session.answered(answer)
    assert answer
    stream = [*STREAM, Segment("answer", tuple(answer)), NEXT, QUESTION]
    session.advance(stream, quietly)

    restarted = Session(fake_model(), store)
    assert restarted.holds(stream)
    assert restarted.advance(stream, quietly).read == len(NEXT.tokens) + len(QUESTION.tokens)
    assert state(restarted) == state(session) == in_one_piece(stream, tmp_path)


def test_asking_again_starts_from_before_the_first_answer(store: Store) -> None:
    session = Session(fake_model(), store)
    session.advance(STREAM, quietly)
    first = list(session.answer(lambda logits: int(logits.argmax()), 30))
    session.answered(first)
    taken = session.advance(STREAM, quietly)
    assert taken.documents_read == 0
    assert list(session.answer(lambda logits: int(logits.argmax()), 30)) == first


def test_the_cache_never_passes_its_capacity_however_many_turns(store: Store) -> None:
    session = Session(fake_model(), store)
    stream = list(STREAM)
    for turn in range(60):
        session.advance(stream, quietly)
        answer = list(session.answer(lambda logits: int(logits.argmax()), 40))
        session.answered(answer)
        stream += [Segment("answer", tuple(answer)), NEXT, Segment("turn", tuple(range(1, 30 + turn)))]
        assert session.model.runtime.length <= session.model.capacity
    assert len(store._database.rows("SELECT key FROM readings")) < 6, "old turns must not pile up"


def test_a_question_longer_than_its_room_is_read_like_a_document(store: Store) -> None:
    session = Session(fake_model(), store)
    session.advance([OPEN, Segment("turn", tuple(1 + i % 200 for i in range(5000)))], quietly)
    assert session.reader.tokens_read == 5002
    assert session.model.runtime.length <= session.model.capacity
    assert session.reader.units.positions[0, 0, -8:].tolist() == list(range(4994, 5002))


def test_a_full_cache_refuses_what_does_not_fit(store: Store) -> None:
    session = Session(fake_model(selection=None), store)
    assert session.advance([OPEN, document(1, 600), QUESTION], quietly).read == 605
    with pytest.raises(UserError, match="9,000 tokens") as refused:
        session.advance([document(1, 9000)], quietly)
    assert refused.value.code == "documents_too_long"


def test_other_parameters_find_no_reading(store: Store) -> None:
    Session(fake_model(), store).advance(STREAM, quietly)
    model = fake_model()
    model.parameters["policy"] = "other"
    assert Session(model, store).advance(STREAM, quietly).reused == 0


def test_an_answer_without_a_word_leaves_nothing_that_cannot_be_answered_from(store: Store) -> None:
    first = Session(fake_model(), store)
    first.advance(STREAM, quietly)
    first.answered([])
    first.store_now()
    second = Session(fake_model(), store)
    taken = second.advance(STREAM, quietly)
    assert taken.reused > 0
    assert list(second.answer(lambda logits: int(logits.argmax()), 5))
