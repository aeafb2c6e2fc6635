"""Sources of labels and how often each is asked. It knows their names and nothing of what they ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from engine.errors import UserError
from engine.training.corpus import Document
from engine.training.sources.answer import Answers
from engine.training.sources.base import Source
from engine.training.sources.continuation import NextWords
from engine.training.sources.planted import PlantedFacts
from engine.training.sources.repetition import Repetitions
from engine.training.sources.text_questions import TextQuestions

SOURCES: Mapping[str, Source] = {
    source.name: source for source in (Answers(), PlantedFacts(), TextQuestions(), Repetitions(), NextWords())
}
# What stands for several sources: each of them is asked with the given weight.
GROUPS: Mapping[str, tuple[str, ...]] = {"facts": ("planted", "text")}
DEFAULT = "facts=1,continue=1"


@dataclass(frozen=True)
class Mixture:
    """The sources and the probability with which each is asked in a step."""

    weights: Mapping[str, float]

    @property
    def sources(self) -> list[Source]:
        return [SOURCES[name] for name in self.weights]

    def draw(self, rng: Random) -> list[Source]:
        """What is asked in a step: one source at least, the likeliest where chance gives none."""
        drawn = [source for source in self.sources if rng.random() < self.weights[source.name]]
        return drawn or [max(self.sources, key=lambda source: self.weights[source.name])]

    def suits(self, documents: Sequence[Document]) -> bool:
        """Whether any of its sources has anything to ask about any of these documents."""
        return any(source.suits(document) for source in self.sources for document in documents)

    @property
    def asks_pairs(self) -> bool:
        """Whether questions that came with a document are asked."""
        return any(source.asks_pairs for source in self.sources)

    def with_pairs(self) -> Mixture:
        """The same, and all question-answer pairs whenever a document that has some is drawn."""
        return Mixture({**self.weights, **{name: 1.0 for name, source in SOURCES.items() if source.asks_pairs}})

    @property
    def wants(self) -> str:
        """What to do where it has nothing to ask."""
        if all(source.asks_pairs for source in self.sources):
            return (
                "These questions come with a text: name question files (ShareGPT or LongAlpaca JSON) with --data, or, "
                f"for plain text, say --labels {DEFAULT}."
            )
        return "Name more text with --data, or other labels."

    def __str__(self) -> str:
        return ",".join(f"{name}={weight:g}" for name, weight in self.weights.items())


def parse(text: str) -> Mixture:
    """`facts=1,continue=0.5`. Raises UserError("bad_params") for what is no mixture."""
    weights: dict[str, float] = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = word.partition("=")
        if name not in SOURCES and name not in GROUPS:
            known = ", ".join([*GROUPS, *SOURCES])
            raise UserError("bad_params", f"There is no source of labels called {name}. There are: {known}.")
        weight, sources = _weight(name, number or "1"), GROUPS.get(name, (name,))
        if twice := weights.keys() & set(sources):
            raise UserError("bad_params", f"--labels says {_said(min(twice))} more than once. Name each source once.")
        weights |= dict.fromkeys(sources, weight)
    weights = {name: weight for name, weight in weights.items() if weight}
    if not weights:
        raise UserError("bad_params", f"Name at least one source of labels, as in {DEFAULT}.")
    return Mixture(weights)


def _said(source: str) -> str:
    """A source, and the group that stands for it too."""
    groups = [f"{source} or {group}, which stands for it," for group, names in GROUPS.items() if source in names]
    return groups[0] if groups else source


def _weight(name: str, number: str) -> float:
    try:
        weight = float(number)
    except ValueError:
        weight = -1.0
    if not 0 <= weight <= 1:
        message = f"The weight of {name} is how often it is asked, from 0 (never) to 1 (in every step), not {number}."
        raise UserError("bad_params", message)
    return weight
