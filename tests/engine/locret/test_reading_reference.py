"""The reading loop against the authors' own code: same kept positions, same scores, same tokens."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from engine.locret.policies import Locret
from engine.locret.reading import Reader
from engine.locret.selection import Selection
from tests.engine.reference_llama import ReferenceLlama

FOLDER = Path(os.environ.get("KEEPSAKE_REFERENCE") or Path(__file__).parents[2] / "data" / "official_locret")
CASES = sorted(path.name.removesuffix(".expected.safetensors") for path in FOLDER.glob("*.expected.safetensors"))


def test_there_are_cases() -> None:
    assert CASES, f"no reference cases in {FOLDER}"


@pytest.mark.parametrize("name", CASES)
def test_reading_reproduces_the_authors(name: str) -> None:
    description = json.loads((FOLDER / f"{name}.json").read_text())
    config = description["config"]
    expected = load_file(FOLDER / f"{name}.expected.safetensors")
    model = ReferenceLlama(load_file(FOLDER / f"{name}.model.safetensors"), description["model"])
    selection = Selection(config["budget_size"], config["chunk_size"], config["stabilizers"])
    reader = Reader(model, Locret(), selection)
    tokens = expected["input_ids"].tolist()
    local = config["local_len"]

    chunks = 0
    for chunks, _ in enumerate(reader.read(tokens[:-local]), start=1):
        kept = expected[f"kept_positions.{chunks - 1}"]
        assert torch.equal(reader.units.positions.long(), kept.long()), f"chunk {chunks - 1}"
    assert chunks == sum(key.startswith("kept_positions.") for key in expected)
    torch.testing.assert_close(reader.units.scores, expected["scores"], atol=1e-4, rtol=0)

    reader.append(tokens[-local:])
    torch.testing.assert_close(model.last_logits, expected["last_logits"], atol=1e-3, rtol=0)
    generated = []
    for _ in expected["generated"]:
        generated.append(int(model.last_logits.argmax()))
        reader.append(generated[-1:])
    assert generated == expected["generated"].tolist()
