"""Heads that training has written are used from the next reading on: by an engine that has the model loaded, and by the
next one, in place of the policy that stood in for them.
"""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from engine import ask_command, read_command
from engine.engine import Engine
from engine.loaded_model import file_sha256
from engine.locret.heads import RetainingHeads, save_heads
from engine.selection_options import UNCHANGED
from engine.store import Store
from engine.store.store import FILE_NAME
from engine.training_runs import TrainingRuns
from engine.training_runs.methods import heads_find, training_start, training_status
from tests.engine.backends import tiny_gguf
from tests.engine.training_runs.waiting import command, until


def nothing(_event: str, _data: dict[str, object]) -> None:
    return


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    model = tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path
    write_heads(tmp_path, model)
    made = Engine(tmp_path / "data", {"model": str(model)})
    train_quickly(made, tmp_path)
    made.units = 256
    yield made
    made.training.forget()
    made.close()


def write_heads(tmp_path: Path, model: Path) -> None:
    """What the stand-in for training gives out as its own."""
    width = (tiny_gguf.HEADS + 2 * tiny_gguf.KV_HEADS) * tiny_gguf.HEAD_DIM
    heads = RetainingHeads(tiny_gguf.LAYERS, width, 8, tiny_gguf.KV_HEADS)
    save_heads(heads, tmp_path / "trained.safetensors", {"model_sha256": file_sha256(model)})


def train_quickly(engine: Engine, tmp_path: Path, seconds: float = 0.0) -> None:
    heads = str(tmp_path / "trained.safetensors")
    engine.training.command = tuple(command("--heads", heads, "--seconds", str(seconds)))


def test_the_next_reading_uses_them_and_the_one_after_does_not_load_again(engine: Engine, tmp_path: Path) -> None:
    before = engine.loaded(nothing)
    assert (before.model.heads_name, before.model.selection) == (None, None)
    assert heads_find(engine, {}, nothing)["heads"] is None
    assert engine.loaded(nothing) is before
    training_start(engine, {"texts": "folder", "folder": str(tmp_path)}, nothing)
    assert "no retaining heads" in engine.model_status()["message"]
    until(engine.training.status, "done")
    assert engine.model_status()["message"] is None, "it has heads now, though it is loaded without"
    assert heads_find(engine, {}, nothing)["heads"] is not None
    after = engine.loaded(nothing)
    assert after.model.heads_name == heads_find(engine, {}, nothing)["heads"]
    assert after.model.selection is not None
    assert after.model.notice is None
    assert after.session.root != before.session.root, "what was read without them is not taken for a reading with them"
    assert engine.loaded(nothing) is after


def test_a_policy_without_heads_is_not_disturbed_by_new_ones(engine: Engine, tmp_path: Path) -> None:
    engine.configuration.overrides["policy"] = "newest"
    before = engine.loaded(nothing)
    training_start(engine, {"texts": "folder", "folder": str(tmp_path)}, nothing)
    until(engine.training.status, "done")
    assert engine.loaded(nothing) is before


@pytest.fixture
def trained_meanwhile(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Starts training under a policy and closes the engine. Returns the data folder once heads are written."""
    data = tmp_path / "data"
    model = tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path
    write_heads(tmp_path, model)

    def trained(policy: str) -> Path:
        engine = Engine(data)
        train_quickly(engine, tmp_path, seconds=0.02)  # this engine does not see it done
        engine.change_settings({"model": str(model), "policy": policy})
        training_start(engine, {"texts": "folder", "folder": str(tmp_path)}, nothing)
        engine.close()
        until(TrainingRuns(data).status, "done")
        return data

    yield trained
    TrainingRuns(data).forget()


def policy_in(data: Path) -> str:
    """As an engine finds it that is started now."""
    engine = Engine(data)
    try:
        return str(engine.settings()["policy"])
    finally:
        engine.close()


@pytest.mark.parametrize("module", [ask_command, read_command])
def test_a_command_line_reads_with_heads_that_were_written_while_no_window_was_open(
    module: ModuleType, trained_meanwhile: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = trained_meanwhile("keydiff")
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    options = parser.parse_args(["file.txt", *(["?"] if module is ask_command else []), "--data-dir", str(data)])
    options.ranking, options.change, options.budget_units = None, UNCHANGED, 256
    with ask_command.open_engine(options) as work:
        loaded = work.engine.loaded(nothing)
    assert loaded.choice.policy == "locret"
    assert loaded.model.heads_name is not None
    assert policy_in(data) == "locret", "it holds for later engines, too"


def test_what_is_chosen_once_heads_are_there_stays(trained_meanwhile: Callable[..., Path]) -> None:
    data = trained_meanwhile("keydiff")
    engine = Engine(data)
    assert training_status(engine, {})["run"]["state"] == "done"
    assert engine.settings()["policy"] == "locret"
    engine.change_settings({"policy": "keydiff"})
    assert training_status(engine, {})["run"]["state"] == "done"
    assert engine.settings()["policy"] == "keydiff"
    engine.close()
    assert policy_in(data) == "keydiff", "the run's notice was not closed, and it is not told twice"


def test_a_choice_that_finds_the_heads_first_stays(trained_meanwhile: Callable[..., Path]) -> None:
    data = trained_meanwhile("keydiff")
    engine = Engine(data)
    engine.change_settings({"policy": "keydiff"})
    engine.close()
    assert policy_in(data) == "keydiff"


@pytest.mark.parametrize("policy", ["newest", "full"])
def test_a_policy_that_was_no_stand_in_stays(policy: str, trained_meanwhile: Callable[..., Path]) -> None:
    assert policy_in(trained_meanwhile(policy)) == policy


def test_heads_of_another_model_wait_until_it_is_in_use(trained_meanwhile: Callable[..., Path], tmp_path: Path) -> None:
    other = tiny_gguf.write(tmp_path / "other.gguf", "llama").path
    data = trained_meanwhile("keydiff")
    store = Store(data / FILE_NAME)
    store.save_settings({"model": str(other)})
    store.close()
    assert policy_in(data) == "keydiff", "the other model has no heads"
    engine = Engine(data)
    engine.change_settings({"model": str(tmp_path / "tiny.gguf")})
    engine.close()
    assert policy_in(data) == "locret"


def test_heads_that_are_gone_take_no_place(trained_meanwhile: Callable[..., Path]) -> None:
    data = trained_meanwhile("keydiff")
    for file in (data / "heads").glob("*.safetensors"):
        file.unlink()
    assert policy_in(data) == "keydiff"


def test_each_run_counts(trained_meanwhile: Callable[..., Path]) -> None:
    assert policy_in(trained_meanwhile("keydiff")) == "locret"
    assert policy_in(trained_meanwhile("keydiff")) == "locret"
