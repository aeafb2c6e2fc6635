"""Prompts: what is asked is in the document, and a seed gives the same prompt again."""

from __future__ import annotations

from random import Random

from engine.evaluation.fidelity_cases import found, make_case
from engine.training.corpus import Document
from engine.training.prompts import cut, distinct_facts, make_prompt, plant, text_answers
from engine.training.samples import Recipe, draw_prompt, tokenize_prompt

SENTENCE = "The Harbour Office of the old town keeps seventeen registers, and nobody has read them. "
DOCUMENTS = [Document("test/a", "\n\n".join(SENTENCE * 3 for _ in range(80)))]


def letters(text: str, control: bool) -> list[int]:
    """A tokenizer of one token a character."""
    return [ord(letter) for letter in text]


def test_every_answer_is_in_the_document() -> None:
    rng = Random(1)
    for _ in range(20):
        facts = distinct_facts(rng, 6)
        text = plant([fact.sentence for fact in facts], cut(DOCUMENTS[0].text, rng, 300)[0], rng)
        assert all(f"{fact.sentence}." in text for fact in facts)
        assert len({fact.kind for fact in facts}) == 6


def test_the_texts_own_answers_are_its_sentences() -> None:
    text, _ = cut(DOCUMENTS[0].text, Random(2), 300)
    answers = text_answers(text, Random(2), 2)
    assert answers
    assert all(answer in text for _, answer in answers)


def test_the_continuation_follows_the_document() -> None:
    text, continuation = cut(DOCUMENTS[0].text, Random(5), 200)
    assert text + continuation in DOCUMENTS[0].text


def test_a_step_is_a_function_of_seed_and_number() -> None:
    recipe = Recipe(tokens=(100, 200), long_share=0.0)
    first, second = (draw_prompt(DOCUMENTS, recipe, 7, 11) for _ in range(2))
    assert first == second
    assert first != draw_prompt(DOCUMENTS, recipe, 7, 12)


def test_queries_begin_at_the_token_that_predicts_the_answer() -> None:
    prompt = make_prompt(DOCUMENTS, Random(3), 150, 3, 0)
    tokens = tokenize_prompt(prompt, letters, 5)
    joined = [token for branch in tokens.branches for token in branch]
    asked = "".join(chr(joined[place]) for place in tokens.queries)
    expected = "".join(f"\n{answer}<|im_end|>" for _, answer in prompt.answers) + prompt.continuation[:5]
    assert asked == expected


def test_an_evaluation_case_holds_both_values() -> None:
    for number in range(10):
        case = make_case(DOCUMENTS, seed=1, number=number, tokens=200)
        assert found(case.document, case.needle.value)
        assert found(case.document, case.fact.value)
        assert case == make_case(DOCUMENTS, seed=1, number=number, tokens=200)
