"""The document's own next words: what a reader needs to go on reading."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from engine.training.corpus import Document
from engine.training.sources.base import Asked, Piece
from engine.training.sources.requests import Continuation


@dataclass(frozen=True)
class NextWords:
    """tokens: how many of the words that follow the piece are queries."""

    tokens: int = 48
    name: str = "continue"
    adds: int = 0
    asks_pairs: bool = False

    def suits(self, document: Document) -> bool:
        return bool(document.text)

    def ask(self, piece: Piece, rng: Random) -> Asked:  # noqa: ARG002
        return Asked([Continuation(piece.continuation, self.tokens)] if piece.continuation.strip() else [])
