"""Planted facts: the answer is in the sentence, and no held-out form is ever trained on."""

from __future__ import annotations

from random import Random

import pytest

from engine.training.facts import KINDS, make_fact, short_answer


@pytest.mark.parametrize("held_out", [False, True])
def test_sentence_and_answer_hold_the_value(held_out: bool) -> None:
    rng = Random(3)
    for kind in KINDS:
        for _ in range(20):
            fact = make_fact(rng, held_out, kind)
            assert fact.value.lower() in fact.sentence.lower()
            assert fact.value.lower() in fact.answer.lower()
            assert short_answer(fact).lower() == f"{fact.value.lower()}."


def test_training_never_draws_the_held_out_forms() -> None:
    for kind in KINDS:
        for seed in range(60):
            trained, held_out = make_fact(Random(seed), kind=kind), make_fact(Random(seed), True, kind)
            assert trained.value == held_out.value, "the two tell of the same thing"
            assert trained.sentence != held_out.sentence
            assert trained.question != held_out.question


def test_every_kind_has_as_many_questions_as_sentences() -> None:
    for name, forms in KINDS.items():
        assert len(forms.sentences) == len(forms.questions) >= 3, name
