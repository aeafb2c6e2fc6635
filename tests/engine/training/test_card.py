"""The model card says what the heads learnt from, under which licences and how, and what its figures are worth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.training import data as data_module
from engine.training.card import card
from engine.training.corpus import PYPI_SOURCES, SOURCES, Document, Source
from engine.training.data import read_data

METADATA = {"model": "tiny", "model_sha256": "12ab 34cd"}
RECIPE = {"steps": 1500, "labels": "planted=1,continue=1", "patience": 5, "dtype": "bfloat16", "clip_value": 0.5}


def check(step: int, loss: float, kind: str = "held-out") -> Mapping[str, Any]:
    return {"step": step, "kind": kind, "loss": loss, "overlap_0.25": 0.5 - loss / 10, "overlap_0.125": 0.4}


ROWS = [check(20, 0.1, "train"), check(100, 0.9), check(200, 0.7), check(300, 0.8)]


def made(*described: str, rows: list[Mapping[str, Any]] = ROWS, **recipe: Any) -> str:
    return card("heads.safetensors", METADATA, {**RECIPE, **recipe}, described, rows)


@pytest.mark.parametrize("sources", [SOURCES, PYPI_SOURCES])
def test_each_package_is_named_with_its_licence(
    sources: tuple[Source, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for source in sources:
        (tmp_path / source.package).mkdir()
    monkeypatch.setattr(data_module, "read_documents", lambda _: [Document("a", "x" * 30_000)])
    text = made(*read_data([], tmp_path, lambda _: None).described)
    for source in sources:
        assert f"\n- {source.package} {source.version} ({source.licence})\n" in text


def test_the_recipe_and_the_models_fingerprints_are_in_it() -> None:
    text = made("notes: 3 documents of your own")
    assert all(f"| {name} | {value} |" in text for name, value in RECIPE.items())
    assert "| Fingerprint (sha256) | 12ab 34cd |" in text
    assert "- notes: 3 documents of your own\n" in text
    assert "--heads heads.safetensors" in text
    assert "for this model (of several the newest is used); remove it to go back." in text


def test_the_figures_are_those_of_the_held_out_checks_and_say_what_else_these_documents_did() -> None:
    text = made()
    lines = [line for line in text.splitlines() if line.startswith(("| 20 ", "| 100 ", "| **200** ", "| 300 "))]
    assert lines == [
        "| 100 | 0.9000 | 41.0% | 40.0% |",
        "| **200** | **0.7000** | **43.0%** | **40.0%** |",
        "| 300 | 0.8000 | 42.0% | 40.0% |",
    ]
    assert "The weights are those of step 200. The mean of their overlaps is 41.5%." in text
    told = " ".join(text.split())
    assert "The same documents chose these weights" in told
    assert "calibrate the scores" in told
    assert "another eighth is kept for `evaluate fidelity` and was not used at all" in told
    assert "None were taken." in made(rows=[ROWS[0]])


@pytest.mark.parametrize(
    ("patience", "told"),
    [
        (0, "these weights (those that rank best) and"),
        (1, "these weights (those that rank best; the run stops after 1 check without better ones) and"),
        (5, "these weights (those that rank best; the run stops after 5 checks without better ones) and"),
    ],
)
def test_a_run_is_said_to_stop_early_only_where_it_would(patience: int, told: str) -> None:
    assert told in " ".join(made(patience=patience).split())
