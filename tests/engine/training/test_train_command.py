"""`keepsake-engine train` from text to head file, on a tiny model, and the text it trains on."""

from __future__ import annotations

import argparse
import gzip
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.loaded_model import file_sha256
from engine.locret.heads import head_metadata, load_heads
from engine.model_source import fingerprint
from engine.training import corpus, train_command
from engine.training.corpus import CorpusError, Source, read_documents
from tests.engine.backends import tiny_folder
from tests.engine.training.test_prompts import SENTENCE

PAPERS = Source("papers", "1.0", "MIT", "docs/*")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Text as --fetch leaves it: one package with plain, gzipped and marked-up files, some of them held out."""
    monkeypatch.setattr(corpus, "SOURCES", (PAPERS,))
    monkeypatch.setattr(train_command, "SOURCES", (PAPERS,))
    folder = tmp_path / "data" / "papers" / "docs"
    folder.mkdir(parents=True)
    for number in range(30):
        text = "\n\n".join(f"Paragraph {number}. {SENTENCE * 3}" for _ in range(40))
        (folder / f"{number}.txt.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "page.html").write_text(
        f"<html><script>var hidden = 1;</script><body>{f'<p>{SENTENCE * 4}</p>' * 40}</body></html>"
    )
    (folder / "short.txt").write_text("too short to learn from")
    return tmp_path / "data"


def test_documents_are_read_whole_and_held_out_by_name(data: Path) -> None:
    documents = read_documents(data)
    assert len(documents) == 31
    assert [d.name for d in documents] == sorted(d.name for d in documents)
    page = next(d for d in documents if "page.html" in d.name)
    assert "hidden" not in page.text
    assert page.text.count("seventeen registers") == 160
    held_out = {d.name for d in documents if d.held_out}
    assert len(held_out) == 2
    assert held_out == {d.name for d in read_documents(data) if d.held_out}


def test_missing_text_says_how_to_get_it(data: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="--fetch"):
        read_documents(tmp_path / "nothing")


def test_a_package_that_cannot_be_fetched_says_what_to_do(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "apt-get").write_text("#!/bin/sh\necho no such package >&2\nexit 100\n")
    (programs / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    corpus.fetch(data)  # it is there already
    with pytest.raises(CorpusError, match=r"papers 1\.0.*apt-get update.*no such package"):
        corpus.fetch(tmp_path / "elsewhere")


def arguments(model: Path, data: Path, out: Path, *more: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    train_command.add_arguments(parser)
    words = ["--model", str(model), "--data", str(data), "--out", str(out), "--steps", "4", "--hidden", "8", *more]
    return parser.parse_args(words)


def test_trained_in_one_go_or_resumed_the_heads_are_the_same(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_folder.write(tmp_path / "tiny", max_position_embeddings=16_384)
    monkeypatch.setattr(train_command, "CHECKPOINT_STEPS", 2)
    monkeypatch.setattr(train_command, "HELD_OUT_SAMPLES", 3)
    whole, resumed = tmp_path / "whole.safetensors", tmp_path / "resumed.safetensors"
    assert train_command.run(arguments(model, data, whole)) == 0

    def saved_and_interrupted(state: dict[str, Any], path: Path) -> None:
        save(state, path)
        raise KeyboardInterrupt

    save = torch.save
    with monkeypatch.context() as patch:
        patch.setattr(torch, "save", saved_and_interrupted)
        with pytest.raises(KeyboardInterrupt):
            train_command.run(arguments(model, data, resumed))
    checkpoint = resumed.with_name("resumed.safetensors.checkpoint")
    assert torch.load(checkpoint, weights_only=True)["step"] == 2
    assert train_command.run(arguments(model, data, resumed, "--resume")) == 0
    one, other = load_heads(whole), load_heads(resumed)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert one.calibration is not None
    metadata = head_metadata(whole)
    assert metadata["model_sha256"].split() == [fingerprint(model, file_sha256)]
    assert metadata["data"] == "papers 1.0 (MIT)"
