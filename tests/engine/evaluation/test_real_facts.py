"""The questions about real documents: their form; and with KEEPSAKE_CORPUS, the folder of the corpus, their anchors."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from engine.evaluation.real_facts import FILES, RealFact, answered, located, read_questions
from engine.training.corpus import SOURCES, Document, Part, read_documents

QUESTIONS = {part: read_questions(part) for part in FILES}
EVERY = [(part, fact) for part, facts in QUESTIONS.items() for fact in facts]
CORPUS = os.environ.get("KEEPSAKE_CORPUS")
FACT = RealFact("novels/one#0", "the parson of Little Wick", "Of which village is he the parson?", ("Little Wick",))


@pytest.mark.parametrize("facts", QUESTIONS.values(), ids=list(QUESTIONS))
def test_there_are_enough_questions_and_no_two_share_an_anchor_or_an_answer(facts: list[RealFact]) -> None:
    assert len(facts) >= 60
    assert len({fact.question for fact in facts}) == len(facts)
    assert len({fact.anchor for fact in facts}) == len(facts)
    answers = [(fact.document, answer.lower()) for fact in facts for answer in fact.answers]
    assert len(set(answers)) == len(answers)


@pytest.mark.parametrize(("part", "fact"), EVERY, ids=[fact.anchor for _, fact in EVERY])
def test_a_question_is_well_formed(part: Part, fact: RealFact) -> None:
    package, file = fact.document.split("/")
    assert package in {source.package for source in SOURCES}
    assert re.fullmatch(r".+#\d+", file)
    assert Document(fact.document, "").part == part
    assert 20 <= len(fact.anchor) <= 120
    assert fact.question.endswith("?")
    assert fact.answers
    assert all(len(answer) >= 3 and len(answer.split()) <= 5 for answer in fact.answers)
    assert not answered(fact, fact.question)


def test_an_answer_counts_whatever_its_case_and_punctuation() -> None:
    assert answered(FACT, "He lives in\nLITTLE, WICK.")
    assert not answered(FACT, "He lives in Wick.")


def test_an_anchor_is_located_once() -> None:
    text = "Mr. Hale was the parson of Little Wick."
    documents = [Document("novels/two#0", text + text), Document("novels/one#0", text)]
    assert located(FACT, documents) == 13
    with pytest.raises(ValueError, match="not among"):
        located(FACT, documents[:1])
    with pytest.raises(ValueError, match="does not hold"):
        located(FACT, [Document("novels/one#0", "Mr. Hale.")])
    with pytest.raises(ValueError, match="more than once"):
        located(FACT, [Document("novels/one#0", text + text)])


if CORPUS:

    @pytest.fixture(scope="module")
    def corpus() -> list[Document]:
        return read_documents(Path(CORPUS))

    @pytest.mark.parametrize("part", FILES)
    def test_no_anchor_stands_in_a_document_of_another_part(corpus: list[Document], part: Part) -> None:
        seen = "\n".join(document.text for document in corpus if document.part != part)
        assert [fact.anchor for fact in QUESTIONS[part] if fact.anchor in seen] == []

    @pytest.mark.parametrize("part", FILES)
    def test_every_anchor_stands_once_in_its_document_and_beside_its_answer(corpus: list[Document], part: Part) -> None:
        documents = {document.name: document for document in corpus if document.part == part}
        places = []
        for fact in QUESTIONS[part]:
            document = documents[fact.document]
            begin = located(fact, [document])
            end = begin + len(fact.anchor)
            assert answered(fact, document.text[max(0, begin - 200) : end + 200]), fact.anchor
            places.append((fact.document, begin))
            if part == "test":
                assert len(document.text) >= 12_000
                assert len(document.text) - end >= 1000
        for (name, begin), (following, later) in pairwise(places):
            assert part != "test" or name != following or later - begin >= 2000, f"{name}: {begin} and {later}"
