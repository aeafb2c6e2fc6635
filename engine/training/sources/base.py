"""What a source of labels is: it asks something about a piece of text, and the answers' tokens are the queries.

It knows text and tokens, and nothing of models or heads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from engine.training.corpus import Document

Tokenize = Callable[[str, bool], list[int]]
"""Text to tokens; the second argument says whether control tokens in the text are obeyed."""


@dataclass(frozen=True)
class Words:
    """A model's vocabulary, and its chat's control tokens: before the context, after a question, after an answer."""

    tokenize: Tokenize
    opening: list[int]
    closing: list[int]
    end: list[int]


@dataclass(frozen=True)
class Piece:
    """Text that is read, what comes after it in its document, and the questions that were asked about it."""

    text: str
    continuation: str = ""
    pairs: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Branch:
    """Tokens that come after the context. queries: the places among them whose queries give the labels."""

    tokens: list[int]
    queries: range


class Request(Protocol):
    """Something asked about a context."""

    def asks_about(self, kept: str, lost: str) -> bool:
        """Whether it still has its sense when the end of the text, `lost`, is cut off."""

    def branches(self, document: Sequence[int], words: Words) -> list[Branch]:
        """document: the context's tokens after the chat's opening."""


@dataclass(frozen=True)
class Asked:
    """What a source asks, and the sentences that must be put into the text for it, without full stops."""

    requests: Sequence[Request]
    planted: Sequence[str] = field(default=())


class Source(Protocol):
    """A source of labels. name: in `--labels` and in the run's log. adds: how many characters it puts into the text.
    asks_pairs: whether it asks the questions that came with a document.
    """

    @property
    def name(self) -> str: ...
    @property
    def adds(self) -> int: ...
    @property
    def asks_pairs(self) -> bool: ...
    def suits(self, document: Document) -> bool:
        """Whether it has anything to ask about this document."""

    def ask(self, piece: Piece, rng: Random) -> Asked:
        """Draws what is asked, from the generator alone."""
