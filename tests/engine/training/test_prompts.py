"""Prompts: what is planted and asked is in the document, and a seed gives the same prompt again."""

from __future__ import annotations

import re
from random import Random

from engine.training.corpus import Document
from engine.training.prompts import Prompt, as_document, beginning, cut, fitted, make_prompt, plant
from engine.training.samples import Recipe, draw_prompt
from engine.training.sources.mixture import SOURCES, parse
from engine.training.sources.planted import distinct_facts
from engine.training.sources.requests import Continuation, GivenQuestion, Question, Repetition
from tests.engine.training.text import letters

SENTENCE = "The Harbour Office of the old town keeps seventeen registers, and nobody has read them. "
DOCUMENTS = [Document("test/a", "\n\n".join(SENTENCE * 3 for _ in range(80)))]


def test_every_planted_fact_is_in_the_document() -> None:
    rng = Random(1)
    for _ in range(20):
        facts = distinct_facts(rng, 6)
        text = plant([fact.sentence for fact in facts], cut(DOCUMENTS[0].text, rng, 300)[0], rng)
        assert all(f"{fact.sentence}." in text for fact in facts)
        assert len({fact.kind for fact in facts}) == 6


def test_the_continuation_follows_the_document() -> None:
    text, continuation = cut(DOCUMENTS[0].text, Random(5), 200)
    assert text + continuation in DOCUMENTS[0].text


def test_each_source_asks_under_its_own_name() -> None:
    sources = [SOURCES["planted"], SOURCES["continue"]]
    prompt = make_prompt(DOCUMENTS[0], sources, Random(3), 800, 8000)
    assert set(prompt.asked) == {"planted", "continue"}
    assert all(isinstance(request, Question) for request in prompt.asked["planted"])
    (following,) = prompt.asked["continue"]
    assert isinstance(following, Continuation)


def test_a_step_is_a_function_of_seed_and_number() -> None:
    recipe = Recipe(longest=400)
    first, second = (draw_prompt(DOCUMENTS, recipe, 7, 11, letters) for _ in range(2))
    assert first == second
    assert first != draw_prompt(DOCUMENTS, recipe, 7, 12, letters)


def test_a_document_with_questions_is_read_from_its_beginning() -> None:
    pairs = (("Early?", "One,\ntwo."), ("Late?", "last words"), ("Whole?", "in other terms"), ("Half?", "thre"))
    document = Document("a", "one two three " * 10 + "last words", pairs)
    piece = beginning(document, 60)
    assert document.text.startswith(piece.text)
    assert [question for question, _ in piece.pairs] == ["Early?"]
    prompt = draw_prompt([*DOCUMENTS, document], Recipe(mixture=parse("answer")), 1, 1, letters)
    assert [request.question for request in prompt.asked["answer"] if isinstance(request, Question)] == [
        question for question, _ in pairs
    ]


def test_a_document_whose_questions_are_not_asked_has_text_after_what_is_read() -> None:
    document = Document("a", "one two three. " * 30 + "four", (("What?", "one"),))
    prompt = draw_prompt([document], Recipe(mixture=parse("continue")), 1, 1, letters)
    assert [type(request) for request in prompt.asked["continue"]] == [Continuation]


def test_what_is_cut_off_is_not_asked() -> None:
    asked = {
        "text": [
            Question("Early?", "Ada.", "It was Ada in the year one."),
            Question("Late?", "Bob.", "Bob came last."),
        ],
        "answer": [GivenQuestion("In all?", "Words of my own."), GivenQuestion("When?", "in THE year")],
        "continue": [Continuation("and so on", 6)],
        "repeat": [Repetition(10)],
    }
    text = "It was Ada in\nthe year one. " + "More of it. " * 20 + "Bob came last."
    prompt = fitted(Prompt(text, asked), letters, len(text))
    assert prompt == Prompt(text, asked)
    prompt = fitted(Prompt(text, asked), letters, len(text) - 3)
    assert prompt.document == text.removesuffix(" last.")
    assert prompt.asked == {"text": asked["text"][:1], "answer": asked["answer"][1:], "repeat": asked["repeat"]}


def test_what_is_asked_of_a_prompt_near_the_longest_is_in_it() -> None:
    recipe, cut_off = Recipe(longest=900, long_share=1.0), 0
    for step in range(60):
        prompt = draw_prompt(DOCUMENTS, recipe, 3, step, letters, per_token=1.1)
        assert len(prompt.document) <= 900
        text = " ".join(prompt.document.split())
        planted = [request for request in prompt.asked.get("planted", ()) if isinstance(request, Question)]
        assert all(request.evidence and request.evidence in text for request in planted)
        cut_off += "continue" not in prompt.asked
    assert 0 < cut_off < 30


def test_pages_and_names_are_as_the_product_writes_them() -> None:
    said = "\n\n".join(f"Paragraph {number}. {SENTENCE * 3}".strip() for number in range(30))
    forms = set()
    for seed in range(40):
        text = as_document(said, Random(seed))
        markers = re.findall(r"(?m)^\[.+\]$", text)
        pages = [int(number) for number in re.findall(r"(?m)^\[(?:Page|[a-z]+\.[a-z]+, page) (\d+)\]$", text)]
        assert len(markers) == (len(pages) or text.startswith("[Document: ")), markers
        assert pages == list(range(min(pages, default=0), min(pages, default=0) + len(pages)))
        assert " ".join(re.sub(r"(?m)^\[.+\]$", "", text).split()) == " ".join(said.split())
        forms.add((bool(pages), "." in "".join(markers)))
    assert forms == {(True, True), (True, False), (False, True), (False, False)}
