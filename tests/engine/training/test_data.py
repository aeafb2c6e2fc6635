"""People's own text: files, folders, question files; what is held out; what is said where there is too little."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pymupdf
import pytest

from engine.errors import UserError
from engine.training import data as data_module
from engine.training.corpus import Document
from engine.training.data import Data, read_data, tidied
from engine.training.held_out import split, without_copies
from engine.training.question_files import read_questions

CONTEXT = "\n".join(f"In the year {1700 + n} the harbour counted {n * 7} ships and {n} storms." for n in range(20))


def prose(seed: int, sentences: int = 120) -> str:
    rng = Random(seed)
    words = ["harbour", "register", "keeper", "salt", "lantern", "tide", "winter", "barrel", "ledger", "gull"]
    paragraph = [f"The {' '.join(rng.choices(words, k=8))} of {rng.randrange(10**6)}." for _ in range(sentences)]
    return "\n\n".join(" ".join(paragraph[place : place + 4]) for place in range(0, sentences, 4))


def read(*paths: Path, corpus: Path = Path("nowhere")) -> tuple[Data, list[str]]:
    said: list[str] = []
    return read_data(paths, corpus, said.append), said


def test_text_pdf_and_folders_are_read_and_what_cannot_be_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text(prose(1, 300))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    (folder / "scan.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with pymupdf.open() as pdf:
        for number in range(3):
            pdf.new_page().insert_textbox((50, 50, 550, 800), prose(number + 10, 12), fontsize=8)
        pdf.save(folder / "b.pdf")
    data, said = read(tmp_path / "mine")
    assert len(data.documents) == 2
    assert any("harbour" in document.text for document in data.documents)
    assert sum(data.skipped.values()) == 2
    assert len([line for line in said if "left out" in line]) == 2
    assert data.described == ["mine: 2 documents of your own"]
    assert data.digest == read(tmp_path / "mine")[0].digest


def test_too_little_text_says_how_much_is_needed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A short note. " * 30)
    with pytest.raises(UserError, match=r"20,000 \(about ten pages\)"):
        read(tmp_path / "a.txt")


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no text at"):
        read(tmp_path / "nothing.txt")


def test_short_files_are_read_together(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.txt").write_text(prose(number, 16))
    data, _ = read(tmp_path)
    assert 10 <= len(data.documents) < 30
    assert all(len(document.text) > 1000 for document in data.documents)


def test_without_data_the_corpus_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[Path] = []
    monkeypatch.setattr(data_module, "fetch", lambda folder, sources: fetched.append(folder))
    monkeypatch.setattr(data_module, "read_documents", lambda folder: [Document("a", "x" * 30_000)])
    data, said = read(corpus=tmp_path / "corpus")
    assert fetched == [tmp_path / "corpus"]
    assert "Downloading" in said[0]
    assert data.documents


def test_lines_that_a_page_broke_are_joined() -> None:
    text = "A Heading\n\nWords that\nwere broken\nby the page.\n\n- one\n- two\n  goes on\n\n# Marked\nand text"
    assert (
        tidied(text) == "A Heading\n\nWords that were broken by the page.\n\n- one\n- two goes on\n\n# Marked\nand text"
    )


def sharegpt(question: str, *more: str) -> dict[str, Any]:
    turns = [{"from": "human", "value": f"{CONTEXT}\n\n{question}"}, {"from": "gpt", "value": f"To {question}"}]
    for text in more:
        turns += [{"from": "human", "value": text}, {"from": "gpt", "value": f"To {text}"}]
    return {"id": 1, "conversations": turns}


LONG_ALPACA = {
    "instruction": f"Below is a paper.\nThe paper begins.\n{CONTEXT}\nNow the paper ends.\nHow many ships?",
    "input": "",
    "output": "Many ships.",
}


@pytest.mark.parametrize("lines", [False, True])
def test_all_questions_about_a_context_are_one_document(tmp_path: Path, lines: bool) -> None:
    path = tmp_path / "questions.json"
    records = [sharegpt("First?", "Second?"), sharegpt("Third?"), LONG_ALPACA, {"text": "no pair"}]
    path.write_text("\n".join(map(json.dumps, records)) if lines else json.dumps(records))
    first, second = read_questions(path)
    assert first.text == CONTEXT
    assert [question for question, _ in first.pairs] == ["First?", "Second?", "Third?"]
    assert first.pairs[1][1] == "To Second?"
    assert second.pairs == (("How many ships?", "Many ships."),)
    assert second.text.endswith(CONTEXT.splitlines()[-1])
    assert "paper ends" not in second.text


def test_a_question_file_without_pairs_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    for text in ('[{"text": "words"}]', "no json", json.dumps([{"instruction": "Add 1 and 2", "output": "3"}])):
        path.write_text(text)
        with pytest.raises(UserError, match=r"none\.json cannot be trained on"):
            read(path)


def test_a_question_file_in_a_folder_without_pairs_is_only_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(prose(1, 400))
    (tmp_path / "settings.json").write_text('{"a": 1}')
    data, _ = read(tmp_path)
    assert len(data.documents) == 1
    assert list(data.skipped.values()) == [1]


def test_no_text_is_in_both_parts() -> None:
    documents = [Document(str(seed), prose(seed)) for seed in range(40)]
    parts = split(documents)
    assert 1 <= len(parts.held_out) <= 15
    assert len(parts.training) + len(parts.held_out) == 40
    assert not {d.text for d in parts.training} & {d.text for d in parts.held_out}
    assert parts == split(documents)


def test_a_small_document_beside_a_long_one_is_not_all_that_is_held_out() -> None:
    long, small = Document("long", "\n\n".join(prose(seed) for seed in range(60))), Document("small", prose(99))
    parts = split([long, small])
    share = sum(len(document.text) for document in parts.held_out) / (len(long.text) + len(small.text))
    assert 0.05 < share < 0.2


def test_copies_do_not_straddle_the_parts() -> None:
    documents = [Document(str(seed), prose(seed)) for seed in range(30)]
    copies = [Document(f"copy {d.name}", d.text.replace("77", "78").upper() + " More words.") for d in documents]
    parts = split(documents + copies)
    assert parts.copies == 30
    assert len(parts.training) + len(parts.held_out) == 30


def test_of_copies_the_held_out_one_stays() -> None:
    text = prose(3)
    names = [str(number) for number in range(40)]
    held_out = next(name for name in names if Document(name, text).held_out)
    trained = next(name for name in names if not Document(name, text).held_out)
    for order in ((held_out, trained), (trained, held_out)):
        assert [d.name for d in without_copies([Document(name, text) for name in order])] == [held_out]


@pytest.mark.parametrize("count", [1, 2])
def test_of_few_documents_the_end_is_held_out(count: int) -> None:
    documents = [Document(str(seed), prose(seed), (("Who?", "He."),)) for seed in range(count)]
    parts = split(documents)
    for document, first, last in zip(documents, parts.training, parts.held_out, strict=True):
        assert document.text.startswith(first.text)
        assert document.text.endswith(last.text)
        assert len(first.text) + len(last.text) <= len(document.text)
        assert 0.05 < len(last.text) / len(document.text) < 0.2
        assert first.pairs and not last.pairs
