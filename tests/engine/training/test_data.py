"""People's own text: files, folders, question files; what is held out; what is said where there is too little."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pymupdf
import pytest

from engine.documents.reasons import SENTENCES
from engine.errors import UserError
from engine.training import data as data_module
from engine.training.corpus import PYPI_SOURCES, SOURCES, Document, Source
from engine.training.data import Data, read_data, refuse_too_little, tidied
from engine.training.held_out import split, without_copies
from engine.training.left_out import LeftOut, reason
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


def test_text_pdf_and_folders_are_read_and_what_cannot_be_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text(prose(1, 300))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    (folder / "scan.heic").write_bytes(b"\0\0\0\x18ftypheic")
    with pymupdf.open() as pdf:
        for number in range(3):
            pdf.new_page().insert_textbox((50, 50, 550, 800), prose(number + 10, 12), fontsize=8)
        pdf.save(folder / "b.pdf")
    data, said = read(tmp_path / "mine")
    assert len(data.documents) == 2
    assert any("harbour" in document.text for document in data.documents)
    assert said == [
        "Left out, damaged (get other copies): deep/broken.pdf",
        "Left out, of a kind that is not read (save them as PDF or text): deep/scan.heic",
    ]
    assert data.described == ["mine: 2 documents of your own"]
    assert data.digest == read(tmp_path / "mine")[0].digest


def test_too_little_text_says_how_much_is_needed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A short note. " * 30)
    with pytest.raises(UserError, match=r"are 419 characters to train on.*20,000 characters \(about ten pages\)"):
        read(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(UserError, match=r"There is no text to train on.* Name more files or folders with --data\."):
        read(tmp_path / "a.txt")


def test_of_many_files_left_out_the_first_are_named() -> None:
    left_out = LeftOut()
    for number in range(12):
        left_out.add("empty_file", f"{number}.txt")
    left_out.add("hidden", ".git")
    (line,) = left_out.lines()
    assert line.startswith("Left out, empty: 0.txt, 1.txt, ")
    assert line.endswith(", 9.txt and 2 more")


@pytest.mark.parametrize(
    "code", sorted(SENTENCES.keys() - {"wrong_password", "hidden", "generated", "gone", "outdated"})
)
def test_no_reason_speaks_of_the_window(code: str) -> None:
    assert reason(code) not in (code, SENTENCES[code])
    assert "drop" not in reason(code)


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"There is no text at .*nothing\.txt: it is not there\. Check what --data names"
    ):
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


@pytest.mark.parametrize(("sources", "told"), [(SOURCES, 0), (PYPI_SOURCES, 1)])
def test_it_is_said_where_the_text_is_not_that_of_the_shipped_heads(
    sources: tuple[Source, ...], told: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for source in sources:
        (tmp_path / source.package).mkdir()
    monkeypatch.setattr(data_module, "read_documents", lambda folder: [Document("a", "x" * 30_000)])
    _, said = read(corpus=tmp_path)
    assert len([line for line in said if "the heads that Keepsake ships were trained on Debian's" in line]) == told
    assert read(tmp_path)[1] == said


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


@pytest.mark.parametrize("name", ["one.json", "one.jsonl"])
@pytest.mark.parametrize("form", ["conversations", "messages", "instruction"])
def test_a_file_of_a_single_record_is_read(tmp_path: Path, name: str, form: str) -> None:
    record = LONG_ALPACA if form == "instruction" else {form: sharegpt("First?")["conversations"]}
    (tmp_path / name).write_text(json.dumps({"sources": ["a", "b"], **record}) + "\n")
    (document,) = read_questions(tmp_path / name)
    assert len(document.pairs) == 1
    assert document.text.endswith(CONTEXT)


def test_a_list_inside_an_object_is_read(tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text(json.dumps({"version": 1, "data": [sharegpt("First?"), sharegpt("Third?")]}))
    (document,) = read_questions(tmp_path / "set.json")
    assert len(document.pairs) == 2


def test_a_question_file_without_pairs_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    for text in ('[{"text": "words"}]', "no json", json.dumps([{"instruction": "Add 1 and 2", "output": "3"}])):
        path.write_text(text)
        with pytest.raises(
            UserError, match=r"none\.json cannot be trained on: .* In ShareGPT a blank line or a new line"
        ):
            read(path)


def test_a_question_file_in_a_folder_without_pairs_is_only_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(prose(1, 400))
    (tmp_path / "settings.json").write_text('{"a": 1}')
    data, said = read(tmp_path)
    assert len(data.documents) == 1
    assert said == ["Left out, no question-answer pairs: settings.json"]


@pytest.mark.parametrize("odd", ['{"conversations": 5}', '{"messages": {"a": 1}}', "[" * 200_000, '{"a":' * 200_000])
def test_odd_json_in_a_folder_is_only_named(odd: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(prose(1, 400))
    (tmp_path / "odd.json").write_text(odd)
    data, said = read(tmp_path)
    assert len(data.documents) == 1
    assert said[0].startswith("Left out, no ") and said[0].endswith(": odd.json")


def test_half_a_surrogate_pair_in_json_is_a_question_mark(tmp_path: Path) -> None:
    path = tmp_path / "half.json"
    path.write_text(json.dumps([sharegpt("First \ud800?"), LONG_ALPACA]).replace("harbour", "har\\ud800bour", 1))
    first, second = read_questions(path)
    assert first.text == CONTEXT.replace("harbour", "har?bour", 1)
    assert first.pairs == (("First ??", "To First ??"),)
    assert second.pairs
    for document in (first, second):
        repr(document).encode()


def test_no_text_is_in_both_parts() -> None:
    documents = [Document(str(seed), prose(seed)) for seed in range(40)]
    parts = split(documents)
    assert 1 <= len(parts.validation) <= 15
    assert len(parts.training) + len(parts.validation) == 40
    assert not {d.text for d in parts.training} & {d.text for d in parts.validation}
    assert parts == split(documents)


def test_nothing_of_the_evaluation_makes_or_chooses_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [Document(f"package/{seed}#0", prose(seed)) for seed in range(80)]
    copy = Document("mine", next(d.text for d in documents if d.held_out) + " And more.")
    monkeypatch.setattr(data_module, "fetch", lambda folder, sources: None)
    monkeypatch.setattr(data_module, "read_documents", lambda folder: documents)
    data, _ = read(corpus=Path("nowhere"))
    parts = split([*data.documents, copy], data.test)
    assert {d.part for d in parts.training} == {"training"}
    assert {d.part for d in parts.validation} == {"validation"}
    assert data.test == [d for d in documents if d.held_out]
    assert len(parts.training) + len(parts.validation) + len(data.test) == 80
    assert parts.copies == 1


def test_a_small_document_beside_a_long_one_is_not_all_that_is_held_out() -> None:
    long, small = Document("long", "\n\n".join(prose(seed) for seed in range(60))), Document("small", prose(99))
    parts = split([long, small])
    share = sum(len(document.text) for document in parts.validation) / (len(long.text) + len(small.text))
    assert 0.05 < share < 0.2


def test_copies_do_not_straddle_the_parts() -> None:
    documents = [Document(str(seed), prose(seed)) for seed in range(30)]
    copies = [Document(f"copy {d.name}", d.text.replace("77", "78").upper() + " More words.") for d in documents]
    parts = split(documents + copies)
    assert parts.copies == 30
    assert len(parts.training) + len(parts.validation) == 30


def test_however_often_a_text_is_there_it_is_one() -> None:
    others = [Document(str(seed), prose(seed)) for seed in range(30)]
    copies = [Document(f"copy {number}", others[3].text) for number in range(40)]
    parts = split([*copies[:20], *others, *copies[20:]])
    assert parts.copies == 40
    assert sorted(d.text for d in (*parts.training, *parts.validation)) == sorted(d.text for d in others)
    assert parts.characters == sum(len(document.text) for document in others)
    assert without_copies(copies, [Document("kept", others[3].text)]) == []


def test_copies_do_not_count_as_text_to_train_on() -> None:
    refuse_too_little(20_000, documents=30, copies=29)
    with pytest.raises(UserError, match=r"are 19,999 characters.* The 30 documents are copies of one text\. Name more"):
        refuse_too_little(19_999, documents=30, copies=29)
    with pytest.raises(UserError, match=r"28 of 30 documents are copies of others\. Name more"):
        refuse_too_little(19_999, documents=30, copies=28)
    with pytest.raises(UserError, match=r"a million and more\. Name more"):
        refuse_too_little(19_999, documents=1)


def test_no_long_sentence_of_what_checks_the_heads_is_trained_on() -> None:
    shared = "The keeper of the seventh lantern wrote that nobody had read the register."
    names = [str(number) for number in range(60)]
    documents = [Document(name, f"{prose(int(name), 20)}\n\n{shared} So it was. Ours is {name}.") for name in names]
    asked = replace(documents[0], pairs=(("Who wrote?", shared), ("Is it so?", "So it was."), ("Why?", "For salt.")))
    own = next(name for name in map(str, range(60, 99)) if Document(name, "").part == "training")
    test = [Document("kept", f"{prose(99, 20)}\n\n{shared.upper()}")]
    parts = split([asked, *documents[1:], Document(own, shared.replace(" ", "  ") + prose(7))], test)
    for document in (*parts.training, *parts.validation):
        assert "seventh" not in document.text
    kept = next(document for document in parts.training if document.name == asked.name)
    assert kept.text.endswith("\n\nSo it was. Ours is 0.")
    assert kept.text.startswith(prose(0, 20))
    assert kept.pairs == asked.pairs[1:]
    checked = " ".join(document.text for document in parts.validation)
    assert not any(line in checked for d in parts.training for line in d.text.split(". ") if len(line) > 40)


def test_of_copies_the_one_that_is_not_trained_on_stays() -> None:
    text = prose(3)
    names = [str(number) for number in range(40)]
    checked = next(name for name in names if Document(name, text).part == "validation")
    trained = next(name for name in names if Document(name, text).part == "training")
    for order in ((checked, trained), (trained, checked)):
        assert [d.name for d in without_copies([Document(name, text) for name in order])] == [checked]
    assert without_copies([Document(name, text) for name in names[:9]], [Document("kept", text)]) == []


@pytest.mark.parametrize("count", [1, 2])
def test_of_few_documents_the_end_is_held_out(count: int) -> None:
    texts = [prose(seed) for seed in range(count)]
    asked = [(("Who?", "He."), ("First?", text[:40]), ("Last?", text[-40:])) for text in texts]
    documents = [Document(str(seed), text, asked[seed]) for seed, text in enumerate(texts)]
    parts = split(documents)
    for document, first, last in zip(documents, parts.training, parts.validation, strict=True):
        assert document.text.startswith(first.text)
        assert document.text.endswith(last.text)
        assert len(first.text) + len(last.text) <= len(document.text)
        assert 0.05 < len(last.text) / len(document.text) < 0.2
        assert [question for question, _ in first.pairs] == ["Who?", "First?"]
        assert not last.pairs
