"""The torch runtime against the authors' own code: the same tokens, kept positions and scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_model import Placement
from engine.locret.heads import from_state_dict
from engine.locret.policies import Locret
from engine.locret.reading import Reader
from engine.locret.selection import Selection
from tests.engine.backends.reference_folder import write_folder
from tests.engine.locret.test_reading_reference import CASES, FOLDER


@pytest.mark.parametrize("name", CASES)
def test_reading_on_torch_reproduces_the_authors(name: str, tmp_path: Path) -> None:
    description = json.loads((FOLDER / f"{name}.json").read_text())
    given = description["config"]
    expected = load_file(FOLDER / f"{name}.expected.safetensors")
    weights = load_file(FOLDER / f"{name}.model.safetensors")
    backend = TorchBackend(
        write_folder(tmp_path, description["model"], weights),
        n_ctx=given["budget_size"] + given["chunk_size"] + given["local_len"] + 64,
        heads=from_state_dict(weights),
        placement=Placement("cpu", "float32"),
    )
    reader = Reader(backend, Locret(), Selection(given["budget_size"], given["chunk_size"], given["stabilizers"]))
    tokens, local = expected["input_ids"].tolist(), given["local_len"]

    chunks = 0
    for chunks, _ in enumerate(reader.read(tokens[:-local]), start=1):
        kept = expected[f"kept_positions.{chunks - 1}"]
        assert torch.equal(reader.units.positions.long(), kept.long()), f"chunk {chunks - 1}"
    assert chunks == sum(key.startswith("kept_positions.") for key in expected)
    torch.testing.assert_close(reader.units.scores, expected["scores"], atol=1e-4, rtol=0)

    reader.append(tokens[-local:])
    torch.testing.assert_close(backend.logits(), expected["last_logits"], atol=1e-3, rtol=0)
    generated = []
    for _ in expected["generated"]:
        generated.append(int(backend.logits().argmax()))
        reader.append(generated[-1:])
    assert generated == expected["generated"].tolist()
