"""Questions and answers that come with a document, as in ShareGPT or LongAlpaca files (the paper's labels)."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from engine.training.corpus import Document
from engine.training.sources.base import Asked, Piece
from engine.training.sources.requests import GivenQuestion


@dataclass(frozen=True)
class Answers:
    """All questions about a context are asked."""

    name: str = "answer"
    adds: int = 0
    asks_pairs: bool = True

    def suits(self, document: Document) -> bool:
        return bool(document.pairs)

    def ask(self, piece: Piece, rng: Random) -> Asked:  # noqa: ARG002
        return Asked([GivenQuestion(question, answer) for question, answer in piece.pairs])
