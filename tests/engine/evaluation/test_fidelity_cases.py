"""Cases: functions of their arguments, held out from training, the fact whole and the needles far from it."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from engine.errors import UserError
from engine.evaluation.fidelity_cases import CONTINUATION_CHARACTERS, NAME, Cases, FidelityCase
from engine.evaluation.needles import FIRST_NAMES, FORMS, KINDS, LAST_NAMES, make_needles
from engine.evaluation.real_facts import RealFact
from engine.training import facts as training_facts
from tests.engine.evaluation import made_up_corpus
from tests.engine.evaluation.made_up_corpus import anchor

TOKENS = 600


def by_word(text: str) -> list[int]:
    return [len(word) for word in re.findall(r"\w+|\W", text)]


def cases(seed: int = 1, tokens: int = TOKENS, sentences: int = 300) -> Cases:
    return Cases(made_up_corpus.documents(sentences=sentences), made_up_corpus.facts(), seed, tokens, by_word)


def asked(case: FidelityCase) -> dict[str, str]:
    return {question.task: question.text for question in case.questions}


def test_a_case_is_a_function_of_seed_and_number() -> None:
    assert cases().case(2) == cases().case(2)
    assert cases().case(2) != cases().case(1)
    assert cases(seed=2).case(2) != cases().case(2)


@pytest.mark.parametrize("number", range(4))
def test_a_piece_holds_its_fact_and_every_needle(number: int) -> None:
    case = cases().case(number)
    assert set(asked(case)) == {"needle", "needle-of-two", "fact"}
    for question in case.questions:
        assert question.accepted[0] in case.document
        assert question.accepted[0] not in question.text
    assert abs(len(by_word(case.document)) - TOKENS) < TOKENS // 10
    fact = next(question for question in case.questions if question.task == "fact")
    whole = anchor(int(fact.accepted[0]) - 100)
    place = case.document.index(whole)
    needles = [case.document.index(question.accepted[0]) for question in case.questions if question is not fact]
    assert min(abs(needle - place) for needle in needles) > len(case.document) // 11


def test_the_continuation_is_the_text_that_follows() -> None:
    texts = [document.text for document in made_up_corpus.documents()]
    for number in range(6):
        case = cases().case(number)
        if case.continuation:
            last_words = case.document[-40:]
            assert len(case.continuation) == CONTINUATION_CHARACTERS
            assert any(last_words + case.continuation in text for text in texts)


def test_needles_change_nothing_of_the_text() -> None:
    case = cases().case(5)
    text = case.document.removeprefix(NAME)
    for form in FORMS:
        pattern = re.escape(form.sentence).replace(r"\{k\}", "[^.]{3,30}").replace(r"\{v\}", r"[\w ]{5,30}")
        text = re.sub(rf"\s+{pattern}\.\s+", " ", text)
    assert any(" ".join(text.split()) in document.text for document in made_up_corpus.documents())


def test_beyond_the_facts_a_case_has_needles_alone() -> None:
    assert set(asked(cases().case(4))) == {"needle", "needle-of-two"}
    assert [set(asked(cases().case(number))) for number in range(4)] == [{"needle", "needle-of-two", "fact"}] * 4
    questions = {asked(cases().case(number))["fact"] for number in range(4)}
    assert len(questions) == 4, "each fact is asked once"


def test_a_short_document_is_filled_up_in_front() -> None:
    case = cases(sentences=25).case(0)
    assert abs(len(by_word(case.document)) - TOKENS) < TOKENS // 10
    assert all(question.accepted[0] in case.document for question in case.questions)


def test_questions_of_another_text_are_refused() -> None:
    with pytest.raises(UserError, match="not of this text"):
        Cases([], made_up_corpus.facts(), 1, TOKENS, by_word).case(0)
    gone = RealFact("made/up-0#0", "a phrase that is not there at all", "What?", ("that",))
    with pytest.raises(UserError, match="does not hold"):
        Cases(made_up_corpus.documents(), [gone], 1, TOKENS, by_word).case(0)


@pytest.mark.parametrize("kind", KINDS)
def test_two_needles_of_one_form_have_different_keys_and_values(kind: str) -> None:
    for seed in range(40):
        one, other = make_needles(Random(seed), kind, 2)
        assert one.question != other.question
        assert not set(one.accepted) & set(other.accepted)
        assert one.accepted[0] in one.sentence


def test_every_kind_of_value_comes_in_turn() -> None:
    numbers = [any(char.isdigit() for char in cases().case(number).questions[0].accepted[0]) for number in range(6)]
    assert numbers == [True, False, True] * 2


def _training_words() -> str:
    folder = Path(training_facts.__file__).parent
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in ("facts.toml", "fact_words.toml")).lower()


def test_training_never_sees_the_forms_nor_the_keys() -> None:
    table = _training_words().replace("{s}", "{k}")
    for form in FORMS:
        assert form.sentence.lower() not in table
        assert form.question.lower() not in table
        for key in form.keys:
            assert not re.search(rf"\b{key.lower().split()[-1]}\b", table), key
    for name in (*FIRST_NAMES, *LAST_NAMES):
        assert not re.search(rf"\b{name.lower()}\b", table), name


def test_no_form_shares_four_words_in_a_row_with_the_training_forms() -> None:
    known = {words for line in _training_words().splitlines() for words in _fours(line)}
    for form in FORMS:
        assert not (_fours(form.sentence) | _fours(form.question)) & known, form.sentence


def _fours(text: str) -> set[tuple[str, ...]]:
    """Every four words in a row that no placeholder interrupts."""
    parts = [re.findall(r"\w+", part) for part in re.split(r"\{\w\}", text.lower())]
    return {tuple(part[at : at + 4]) for part in parts for at in range(len(part) - 3)}
