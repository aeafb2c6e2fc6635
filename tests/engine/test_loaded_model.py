"""A model that cannot evict, or has no heads, runs with its full cache and says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from engine.budget import selection_for
from engine.errors import UserError
from engine.head_files import find_heads
from engine.loaded_model import LoadedModel, file_sha256, load_model
from engine.locret.heads import Calibration, RetainingHeads, save_heads
from engine.locret.ranking import Ranking
from engine.model_shape import read_shape
from engine.settings import PolicyName
from tests.engine.backends import tiny_gguf


def load(path: Path, policy: PolicyName, heads: Path, ranking: Ranking | None = None) -> LoadedModel:
    loaded = load_model(
        read_shape(path),
        file_sha256(path),
        selection_for(256),
        policy,
        [heads],
        abort=lambda: False,
        ranking=ranking,
    )
    loaded.runtime.close()
    return loaded


@pytest.fixture
def llama(tmp_path: Path) -> Path:
    return tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path


def test_a_model_without_heads_reads_with_its_full_cache(llama: Path, tmp_path: Path) -> None:
    loaded = load(llama, "locret", tmp_path)
    assert loaded.selection is None
    assert loaded.policy_name == "full"
    assert loaded.notice is not None
    assert "no retaining heads" in loaded.notice
    assert loaded.capacity == loaded.shape.context


def test_a_model_that_cannot_be_evicted_says_why(tmp_path: Path) -> None:
    model = tiny_gguf.write(tmp_path / "sliding.gguf", "gemma2").path
    loaded = load(model, "newest", tmp_path)
    assert loaded.selection is None
    assert loaded.notice
    assert "gemma2" in loaded.notice or "sliding" in loaded.notice


def test_heads_are_found_by_the_models_own_sha256(llama: Path, tmp_path: Path) -> None:
    width = (tiny_gguf.HEADS + 2 * tiny_gguf.KV_HEADS) * tiny_gguf.HEAD_DIM
    heads = RetainingHeads(tiny_gguf.LAYERS, width, 8, tiny_gguf.KV_HEADS)
    save_heads(heads, tmp_path / "other.safetensors", {"model_sha256": "0" * 64})
    assert load(llama, "locret", tmp_path).selection is None
    save_heads(heads, tmp_path / "right.safetensors", {"model_sha256": f"{'0' * 64} {file_sha256(llama)}"})
    loaded = load(llama, "locret", tmp_path)
    assert loaded.heads_name == "right"
    assert loaded.notice is None
    assert loaded.selection == selection_for(256)


def test_of_several_heads_for_a_model_the_newest_are_found(tmp_path: Path) -> None:
    heads = RetainingHeads(1, 4, 2, 1)
    for name, day in (("b", 2), ("c", 1), ("a", 3), ("d", 0)):
        save_heads(heads, tmp_path / f"{name}.safetensors", {"model_sha256": "0" * 64 if name != "a" else "1" * 64})
        os.utime(tmp_path / f"{name}.safetensors", (day * 86_400, day * 86_400))
    found = find_heads("0" * 64, [tmp_path])
    assert found is not None
    assert found.stem == "b"


def with_heads(llama: Path, folder: Path, calibrated: bool) -> None:
    width = (tiny_gguf.HEADS + 2 * tiny_gguf.KV_HEADS) * tiny_gguf.HEAD_DIM
    heads = RetainingHeads(tiny_gguf.LAYERS, width, 8, tiny_gguf.KV_HEADS)
    if calibrated:
        zeros = torch.zeros(tiny_gguf.LAYERS, tiny_gguf.KV_HEADS)
        heads.calibration = Calibration(zeros, zeros + 1, 0.0, 1.0)
    save_heads(heads, folder / "right.safetensors", {"model_sha256": file_sha256(llama)})


def test_a_chosen_ranking_is_part_of_what_a_reading_is_known_by(llama: Path, tmp_path: Path) -> None:
    with_heads(llama, tmp_path, calibrated=True)
    chosen = [load(llama, "locret", tmp_path, ranking) for ranking in (None, Ranking(), Ranking(2.0))]
    assert [loaded.policy_name for loaded in chosen] == [f"locret-consensus-{c}-1-7" for c in (0.25, 0.25, 2.0)]
    assert chosen[0].parameters == chosen[1].parameters != chosen[2].parameters


def test_a_ranking_without_consensus_to_weigh_is_refused(llama: Path, tmp_path: Path) -> None:
    with_heads(llama, tmp_path, calibrated=False)
    with pytest.raises(UserError, match="no calibration"):
        load(llama, "locret", tmp_path, Ranking())
    with pytest.raises(UserError, match="newest has no ranking to be changed"):
        load(llama, "newest", tmp_path, Ranking())


def test_the_shipped_heads_are_for_the_starter_model_as_packaged_and_as_unpacked() -> None:
    from engine import paths

    for model in (paths.packaged_model(), paths.unpacked_model()):
        assert model is not None
        assert find_heads(file_sha256(model), [paths.heads_dir()]) is not None, model
