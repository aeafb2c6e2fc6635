"""The model repeats the context, as KVzip has it do (arXiv 2505.23416)."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from engine.training.corpus import Document
from engine.training.sources.base import Asked, Piece
from engine.training.sources.requests import Repetition


@dataclass(frozen=True)
class Repetitions:
    """tokens: of a piece that is repeated in one branch."""

    tokens: int = 256
    name: str = "repeat"
    adds: int = 0
    asks_pairs: bool = False

    def suits(self, document: Document) -> bool:
        return bool(document.text)

    def ask(self, piece: Piece, rng: Random) -> Asked:  # noqa: ARG002
        return Asked([Repetition(self.tokens)])
