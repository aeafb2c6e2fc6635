"""Sources of labels: the queries are the tokens that say the answer, and every answer is in the text."""

from __future__ import annotations

from random import Random

import pytest

from engine.errors import UserError
from engine.training.corpus import Document
from engine.training.sources.base import Piece, Words
from engine.training.sources.mixture import SOURCES, parse
from engine.training.sources.requests import LONGEST_BRANCH, Continuation, Question, Repetition
from engine.training.sources.text_questions import KINDS, text_questions
from tests.engine.training.text import letters

WORDS = Words(letters, letters("<user>", True), letters("<bot>", True), letters("<end>", True))
TEXT = """# The Harbour Office

A register is a bound book of ships that came in. The office was opened on 4 March 1887 by Ada Lovelace of Ashby.

- the red book of tonnage
- the blue book of cargo
- the list of drowned men

In its first year the office counted 412 ships, and the records of Clara Barker say that most were laden with salt.
"""


def test_every_kind_of_question_says_what_it_asks() -> None:
    assert all(kind.__doc__ for kind in KINDS.values())


def said(text: list[int]) -> str:
    return "".join(map(chr, text))


def test_the_queries_of_a_question_begin_at_the_token_that_predicts_the_answer() -> None:
    (branch,) = Question("Who?", "Ada.").branches([], WORDS)
    assert said(branch.tokens) == "\n\nWho?<bot>Ada.<end>"
    assert said([branch.tokens[place] for place in branch.queries]) == ">Ada.<end>"


def test_a_branch_takes_no_more_than_the_room_behind_the_context() -> None:
    (branch,) = Question("Why? " * 400 + "Who?", "Ada. " * 400).branches([], WORDS)
    assert len(branch.tokens) == LONGEST_BRANCH
    assert branch.queries.stop == LONGEST_BRANCH
    assert "Who?<bot>Ada. Ada." in said(branch.tokens)
    (branch,) = Question("Who?", "Ada. " * 400).branches([], WORDS)
    assert len(branch.tokens) == LONGEST_BRANCH


def test_all_of_a_continuation_is_asked() -> None:
    (branch,) = Continuation("and so on", 6).branches([], WORDS)
    assert said(branch.tokens) == "and so"
    assert list(branch.queries) == list(range(6))
    assert Continuation("", 6).branches([], WORDS) == []


def test_a_repetition_says_the_whole_context_piece_by_piece() -> None:
    document = letters("abcdefghijklmnopqrstuvwxyz", False)
    branches = Repetition(10).branches(document, WORDS)
    assert [said(branch.tokens[branch.queries[1] :]) for branch in branches] == ["abcdefghij", "klmnopqrst", "uvwxyz"]
    assert said(branches[0].tokens).startswith("\n\nRepeat the previous context exactly.<bot>")
    assert said(branches[1].tokens).split("<bot>")[0].endswith("starting withcdefghij")


@pytest.mark.parametrize("kind", KINDS)
def test_the_texts_own_answers_are_in_it(kind: str) -> None:
    answers = set()
    for seed in range(20):
        question = KINDS[kind](TEXT, Random(seed))
        assert question is not None
        assert question.answer.rstrip(".") in TEXT
        assert question.answer not in question.question
        answers.add(question.answer)
    assert answers


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("A base chain is an entry point for all packets from the networking stack.", "a base chain"),
        ("Debhelper is a set of scripts that make the building of packages easy.", "Debhelper"),
        ("The Spanish Armada Society means the club that meets in the harbour office.", "the Spanish Armada Society"),
        ("While deep ecology is a thread of its own, it shares many ideas with others.", None),
        ("The first thing to do is the changing of the version number of the package.", None),
        ("The fact is that the procedures of the elections are what they always were.", None),
        ("Capitalism is based upon what is written here and upon nothing else at all.", None),
        ("Very good natured people are the ones who lend their boats to strangers.", None),
        ("N is the major version number of the release to which it was ported back.", None),
    ],
)
def test_only_what_is_defined_is_asked_for(sentence: str, term: str | None) -> None:
    question = KINDS["definition"](f"Before it. {sentence} After it.", Random(1))
    if term is None:
        assert question is None
    else:
        assert question is not None and term in question.question and question.answer == sentence


def test_the_next_item_is_of_the_same_list() -> None:
    text = "- apples\n- pears\n\nThen come other things.\n\n- nails\n- screws\n\nThe end.\n\n- alone"
    drawn = [question for seed in range(40) if (question := KINDS["list_item"](text, Random(seed)))]
    asked = {(question.question, question.answer) for question in drawn}
    assert {answer for _, answer in asked} == {"pears", "screws"}
    assert all(("apples" in question) == (answer == "pears") for question, answer in asked)


def test_only_what_can_be_counted_is_asked_for() -> None:
    text = "In 1929, dollars were hoarded, and version 9 brings 1,200 relays across 14 various buildings of the town."
    answers = {question.answer for n in range(40) if (question := KINDS["how_many"](text, Random(n)))}
    assert answers == {"1,200 relays."}


def test_a_text_is_asked_about_different_things() -> None:
    questions = text_questions(TEXT, Random(2), 5)
    assert len({question.answer for question in questions}) == 5
    assert text_questions("", Random(2), 5) == []


def test_a_gap_hides_its_answer() -> None:
    for seed in range(10):
        question = KINDS["date"](TEXT, Random(seed))
        assert question is not None
        assert question.answer == "4 March 1887."
        assert "1887" not in question.question
        assert "..." in question.question


def test_questions_that_came_with_a_document_are_all_asked() -> None:
    pairs = [(f"Question {number}?", f"Answer {number}.") for number in range(20)]
    source = SOURCES["answer"]
    assert len(source.ask(Piece(TEXT, pairs=pairs), Random(1)).requests) == 20
    assert source.suits(Document("a", TEXT, tuple(pairs)))
    assert not source.suits(Document("a", TEXT))


def test_a_mixture_is_read_and_drawn_by_weight() -> None:
    mixture = parse("facts=1, continue=0.5,repeat=0")
    assert mixture.weights == {"planted": 1, "text": 1, "continue": 0.5}
    rng = Random(4)
    drawn = [{source.name for source in mixture.draw(rng)} for _ in range(400)]
    assert all({"planted", "text"} <= names for names in drawn)
    assert 150 < sum("continue" in names for names in drawn) < 250
    assert all(len(parse("repeat=0.01,continue=0.02").draw(rng)) >= 1 for _ in range(20))


@pytest.mark.parametrize("text", ["answers=1", "facts=2", "facts=many", "", "facts=0"])
def test_what_is_no_mixture_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse(text)
