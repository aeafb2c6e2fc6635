"""Facts planted in the text, and questions about them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from engine.training.corpus import Document
from engine.training.facts import Fact, make_fact, short_answer
from engine.training.sources.base import Asked, Piece
from engine.training.sources.requests import Question

_SHORT_ASIDES = ("", "", "", "Answer briefly. ", "Please answer from the document. ")


@dataclass(frozen=True)
class PlantedFacts:
    """count: how many facts are planted, both ends included; all are asked for. adds: of four sentences."""

    count: tuple[int, int] = (2, 6)
    name: str = "planted"
    adds: int = 300
    asks_pairs: bool = False

    def suits(self, document: Document) -> bool:
        return bool(document.text)

    def ask(self, piece: Piece, rng: Random) -> Asked:  # noqa: ARG002
        facts = distinct_facts(rng, rng.randint(*self.count))
        return Asked([ask(fact, rng) for fact in facts], [fact.sentence for fact in facts])


def distinct_facts(rng: Random, count: int) -> list[Fact]:
    """Facts of different kinds, so that no question has two answers."""
    facts: dict[str, Fact] = {}
    while len(facts) < count:
        fact = make_fact(rng)
        facts.setdefault(fact.kind, fact)
    return list(facts.values())


def ask(fact: Fact, rng: Random) -> Question:
    """The fact's question, now and then with an instruction, and its answer in full or as the value alone."""
    answer = short_answer(fact) if rng.random() < 0.35 else f"{fact.answer}."
    return Question(rng.choice(_SHORT_ASIDES) + fact.question, answer, fact.sentence)
