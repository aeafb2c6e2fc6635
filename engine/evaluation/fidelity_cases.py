"""What fidelity is measured on: held-out prose with a needle and a fact in it, and the text after it.

The sentences of needle and fact are in forms of this file, the questions in held-out ones: training never saw them. It
knows no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from engine.training.corpus import Document
from engine.training.facts import make_fact
from engine.training.prompts import CHARACTERS_PER_TOKEN, cut, plant

# Plain facts about people, dates, costs and the like, which a small model finds when it has all of the document: what
# is not found was lost by the reading.
SENTENCES = {
    "founder": "{v} founded {s}",
    "birth": "The birth of {s} took place on {v}",
    "cost": "The shop asks {v} for {s}",
    "seat": "The headquarters of {s} are in {v}",
    "code": "The keypad at {s} takes {v} as its door code",
    "phone": "Ring {s} at this phone number: {v}",
    "colour": "For many years {s} has been {v}",
    "count": "{s} has grown to {v} members",
}
_CONTINUATION_CHARACTERS = 2000
_THINGS = (
    "tiger",
    "harbour",
    "lemon",
    "candle",
    "meadow",
    "rocket",
    "saddle",
    "thunder",
    "castle",
    "needle",
    "parcel",
    "ribbon",
)


@dataclass(frozen=True)
class Question:
    """A question and what any right answer contains."""

    text: str
    value: str


@dataclass(frozen=True)
class FidelityCase:
    """A document, a question about its needle, one about its fact, and the text that follows it."""

    document: str
    needle: Question
    fact: Question
    continuation: str


def make_case(documents: Sequence[Document], seed: int, number: int, tokens: int) -> FidelityCase:
    """The numbered case of a seed, of about that many tokens: a function of its arguments alone."""
    rng = Random(f"fidelity:{seed}:{number}")
    shortest = tokens * CHARACTERS_PER_TOKEN + _CONTINUATION_CHARACTERS
    text, continuation = cut(rng.choice([d for d in documents if len(d.text) >= shortest]).text, rng, tokens)
    thing, code = rng.choice(_THINGS), str(rng.randint(1_000_000, 9_999_999))
    fact = make_fact(rng, held_out=True, kind=rng.choice(sorted(SENTENCES)))
    sentence = SENTENCES[fact.kind].format(s=fact.subject, v=fact.value)
    planted = [f"One of the special magic numbers for {thing} is: {code}", sentence[0].upper() + sentence[1:]]
    return FidelityCase(
        document="[Document: text.txt]\n" + plant(planted, text, rng),
        needle=Question(f"What is the special magic number for {thing} mentioned in the document?", code),
        fact=Question(fact.question, fact.value),
        continuation=continuation,
    )


def found(answer: str, value: str) -> bool:
    """Whether the answer contains the value, whatever its case and spacing."""
    return " ".join(value.lower().split()) in " ".join(answer.lower().split())
