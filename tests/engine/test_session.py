"""A session reaches the same cache whichever way it goes: in one piece, stopped, stored, restored, by another
branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import engine.session
from engine.aside import aside
from engine.backends.base import AbortedError
from engine.errors import UserError
from engine.loaded_model import LoadedModel
from engine.session import Session
from engine.store import Store
from engine.stream import Segment
from tests.engine.fake_runtime import SELECTION, FakeRuntime, fake_model

# Original positions end in the first document, in the second, at the question, and not before the answer is over.
LIMITS = [1200 + tokens for tokens in (60, 150, 180, 10**6)]
ORIGINAL = replace(SELECTION, rope="original")


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
    assert stopped_once(fake_model(), fake_model(), store, chunks) == in_one_piece(STREAM, tmp_path)


def stopped_once(first: LoadedModel, second: LoadedModel, store: Store, chunks: int) -> tuple[bytes, bytes, bytes, int]:
    """The state at the end of the stream, of which the first model read so many chunks and the second the rest."""
    stops = iter(range(chunks))

    def stop(_progress: object) -> None:
        if next(stops, None) is None:
            raise AbortedError

    session = Session(first, store)
    with pytest.raises(AbortedError):
        session.advance(STREAM, stop)
    session.store_now()
    restarted = Session(second, store)
    taken = restarted.advance(STREAM, quietly)
    assert taken.reused > 0 or chunks == 1
    return state(restarted)


def original(limit: int) -> LoadedModel:
    return fake_model(FakeRuntime(position_limit=limit), ORIGINAL)


@pytest.mark.parametrize("limit", LIMITS)
def test_original_positions_are_a_function_of_the_stream_alone(store: Store, tmp_path: Path, limit: int) -> None:
    """Stored and gone on from at every chunk and turn, answered, asked again and put aside: the same bits."""
    with Store(tmp_path / "apart" / "keepsake.sqlite3") as apart:
        whole = Session(original(limit), apart)
        whole.advance(STREAM, quietly)
        read = state(whole)
        answer = tuple(whole.answer(lambda logits: int(logits.argmax()), 30))
        whole.answered(answer)
        stream = [*STREAM, Segment("answer", answer), NEXT, QUESTION]
        whole.advance(stream, quietly)
        expected = state(whole)
    outgrown = whole.model.runtime.position == whole.model.runtime.length
    assert answer and outgrown == (limit < 10**6)

    for chunks in range(1, 14):
        with Store(tmp_path / str(chunks) / "keepsake.sqlite3") as own:
            assert stopped_once(original(limit), original(limit), own, chunks) == read

    session = Session(original(limit), store)
    session.advance(STREAM, quietly)
    assert tuple(session.answer(lambda logits: int(logits.argmax()), 30)) == answer
    session.answered(answer)
    with aside(session, ORIGINAL.keeping_first(5)) as lent:
        lent.advance(STREAM[:2], quietly)
    session.advance(stream, quietly)
    session.store_now()
    assert state(session) == expected
    restarted = Session(original(limit), store)
    restarted.advance(stream, quietly)
    assert state(restarted) == expected
    with Store(tmp_path / "replayed" / "keepsake.sqlite3") as empty:
        replayed = Session(original(limit), empty)
        replayed.advance(stream, quietly)
        assert state(replayed) == expected


def test_no_answer_is_moved_while_it_is_written(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading leaves the turn its room: it ends beyond the mark, and is compacted when it is over."""
    session = Session(original(1200 + 181), store)
    session.advance(STREAM, quietly)
    runtime = session.model.runtime
    assert runtime.position == 182 > runtime.length
    moves: list[bool] = []
    keep = runtime.keep
    monkeypatch.setattr(runtime, "keep", lambda slots, compact: (moves.append(compact), keep(slots, compact)))
    answer = list(session.answer(lambda logits: 5, 30))
    assert len(answer) == 30 and runtime.position == 212 and not moves
    session.answered(answer)
    assert moves == [True] and runtime.position == runtime.length


def test_an_answer_ends_with_the_models_positions(store: Store) -> None:
    session = Session(original(1200 + 182), store)
    session.advance(STREAM, quietly)
    assert len(list(session.answer(lambda logits: 5, 10**6))) == min(1200, session.model.capacity - 43)
    assert session.cut


def test_an_answer_is_cut_where_its_next_token_would_not_have_ended_it(store: Store) -> None:
    session = Session(original(10**6), store)
    session.advance(STREAM, quietly)
    (end,) = list(session.model.runtime.end_tokens)[:1]
    for said, cut in (([5, 5, 5], True), ([5, 5, end], False), ([end], False)):
        words = iter(said)
        assert len(list(session.answer(lambda logits, words=words: next(words), 2))) == min(2, len(said) - (not cut))
        assert session.cut == cut


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
