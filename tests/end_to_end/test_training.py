"""Heads for a model that has none, from the estimate to their first reading: real engines, the real train command."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.locret.heads import head_metadata
from engine.protocol import Event, Failure
from engine.training_runs import TrainingRuns
from engine.training_runs.trial import STEPS as TRIAL_STEPS
from tests.end_to_end.test_crash import prose
from tests.engine.backends import tiny_folder
from tests.engine.server.client import EngineClient

STEPS, CONTEXT, PATIENCE_SECONDS = 16, 1792, 120.0
Run = dict[str, Any]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The data folder of the engines; what was started on it is ended."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # the model is so small that threads only hinder each other
    yield tmp_path / "data"
    TrainingRuns(tmp_path / "data").forget()


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, str]:
    """The parameters of a call that trains on a folder of files."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(8):
        paragraphs = (f"Ledger {number}-{part}. {prose(100 * number + part, 6)}" for part in range(8))
        (folder / f"{number}.txt").write_text("\n\n".join(paragraphs))
    return {"texts": "folder", "folder": str(folder)}


def start_engine(data: Path) -> EngineClient:
    client = EngineClient(["engine.main", "--data-dir", str(data)])
    client.wait_for_event("hello")
    return client


def until(client: EngineClient, reached: Callable[[Run], bool]) -> Run:
    """The run once it has come so far."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        run: Run = client.call("training_status")["run"]
        if reached(run):
            return run
        if run["state"] == "failed":
            break
        time.sleep(0.02)
    raise AssertionError(f"{run}\n{client.call('training_log')['text']}")


def read(client: EngineClient, path: Path) -> tuple[str, Failure | None]:
    """A conversation with a document in it, and why that was not read."""
    id: str = client.call("conversation_create")["conversation"]["id"]
    reply = client.end_of(client.send("documents_add", conversation=id, paths=[str(path)]))
    return id, reply if isinstance(reply, Failure) else None


def test_a_model_without_heads_gets_its_own_and_reads_with_them(
    data: Path, texts: dict[str, str], tmp_path: Path
) -> None:
    model = tiny_folder.write(tmp_path / "tiny", seed=3, max_position_embeddings=CONTEXT)
    log = tmp_path / "log.txt"
    log.write_text(prose(7, 60))  # some 4,500 bytes, a token each

    with start_engine(data) as first:
        first.call("settings_set", changes={"model": str(model)})
        assert first.call("heads_find")["heads"] is None
        conversation, refused = read(first, log)
        assert refused is not None
        assert refused.code == "documents_too_long"
        assert "no retaining heads" in first.call("status")["model"]["message"]

        told = first.call("training_trial", **texts)
        tried = [reply.data for reply in first.replies if isinstance(reply, Event) and reply.event == "trial"]
        assert {"step": TRIAL_STEPS, "steps": TRIAL_STEPS} in tried
        assert len({event["step"] for event in tried}) > 2, "it was not told step by step"
        assert told["seconds_per_step"] > 0
        assert told["seconds_at_end"] > 0
        assert not list(data.glob("heads/*"))

        first.call("training_start", **texts, steps=STEPS)
        until(first, lambda run: run["state"] == "running" and run["step"] > 0)
        first.call("training_pause")
        paused = until(first, lambda run: run["state"] == "paused")
        assert 0 < paused["step"] < STEPS == paused["steps"]
        assert first.hang_up() == 0

    with start_engine(data) as second:
        assert second.call("training_status")["run"] == paused
        second.call("training_resume")
        until(second, lambda run: run["state"] != "paused" and run["step"] >= paused["step"])
        done = until(second, lambda run: run["state"] == "done")
        assert done["step"] == STEPS
        assert done["losses"], "no loss was reported"
        (heads,) = data.glob("heads/*.safetensors")
        assert head_metadata(heads)["steps"] == str(STEPS)
        assert second.call("heads_find") == {
            "model": "tiny",
            "heads": heads.stem,
            "policy": "locret",
            "context": CONTEXT,
            "trainable": True,
        }

        second.call("documents_read", conversation=conversation)
        status = second.call("status")
        assert (status["heads"], status["model"]["message"]) == ({"name": heads.stem}, None)
        opened = second.call("conversation_open", conversation=conversation)
        assert [document["outcome"] for document in opened["documents"]] == ["read"]
        memory = opened["memory"]
        assert (memory["policy"], memory["notice"]) == ("locret", None)
        assert 0 < memory["units"] < memory["tokens_read"]
        answered = second.call("ask", conversation=conversation, text="What was noted?", max_tokens=4)
        assert answered["message"]["state"] == "complete"
