"""A model without retaining heads, used with a policy that needs none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.backends.scoring import TRAINING_FREE, TrainingFree
from engine.backends.torch_backend import TorchBackend
from engine.loaded_model import LoadedModel, load_model
from engine.locret.policies import AsScored
from engine.locret.reading import Reader, Units
from engine.locret.selection import Selection
from engine.main import main
from engine.model_shape import read_shape
from engine.target import TORCH_CPU
from tests.engine.backends import tiny_folder
from tests.engine.backends.tiny_folder import VOCABULARY

TEXT = "The lighthouse keeper wrote down the weather twice a day, and the ships that went by. " * 60
QUESTION = "What did the keeper write down?"
SELECTION = Selection(48, 32, 12, 4, 6, turn=64)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder.write(tmp_path_factory.mktemp("models") / "plain", max_position_embeddings=4096)


def ask(capsys: pytest.CaptureFixture[str], data: Path, *words: object) -> dict[str, Any]:
    fixed = ["--json", "--data-dir", data, "--max-tokens", 5, "--device", "cpu", "--dtype", "float32"]
    assert main(["ask", *map(str, [*words, *fixed])]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("policy", TRAINING_FREE)
def test_a_document_is_read_within_the_budget_and_its_reading_is_used_again(
    policy: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "lighthouse.txt"
    document.write_text(TEXT)
    words = (document, QUESTION, "--model", model, "--budget-units", 256, "--policy", policy)
    first = ask(capsys, tmp_path / "data", *words)
    assert first["tokens_read"] > len(TEXT) > first["units_kept"] > 0
    again = ask(capsys, tmp_path / "data", *words)
    assert again["reused"] and not first["reused"]
    assert again["answer"] == first["answer"]
    other = next(name for name in TRAINING_FREE if name != policy)
    assert not ask(capsys, tmp_path / "data", *words[:-1], other)["reused"], "another policy is another reading"


@pytest.mark.parametrize("policy", TRAINING_FREE)
def test_a_reading_gone_on_with_in_another_process_is_the_same_bit_for_bit(policy: TrainingFree, model: Path) -> None:
    tokens = torch.randint(3, VOCABULARY, (150,), generator=torch.Generator().manual_seed(1)).tolist()
    at_once = _reader(model, policy)
    states = []
    for done in at_once.read(tokens):
        if done == 96:
            half = list(at_once.backend.export_state())  # type: ignore[attr-defined]
            units = Units(at_once.units.scores.clone(), at_once.units.positions.clone())
    states.append(list(at_once.backend.export_state()))  # type: ignore[attr-defined]
    later = _reader(model, policy)
    later.backend.import_state(half)  # type: ignore[attr-defined]
    later.units, later.tokens_read = units, 96
    for _ in later.read(tokens, start=96):
        pass
    states.append(list(later.backend.export_state()))  # type: ignore[attr-defined]
    for one, other in zip(*states, strict=True):
        assert (one.keys == other.keys).all() and (one.values == other.values).all()
    assert torch.equal(at_once.units.scores, later.units.scores)
    for reader in (at_once, later):
        reader.backend.close()  # type: ignore[attr-defined]


def _reader(model: Path, policy: TrainingFree) -> Reader:
    return Reader(TorchBackend(model, n_ctx=SELECTION.capacity, heads=policy), AsScored(policy), SELECTION)


@pytest.fixture
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LoadedModel]:
    kind, policy = request.param
    shape = read_shape(tiny_folder.write(tmp_path / kind, kind, max_position_embeddings=4096))
    model = load_model(shape, "f", SELECTION, policy, [], lambda: False, target=TORCH_CPU)
    yield model
    model.runtime.close()


@pytest.mark.parametrize("loaded", [("llama", "keydiff"), ("qwen3", "keydiff")], indirect=True)
def test_the_policy_is_part_of_what_a_reading_is_known_by(loaded: LoadedModel) -> None:
    assert (loaded.policy_name, loaded.parameters["policy"], loaded.parameters["heads"]) == ("keydiff", "keydiff", None)
    assert (loaded.selection, loaded.notice, loaded.heads_name) == (SELECTION, None, None)
    assert loaded.runtime.forward([5, 6]) is not None


@pytest.mark.parametrize("loaded", [("qwen3", "expected-attention")], indirect=True)
def test_a_model_that_cannot_be_scored_reads_with_its_full_cache_and_says_so(loaded: LoadedModel) -> None:
    assert loaded.selection is None
    assert loaded.policy_name == loaded.parameters["policy"] == "full"
    assert "Expected Attention cannot score models of the kind qwen3" in (loaded.notice or "")
    assert loaded.runtime.forward([5, 6]) is None
