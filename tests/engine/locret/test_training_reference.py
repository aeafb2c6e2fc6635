"""Labels, predictions and losses against the authors' own code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from engine.locret.heads import from_state_dict
from engine.locret.training import LayerSample, attention_labels, head_loss, predict
from engine.training.backbone import Backbone, LayerFeatures
from tests.engine.backends.reference_folder import write_folder

FOLDER = Path(os.environ.get("KEEPSAKE_REFERENCE") or Path(__file__).parents[2] / "data" / "official_locret")
CASES = sorted(path.stem for path in FOLDER.glob("*labels*.json"))


def test_there_are_cases() -> None:
    assert CASES, f"no reference labels in {FOLDER}"


@pytest.mark.parametrize("name", CASES)
def test_labels_and_losses_are_the_authors(name: str, tmp_path: Path) -> None:
    description = json.loads((FOLDER / f"{name}.json").read_text())
    expected = load_file(FOLDER / f"{name}.safetensors")
    state = load_file(FOLDER / description["model"])
    config = json.loads((FOLDER / description["model"].replace(".model.safetensors", ".json")).read_text())["model"]
    tokens, prefix = expected["input_ids"].tolist(), description["prefix_len"]

    layers: dict[int, LayerFeatures] = {}
    Backbone(write_folder(tmp_path, config, state)).run(tokens[:prefix], [tokens[prefix:]], layers.__setitem__)
    sample = [LayerSample(part.features, attention_labels(part.queries, part.keys)) for part in layers.values()]
    predictions = predict(from_state_dict(state), sample)
    loss = head_loss(predictions, [part.labels for part in sample])

    torch.testing.assert_close(torch.stack([part.labels for part in sample]), expected["labels"], atol=1e-4, rtol=1e-5)
    torch.testing.assert_close(torch.stack(predictions), expected["predictions"], atol=1e-3, rtol=1e-5)
    for part, value in zip(("regression_loss", "smoothing_loss", "total_loss"), loss, strict=True):
        torch.testing.assert_close(value.reshape(1), expected[part], atol=1e-4, rtol=1e-5)
