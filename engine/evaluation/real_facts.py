"""Questions about what held-out documents themselves say, and where in its document each answer stands.

It knows no model and plants nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.evaluation.answers import found
from engine.training.corpus import Document, Part


@dataclass(frozen=True)
class RealFact:
    """A question about the document of that name.

    anchor: the phrase, found once in the document, that holds the answer. answers: the accepted ones, none of them in
    the question.
    """

    document: str
    anchor: str
    question: str
    answers: tuple[str, ...]


FILES: Mapping[Part, str] = {"test": "real_facts.toml", "validation": "validation_facts.toml"}


def read_questions(part: Part = "test") -> list[RealFact]:
    """Every question about the documents of that part, in the file's order: by document, and by place in it."""
    table = tomllib.loads(Path(__file__).with_name(FILES[part]).read_text(encoding="utf-8"))
    return [
        RealFact(entry["document"], entry["anchor"], entry["question"], tuple(entry["answers"]))
        for entry in table["question"]
    ]


def located(fact: RealFact, documents: Iterable[Document]) -> int:
    """Where the anchor begins in the text of its document, in characters.

    Raises ValueError where the document is missing, or where it holds the anchor never or more than once.
    """
    text = next((document.text for document in documents if document.name == fact.document), None)
    if text is None:
        raise ValueError(f"{fact.document} is not among the documents")
    begin = text.find(fact.anchor)
    if begin < 0:
        raise ValueError(f"{fact.document} does not hold {fact.anchor!r}")
    if text.find(fact.anchor, begin + 1) >= 0:
        raise ValueError(f"{fact.document} holds {fact.anchor!r} more than once")
    return begin


def answered(fact: RealFact, text: str) -> bool:
    """Whether the text contains an accepted answer."""
    return found(text, fact.answers)
