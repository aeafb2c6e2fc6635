"""Facts to plant in a text, each with a question that asks for it and an answer.

The evaluation plants sentences of its own, so every form is trained on. It knows nothing of tokens or documents.
Everything is drawn from the generator that the caller passes.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from random import Random

from engine.training.fact_values import VALUES, subject


@dataclass(frozen=True)
class Fact:
    """A sentence to plant and an answer in full, neither with a full stop; a question; whom it is about; the value."""

    kind: str
    subject: str
    sentence: str
    question: str
    answer: str
    value: str


@dataclass(frozen=True)
class FactKind:
    """The forms of one kind of fact, {s} the subject and {v} the value, without a full stop.

    value, subject: what to draw. paired: each question belongs to the sentence at its own place.
    """

    value: str
    subject: str
    sentences: list[str]
    questions: list[str]
    answer: str
    paired: bool = False


def read_kinds() -> dict[str, FactKind]:
    """Every kind by its name."""
    table = tomllib.loads(Path(__file__).with_name("facts.toml").read_text(encoding="utf-8"))
    return {name: FactKind(**forms) for name, forms in table.items()}


KINDS = read_kinds()


def make_fact(rng: Random, kind: str | None = None) -> Fact:
    """Draws a fact, of a random kind unless one is named."""
    name = kind or rng.choice(sorted(KINDS))
    forms = KINDS[name]
    words = {"s": subject(forms.subject, rng), "v": VALUES[forms.value](rng)}
    place = rng.randrange(len(forms.sentences))
    asked = place if forms.paired else rng.randrange(len(forms.questions))
    return Fact(
        kind=name,
        subject=words["s"],
        sentence=_sentence(forms.sentences[place].format(**words)),
        question=_sentence(forms.questions[asked].format(**words)),
        answer=_sentence(forms.answer.format(**words)),
        value=words["v"],
    )


def short_answer(fact: Fact) -> str:
    """The value alone, as a sentence of its own."""
    return f"{_sentence(fact.value)}."


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
