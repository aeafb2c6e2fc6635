"""Reading again for one question: a further answer, and everything else as it was before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import engine.loaded_model
from engine.answer_job import AnswerJob
from engine.engine import Engine
from engine.errors import UserError
from engine.locret.selection import Selection
from engine.reading_job import ReadingJob
from engine.reread_cost import cost_of
from engine.reread_job import RereadJob
from engine.session import Session
from engine.store import Message, Store
from tests.engine.fake_runtime import SELECTION, FakeRuntime, fake_model

OPTIONS = {"max_tokens": 20, "temperature": 0.0, "seed": 0}
TEXT = "The rent is due on the third of each month. " * 20


class Desk:
    """An engine with the fake runtime and one conversation. on_event: called with each event."""

    def __init__(self, data: Path, selection: Selection | None = SELECTION) -> None:
        self.engine = Engine(data)
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.on_event: Callable[[str, dict[str, Any]], None] = lambda _event, _data: None
        self.conversation = self.store.create_conversation("").id

    @property
    def store(self) -> Store:
        return self.engine.store

    def emit(self, event: str, data: dict[str, Any]) -> None:
        self.events.append((event, data))
        self.on_event(event, data)

    def read(self, *files: Path) -> None:
        job = ReadingJob(self.engine, self.conversation, self.emit)
        job.add([str(file) for file in files])
        job.read_all()

    def ask(self, text: str) -> Message:
        leaf = self.store.leaf(self.conversation)
        return AnswerJob(self.engine, self.conversation, self.emit).ask(text, leaf, OPTIONS)

    def reread(self, message: str) -> Message:
        return RereadJob(self.engine, self.conversation, self.emit).reread(message, OPTIONS)

    def stored(self) -> list[tuple[str, int]]:
        rows = self.store._database.rows("SELECT key, rowid FROM readings ORDER BY key")
        return [(row["key"], row["rowid"]) for row in rows]

    def stop_at(self, wanted: str) -> None:
        def stop(event: str, data: dict[str, Any]) -> None:
            if event == wanted and (event == "token" or data["tokens_read"]):
                self.engine.cancelled.set()

        self.on_event = stop

    def go_on(self) -> None:
        self.on_event = lambda _event, _data: None
        self.engine.cancelled.clear()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr("engine.session.WORTH_STORING_SECONDS", -1.0)
    monkeypatch.setattr(engine.loaded_model, "load_model", lambda *given, **_: fake_model(FakeRuntime(abort=given[5])))
    made = Desk(tmp_path / "data")
    yield made
    made.engine.close()


@pytest.fixture
def lease(tmp_path: Path) -> Path:
    path = tmp_path / "lease.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    path.write_text("Repairs are the landlord's. " * 20)
    return path


def test_it_is_a_further_answer_below_the_same_question(desk: Desk, lease: Path) -> None:
    desk.read(lease)
    first = desk.ask("When is the rent due?")
    documents, readings = desk.store.documents(desk.conversation), desk.stored()
    desk.events.clear()
    again = desk.reread(first.id)
    assert (again.parent, again.state) == (first.parent, "complete")
    assert again.text
    assert again.stats["query_aware"] is True
    assert again.stats["reused"] is False
    assert {"tokens", "seconds_answering", "seconds_reading", "citations", "left_out"} <= again.stats.keys()
    assert desk.store.message(first.id) == first
    assert desk.store.leaf(desk.conversation) == again.id
    assert desk.store.documents(desk.conversation) == documents
    assert desk.stored() == readings
    assert desk.engine.live == {}
    events = [event for event, _ in desk.events]
    assert set(events) == {"message", "reading", "token"}
    assert all(data["reread"] is True for event, data in desk.events if event == "reading")
    states = [data["message"]["state"] for event, data in desk.events if event == "message"]
    assert states == ["streaming", "complete"]


def test_memory_is_again_that_of_the_reading_that_knows_no_question(desk: Desk, lease: Path) -> None:
    desk.read(lease)
    before = desk.engine.memory(desk.conversation)
    first = desk.ask("When is the rent due?")
    desk.reread(first.id)
    assert desk.engine.memory(desk.conversation) == before


def test_the_next_turn_is_as_if_the_documents_had_not_been_read_again(
    desk: Desk, lease: Path, notes: Path, tmp_path: Path
) -> None:
    desk.read(lease)
    desk.ask("When is the rent due?")
    desk.read(notes)
    again = desk.reread(desk.ask("And who pays for repairs?").id)
    desk.events.clear()
    after = desk.ask("And then?")
    assert "reading" not in [event for event, _ in desk.events]
    path = desk.store.path(after.id)
    assert again.id in [message.id for message in path]

    loaded = desk.engine.loaded(desk.emit)
    with Store(tmp_path / "apart" / "keepsake.sqlite3") as apart:
        untouched = Session(fake_model(), apart)
        untouched.advance(loaded.conversation.segments(path), lambda _: None)
        for session in (loaded.session, untouched):
            assert session.reader.tokens_read > 0
        assert (loaded.model.runtime.cache == untouched.model.runtime.cache).all()  # type: ignore[attr-defined]
        assert (loaded.session.reader.units.positions == untouched.reader.units.positions).all()
        assert (loaded.session.reader.units.scores == untouched.reader.units.scores).all()
        assert loaded.session.key == untouched.key


def test_the_question_stands_in_front_of_all_that_was_said_and_read(desk: Desk, lease: Path, notes: Path) -> None:
    desk.read(lease)
    desk.ask("First?")
    desk.read(notes)
    second = desk.ask("<open> second?")
    loaded = desk.engine.loaded(desk.emit)
    path = desk.store.path(second.parent or "")
    usual, in_sight = loaded.conversation.segments(path), loaded.conversation.in_sight(path)
    front = in_sight.pop(1)
    assert in_sight == usual
    assert [segment.kind for segment in usual] == [
        *("turn", "document", "turn", "answer"),
        *("turn", "document", "turn"),
    ]
    said = b"".join(loaded.model.runtime.token_bytes(token) for token in front.tokens)
    assert said == b"<open> second?\n\n"
    assert 300 not in front.tokens, "control tokens in a question are text"


def test_stopped_before_a_word_the_earlier_answer_is_what_one_goes_on_from(desk: Desk, lease: Path) -> None:
    desk.read(lease)
    first = desk.ask("When is the rent due?")
    documents, readings = desk.store.documents(desk.conversation), desk.stored()
    memory = desk.engine.memory(desk.conversation)
    desk.stop_at("reading")
    with pytest.raises(UserError, match="Stopped") as stopped:
        desk.reread(first.id)
    assert stopped.value.code == "cancelled"
    assert desk.store.messages(desk.conversation)[-1].state == "stopped"
    assert desk.store.leaf(desk.conversation) == first.id
    assert desk.store.documents(desk.conversation) == documents
    assert desk.stored() == readings
    assert desk.engine.memory(desk.conversation) == memory
    desk.go_on()
    assert first.id in [message.id for message in desk.store.path(desk.ask("And then?").id)]


def test_stopped_after_a_word_the_words_are_kept(desk: Desk, lease: Path) -> None:
    desk.read(lease)
    first = desk.ask("When is the rent due?")
    desk.stop_at("token")
    with pytest.raises(UserError, match="Stopped"):
        desk.reread(first.parent or "")
    last = desk.store.messages(desk.conversation)[-1]
    assert (last.state, desk.store.leaf(desk.conversation)) == ("stopped", last.id)
    assert last.text
    desk.go_on()
    assert desk.ask("And then?").state == "complete"


def test_what_goes_wrong_leaves_the_earlier_answer(desk: Desk, lease: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.read(lease)
    first = desk.ask("When is the rent due?")

    def fail(*_: object) -> None:
        raise RuntimeError("out of order")

    with monkeypatch.context() as patched, pytest.raises(RuntimeError, match="out of order"):
        patched.setattr(FakeRuntime, "keep", fail)
        desk.reread(first.id)
    assert desk.store.messages(desk.conversation)[-1].state == "failed"
    assert desk.store.leaf(desk.conversation) == first.id
    assert desk.ask("And then?").stats["reused"] is True


def test_without_a_document_there_is_nothing_to_read(desk: Desk) -> None:
    answer = desk.ask("Anything?")
    for attempt in (lambda: desk.reread(answer.id), lambda: cost_of(desk.engine, [])):
        with pytest.raises(UserError, match="No document") as refused:
            attempt()
        assert refused.value.code == "nothing_to_read"
    assert len(desk.store.messages(desk.conversation)) == 2


def test_a_full_cache_has_nothing_to_gain(desk: Desk, lease: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.loaded_model, "load_model", lambda *_, **__: fake_model(selection=None))
    desk.read(lease)
    answer = desk.ask("When is the rent due?")
    desk.engine.unload()
    assert cost_of(desk.engine, desk.store.documents(desk.conversation)).documents == 1
    for attempt in (
        lambda: desk.reread(answer.id),
        lambda: cost_of(desk.engine, desk.store.documents(desk.conversation)),
    ):
        with pytest.raises(UserError, match="full cache") as refused:
            attempt()
        assert refused.value.code == "nothing_to_gain"
    assert len(desk.store.messages(desk.conversation)) == 2


def test_a_question_of_another_conversation_is_unknown(desk: Desk, lease: Path) -> None:
    desk.read(lease)
    answer = desk.ask("When is the rent due?")
    desk.conversation = desk.store.create_conversation("").id
    with pytest.raises(UserError, match="another conversation"):
        desk.reread(answer.id)


def test_the_cost_is_estimated_before_anything_was_counted(desk: Desk, lease: Path, notes: Path) -> None:
    job = ReadingJob(desk.engine, desk.conversation, desk.emit)
    job.add([str(lease), str(notes)])
    job.extract_all()
    before = RereadJob(desk.engine, desk.conversation, desk.emit).cost_of_asking(None)
    assert (before.documents, before.seconds) == (2, None)
    assert before.tokens == pytest.approx((len(TEXT) + 28 * 20) / 4, rel=0.01)
    job.read_all()
    after = cost_of(desk.engine, desk.store.documents(desk.conversation))
    assert after.tokens == sum(document.tokens or 0 for document in desk.store.documents(desk.conversation))
    assert after.seconds is not None
    assert after.seconds > 0
