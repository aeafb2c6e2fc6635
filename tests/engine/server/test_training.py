"""Training by the protocol: tried, started, paused, outliving its engine, and its heads used by the next reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.protocol import Event, Failure, Result
from engine.training_runs import TrainingRuns
from tests.engine.server.client import EngineClient
from tests.engine.training_runs.waiting import command, until

FAKE = "tests.engine.server.fake_model_engine"
MakeEngine = Callable[..., EngineClient]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[MakeEngine]:
    """Starts engines one after another on the same data; what they started is ended, too."""
    clients: list[EngineClient] = []

    def make(*options: str, seconds_a_token: float = 0.0) -> EngineClient:
        clients.append(EngineClient([FAKE, str(tmp_path / "data"), str(seconds_a_token), *command(*options)]))
        clients[-1].wait_for_event("hello")
        return clients[-1]

    yield make
    for client in clients:
        client.kill()
    TrainingRuns(tmp_path / "data").forget()


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, str]:
    """The parameters of a call that trains on a folder."""
    (tmp_path / "texts").mkdir()
    return {"texts": "folder", "folder": str(tmp_path / "texts")}


def look(client: EngineClient) -> Callable[[], dict[str, Any] | None]:
    return lambda: client.call("training_status")["run"]


def refusal(client: EngineClient, method: str, **params: Any) -> Failure:
    reply = client.end_of(client.send(method, **params))
    assert isinstance(reply, Failure)
    assert reply.kind == "user"
    return reply


def test_the_models_heads_are_found_without_loading_it(engine: MakeEngine) -> None:
    client = engine()
    found = client.call("heads_find")
    assert (found["heads"], found["policy"]) == ("smollm2-135m-instruct", "locret")
    assert found["context"] > 0
    assert client.call("status")["model"]["ready"] is False


def test_a_run_outlives_its_engine_and_the_next_one_finds_it(engine: MakeEngine, texts: dict[str, str]) -> None:
    first = engine("--seconds", "0.3")
    run = first.call("training_start", **texts)["run"]
    assert (run["state"], run["for_model"]) in (("starting", True), ("running", True))
    step = until(look(first), "running")["step"]
    assert first.hang_up() == 0
    second = engine("--seconds", "0.01")
    assert until(look(second), "running")["step"] >= step
    assert refusal(second, "training_start", **texts).code == "training_under_way"
    assert refusal(second, "training_trial", **texts).code == "training_under_way"
    second.call("training_pause")
    until(look(second), "paused")
    second.call("training_resume")
    until(look(second), "done")
    assert texts["folder"] in second.call("training_log")["text"]
    assert second.call("training_discard")["run"] is None


def test_its_length_is_chosen(engine: MakeEngine, texts: dict[str, str]) -> None:
    client = engine("--seconds", "0")
    for steps in (0, -1, 1.5, True, "300", 10**9):
        assert refusal(client, "training_start", **texts, steps=steps).code == "bad_params"
    assert client.call("training_status")["run"] is None
    client.call("training_start", **texts, steps=7)
    assert until(look(client), "done")["steps"] == 7


def test_keydiff_makes_room_for_the_heads_and_the_window_is_told(
    engine: MakeEngine, texts: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "trained").write_text("heads")
    first = engine("--heads", str(tmp_path / "trained"), "--seconds", "0.02")
    first.call("settings_set", changes={"policy": "keydiff"})
    first.call("training_start", **texts)
    first.kill()
    until(TrainingRuns(tmp_path / "data").status, "done")
    second = engine()
    asked = second.send("training_status")
    assert second.wait_for_event("settings").data["settings"]["policy"] == "locret"
    assert isinstance(second.end_of(asked), Result)
    second.call("settings_set", changes={"policy": "keydiff"})
    assert second.hang_up() == 0
    assert engine().call("settings_get")["settings"]["policy"] == "keydiff"


def test_a_killed_engine_takes_no_run_with_it(engine: MakeEngine, texts: dict[str, str]) -> None:
    first = engine("--seconds", "0.3")
    first.call("training_start", **texts)
    until(look(first), "running")
    first.kill()
    until(look(engine()), "running")


def test_a_trial_tells_the_time_and_leaves_nothing(engine: MakeEngine, texts: dict[str, str], tmp_path: Path) -> None:
    client = engine()
    told = client.call("training_trial", **texts)
    assert told == {"seconds_per_step": 1.5, "seconds_at_end": 12.0, "disturbed": False}
    steps = [reply.data for reply in client.replies if isinstance(reply, Event) and reply.event == "trial"]
    assert steps[-1]["steps"] == 20
    assert [step["step"] for step in steps] == sorted({step["step"] for step in steps})
    assert list((tmp_path / "data" / "training").iterdir()) == []
    assert client.call("training_status")["run"] is None


def test_a_trial_holds_nothing_up_and_says_what_disturbed_it(
    engine: MakeEngine, texts: dict[str, str], tmp_path: Path
) -> None:
    client = engine("--seconds", "0.1")
    trial = client.send("training_trial", **texts)
    client.wait_for_event("trial", trial)
    (tmp_path / "lease.txt").write_text("The rent is due on the third of each month.")
    id = client.call("conversation_create")["conversation"]["id"]
    client.call("documents_add", conversation=id, paths=[str(tmp_path / "lease.txt")])
    assert client.call("ask", conversation=id, text="?", max_tokens=5)["message"]["state"] == "complete"
    ended = next((r for r in client.replies if isinstance(r, Result | Failure) and r.id == trial), None)
    reply = ended or client.end_of(trial)
    assert isinstance(reply, Result)
    assert reply.result["disturbed"] is True


def test_a_cancelled_trial_ends_at_once(engine: MakeEngine, texts: dict[str, str], tmp_path: Path) -> None:
    client = engine("--seconds", "30")
    trial = client.send("training_trial", **texts)
    client.wait_for_event("trial", trial)
    client.call("cancel", target=trial)
    reply = next((r for r in client.replies if isinstance(r, Failure)), None) or client.end_of(trial)
    assert isinstance(reply, Failure)
    assert reply.code == "cancelled"
    assert list((tmp_path / "data" / "training").iterdir()) == []


def test_a_trial_that_cannot_be_says_why(engine: MakeEngine, texts: dict[str, str]) -> None:
    failed = refusal(engine("--refuses"), "training_trial", **texts)
    assert (failed.code, failed.message) == ("training_failed", "There is too little text. Add some more.")


def test_what_cannot_be_read_is_refused_before_anything_starts(engine: MakeEngine) -> None:
    client = engine()
    for params, code in (
        ({}, "bad_params"),
        ({"texts": "folder"}, "bad_params"),
        ({"texts": "folder", "folder": "/nowhere/at/all"}, "no_such_file"),
        ({"texts": "folder", "folder": "a" * 5000}, "no_such_file"),
        ({"texts": "documents"}, "too_little_text"),
    ):
        for method in ("training_trial", "training_start"):
            assert refusal(client, method, **params).code == code, params
    assert client.call("training_status")["run"] is None
