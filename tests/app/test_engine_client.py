"""The client on a real process: replies matched, the dead started again, the deaf ended."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.engine_client import ENGINE_STOPPED, RESTARTS, EngineClient
from app.engine_process import EngineProcess
from engine.protocol import Failure
from tests.app.conftest import WAIT_MS
from tests.app.window_rig import make_client, requests

MakeClient = Callable[..., EngineClient]


@pytest.fixture
def client(tmp_path: Path, qapp: object) -> Iterator[MakeClient]:
    made: list[EngineClient] = []

    def make(*options: str, **patience: int) -> EngineClient:
        made.append(make_client(tmp_path, *options, **patience))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_call_made_before_hello_is_answered(client: MakeClient, qtbot: QtBot) -> None:
    results: list[dict[str, object]] = []
    engine = client()
    engine.call("plan", {"budget_mb": 512}, done=results.append)
    engine.start()
    qtbot.waitUntil(lambda: bool(results), timeout=WAIT_MS)
    assert results[0]["plan"]["budget_mb"] == 512


def test_results_go_to_their_own_callers(client: MakeClient, qtbot: QtBot) -> None:
    engine = client()
    engine.start()
    heard: dict[int, float] = {}
    for megabytes in range(400, 420):
        engine.call(
            "plan", {"budget_mb": megabytes}, done=lambda r, mb=megabytes: heard.update({mb: r["plan"]["budget_mb"]})
        )
    qtbot.waitUntil(lambda: len(heard) == 20, timeout=WAIT_MS)
    assert all(asked == answered for asked, answered in heard.items())


def test_a_line_of_many_megabytes_arrives_whole(client: MakeClient, qtbot: QtBot) -> None:
    engine = client()
    engine.start()
    titles: list[str] = []
    long = "x" * 4_000_000
    engine.call("conversation_create", {"title": long}, done=lambda r: titles.append(r["conversation"]["title"]))
    qtbot.waitUntil(lambda: bool(titles), timeout=WAIT_MS)
    assert titles == [long]


def test_a_user_error_nobody_waits_for_is_announced(client: MakeClient, qtbot: QtBot) -> None:
    engine = client()
    engine.start()
    with qtbot.waitSignal(engine.user_error, timeout=WAIT_MS) as heard:
        engine.call("conversation_open", {"conversation": "none"})
    assert heard.args[0].message == "This conversation is not there any more."


def test_a_bug_is_announced_with_its_traceback(client: MakeClient, qtbot: QtBot) -> None:
    engine = client()
    engine.start()
    failures: list[Failure] = []
    with qtbot.waitSignal(engine.bug, timeout=WAIT_MS) as heard:
        engine.call("document_text", {"document": "none"}, failed=failures.append)
    assert "Traceback" in heard.args[0].details["traceback"]
    assert failures == [heard.args[0]]


def test_another_protocol_version_is_refused_by_its_number(client: MakeClient, qtbot: QtBot) -> None:
    engine = client("--protocol", "99")
    with qtbot.waitSignal(engine.gave_up, timeout=WAIT_MS) as heard:
        engine.start()
    assert "version 99" in heard.args[0]


def test_a_dying_engine_is_started_three_times_and_then_given_up(client: MakeClient, qtbot: QtBot) -> None:
    engine = client("--dies")
    attempts: list[int] = []
    engine.restarting.connect(attempts.append)
    failures: list[Failure] = []
    engine.call("ping", failed=failures.append)
    with qtbot.waitSignal(engine.gave_up, timeout=WAIT_MS) as heard:
        engine.start()
    assert attempts == list(range(1, RESTARTS + 1))
    assert "code 4" in heard.args[0]
    assert [failure.code for failure in failures] == [ENGINE_STOPPED]


def test_after_giving_up_calls_fail_instead_of_waiting(client: MakeClient, qtbot: QtBot) -> None:
    engine = client("--dies")
    with qtbot.waitSignal(engine.gave_up, timeout=WAIT_MS):
        engine.start()
    failures: list[Failure] = []
    engine.call("ping", failed=failures.append)
    assert failures == []
    qtbot.waitUntil(lambda: bool(failures), timeout=WAIT_MS)


def test_a_program_that_is_not_there_is_given_up_with_its_name(qtbot: QtBot, tmp_path: Path) -> None:
    engine = EngineClient(EngineProcess([str(tmp_path / "no-such-engine")], tmp_path / "engine.log"))
    with qtbot.waitSignal(engine.gave_up, timeout=WAIT_MS) as heard:
        engine.start()
    assert "no-such-engine" in heard.args[0]


def test_an_engine_that_answers_no_ping_is_ended_and_started_again(client: MakeClient, qtbot: QtBot) -> None:
    engine = client("--deaf", ping_ms=50, patience_ms=400)
    engine.start()
    with qtbot.waitSignal(engine.restarting, timeout=WAIT_MS):
        pass


def test_a_call_that_never_left_can_be_cancelled(client: MakeClient, qtbot: QtBot) -> None:
    engine = client()
    failures: list[Failure] = []
    id = engine.call("ping", failed=failures.append)
    engine.cancel(id)
    qtbot.waitUntil(lambda: bool(failures), timeout=WAIT_MS)
    assert failures[0].code == "cancelled"


def test_closing_cancels_what_runs_and_the_engine_goes_by_itself(
    client: MakeClient, qtbot: QtBot, tmp_path: Path
) -> None:
    engine = client("--rate", "20", "--tokens", "1000")
    engine.start()
    with qtbot.waitSignal(engine.ready, timeout=WAIT_MS):
        pass
    made: list[str] = []
    engine.call("conversation_create", done=lambda r: made.append(r["conversation"]["id"]))
    qtbot.waitUntil(lambda: bool(made), timeout=WAIT_MS)
    call = engine.call("ask", {"conversation": made[0], "text": "Hello"})
    qtbot.waitUntil(lambda: bool(requests(tmp_path, "ask")), timeout=WAIT_MS)
    assert engine.close() is True
    assert requests(tmp_path, "cancel") == [{"target": call}]


def test_what_the_engine_prints_goes_to_the_log(qtbot: QtBot, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; print('a line for the log', file=sys.stderr)"]
    engine = EngineClient(EngineProcess(command, tmp_path / "logs" / "engine.log"))
    with qtbot.waitSignal(engine.gave_up, timeout=WAIT_MS):
        engine.start()
    assert "a line for the log" in Path(engine.log).read_text()


def test_a_line_that_is_no_message_is_a_bug_not_a_crash(qtbot: QtBot, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('hello there', flush=True); input()"]
    engine = EngineClient(EngineProcess(command, tmp_path / "engine.log"))
    with qtbot.waitSignal(engine.bug, timeout=WAIT_MS) as heard:
        engine.start()
    assert heard.args[0].details["line"] == "hello there"
    engine.close()
