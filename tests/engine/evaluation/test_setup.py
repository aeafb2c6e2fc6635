"""Where a benchmark finds its text, and what it says where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import UserError
from engine.evaluation.setup import held_out_documents
from engine.training.corpus import PYPI_SOURCES, SHORTEST_DOCUMENT, Document


def write_corpus(folder: Path) -> Path:
    """As `train` leaves one: of each package forty files, of which some are held out."""
    for source, path in zip(PYPI_SOURCES, ("docs/userguide/a", "docs/topics", "doc/build/core"), strict=True):
        ending = source.files.rsplit(".", 1)[-1]
        for number in range(40):
            file = folder / source.package / path / f"{number}.{ending}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("The quick brown fox jumps over the lazy dog. " * (SHORTEST_DOCUMENT // 40))
    return folder


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KEEPSAKE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_corpus_that_train_downloads_is_the_default(data_folder: Path) -> None:
    write_corpus(data_folder / "corpus")
    documents = held_out_documents(None)
    assert documents and all(document.held_out for document in documents)
    assert held_out_documents(data_folder / "corpus") == documents


def test_where_there_is_none_it_says_what_to_do(data_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"There is no text to measure on at .*corpus\. keepsake-engine train --trial 1 .* downloads"
    ):
        held_out_documents(None)
    with pytest.raises(
        UserError, match=r"elsewhere\. keepsake-engine train .* --data takes the folder of that corpus\.$"
    ):
        held_out_documents(tmp_path / "elsewhere")
    for file in write_corpus(tmp_path / "few").rglob("*"):
        if file.is_file() and Document(f"{file.relative_to(tmp_path / 'few').parts[0]}/{file.name}", "").held_out:
            file.unlink()
    with pytest.raises(UserError, match=r"is kept for the evaluation\. Name"):
        held_out_documents(tmp_path / "few")
    (data_folder / "corpus").mkdir(parents=True)
    with pytest.raises(UserError, match=r"holds no text of .*\. keepsake-engine train --trial 1 --out"):
        held_out_documents(None)
