"""Documents and questions about them, made up from a seed, for tests of the benchmark."""

from __future__ import annotations

from random import Random

from engine.evaluation.real_facts import RealFact
from engine.training.corpus import Document

WORDS = ("river", "paper", "window", "garden", "letter", "winter", "bridge", "market", "doctor", "silver", "table")


def documents(count: int = 4, sentences: int = 300) -> list[Document]:
    """Each holds one sentence with a fact in it: number n says that its mill has so many wheels."""
    made = []
    for number in range(count):
        rng = Random(number)
        text = [" ".join(rng.choice(WORDS) for _ in range(9)).capitalize() + "." for _ in range(sentences)]
        place = rng.randrange(sentences)
        text.insert(place, f"{anchor(number)}, they say.")
        made.append(Document(f"made/up-{number}#0", " ".join(text)))
    return made


def anchor(number: int) -> str:
    return f"The mill of parish {number} has {100 + number} wheels"


def facts(count: int = 4) -> list[RealFact]:
    return [
        RealFact(f"made/up-{number}#0", anchor(number), f"How many wheels has mill {number}?", (str(100 + number),))
        for number in range(count)
    ]
