"""Planted facts: the value is in the sentence and in the answer, in every form."""

from __future__ import annotations

from random import Random

from engine.training.facts import KINDS, make_fact, short_answer


def test_sentence_and_answer_hold_the_value() -> None:
    rng = Random(3)
    for kind in KINDS:
        for _ in range(40):
            fact = make_fact(rng, kind)
            assert fact.value.lower() in fact.sentence.lower()
            assert fact.value.lower() in fact.answer.lower()
            assert short_answer(fact).lower() == f"{fact.value.lower()}."


def test_every_form_is_drawn() -> None:
    rng = Random(3)
    facts = [make_fact(rng, "founder") for _ in range(200)]
    shapes = {fact.sentence.lower().replace(fact.subject.lower(), "").replace(fact.value.lower(), "") for fact in facts}
    assert len(shapes) == len(KINDS["founder"].sentences)


def test_every_kind_has_as_many_questions_as_sentences() -> None:
    for name, forms in KINDS.items():
        assert len(forms.sentences) == len(forms.questions) >= 3, name
