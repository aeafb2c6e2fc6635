"""Heads that training has written are used from the next reading on, by an engine that has the model loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.engine import Engine
from engine.loaded_model import file_sha256
from engine.locret.heads import RetainingHeads, save_heads
from engine.training_runs.methods import heads_find, training_start
from tests.engine.backends import tiny_gguf
from tests.engine.training_runs.waiting import command, until


def nothing(_event: str, _data: dict[str, object]) -> None:
    return


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    model = tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path
    width = (tiny_gguf.HEADS + 2 * tiny_gguf.KV_HEADS) * tiny_gguf.HEAD_DIM
    heads = RetainingHeads(tiny_gguf.LAYERS, width, 8, tiny_gguf.KV_HEADS)
    save_heads(heads, tmp_path / "trained.safetensors", {"model_sha256": file_sha256(model)})
    made = Engine(tmp_path / "data", {"model": str(model)})
    made.training.command = tuple(command("--heads", str(tmp_path / "trained.safetensors"), "--seconds", "0"))
    made.units = 256
    yield made
    made.training.forget()
    made.close()


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
    engine.overrides["policy"] = "newest"
    before = engine.loaded(nothing)
    training_start(engine, {"texts": "folder", "folder": str(tmp_path)}, nothing)
    until(engine.training.status, "done")
    assert engine.loaded(nothing) is before
