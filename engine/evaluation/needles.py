"""Needles: made-up facts of three kinds of value, in sentence and question forms that training never sees.

The forms, and the nouns that tell needles of one form apart, are this file's alone. It knows no document.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

KINDS = ("number", "name", "date")


@dataclass(frozen=True)
class NeedleForm:
    """{k} is the key that tells needles of this form apart, {v} the value; sentences are without a full stop."""

    kind: str
    sentence: str
    question: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Needle:
    """A sentence to plant, without a full stop, the question that asks for its value, and the ways to write that."""

    sentence: str
    question: str
    accepted: tuple[str, ...]


FORMS = (
    NeedleForm(
        "number",
        "One of the special magic numbers for {k} is: {v}",
        "What is the special magic number for {k} mentioned in the document?",
        ("tiger", "lemon", "candle", "meadow", "walrus", "saddle", "porcupine", "parcel"),
    ),
    NeedleForm(
        "number",
        "The lighthouse ledger credits {k} with {v} herrings",
        "How many herrings does the lighthouse ledger credit {k} with?",
        ("the trawler Heron", "the trawler Juniper", "the trawler Basalt", "the trawler Tansy", "the trawler Petrel"),
    ),
    NeedleForm(
        "name",
        "That evening the part of {k} was sung by {v}",
        "Who sang the part of {k} that evening?",
        ("the jester", "the widow", "the pilgrim", "the shepherd", "the hangman", "the duchess", "the oracle"),
    ),
    NeedleForm(
        "name",
        "The stained glass of {k} was cut by {v}",
        "Who cut the stained glass of {k}?",
        ("Saint Hilda", "Saint Ronan", "Saint Bertram", "Saint Lioba", "Saint Cormac", "Saint Maudez"),
    ),
    NeedleForm(
        "date",
        "The ice on Lake {k} gave way on {v}",
        "On what day did the ice on Lake {k} give way?",
        ("Torrin", "Yselle", "Marrow", "Quenby", "Halder", "Osmund"),
    ),
    NeedleForm(
        "date",
        "Swifts were first seen over {k} on {v}",
        "On what day were swifts first seen over {k}?",
        ("the citadel", "the quarry", "the vineyard", "the abbey", "the lagoon", "the causeway"),
    ),
)
FIRST_NAMES = ("Isolde", "Bartram", "Ottilie", "Leopold", "Philippa", "Ambrose", "Rosalind", "Thaddeus", "Winifred")
LAST_NAMES = ("Ashcombe", "Birtwhistle", "Crowhurst", "Drinkwater", "Fairweather", "Longstaff", "Merriman", "Peabody")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def make_needles(rng: Random, kind: str, count: int) -> list[Needle]:
    """Needles of one form and that kind of value, their keys and values all different."""
    form = rng.choice([form for form in FORMS if form.kind == kind])
    values: list[tuple[str, ...]] = []
    while len(values) < count:
        value = _VALUES[kind](rng)
        if value not in values:
            values.append(value)
    return [
        Needle(form.sentence.format(k=key, v=accepted[0]), form.question.format(k=key), accepted)
        for key, accepted in zip(rng.sample(form.keys, count), values, strict=True)
    ]


def _number(rng: Random) -> tuple[str, ...]:
    return (str(rng.randint(1_000_000, 9_999_999)),)


def _name(rng: Random) -> tuple[str, ...]:
    return (f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}",)


def _date(rng: Random) -> tuple[str, ...]:
    """A day of any month, the year written out, and other ways to say the same."""
    day, month, year = rng.randint(1, 28), rng.choice(MONTHS), rng.randint(1705, 1989)
    ending = {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day not in (11, 12, 13) else 0, "th")
    ways = (f"{day} {month}", f"{month} {day}", f"{day}{ending} {month}", f"{month} {day}{ending}")
    return (*(f"{way} {year}" for way in ways), f"{day}{ending} of {month} {year}")


_VALUES = {"number": _number, "name": _name, "date": _date}
