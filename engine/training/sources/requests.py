"""The three ways of asking: a question and its answer, the text's own next words, a repetition of the context."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.training.sources.base import Branch, Words

# The words of KVzip (arXiv 2505.23416), and the tokens of a piece that tell where the next one begins.
REPEAT_FIRST = "\n\nRepeat the previous context exactly."
REPEAT_NEXT = "\n\nRepeat the part of the previous context exactly, starting with"
_REMINDER_TOKENS = 8
# The positions that a branch may take after the context.
LONGEST_BRANCH = 512
_WORD = re.compile(r"[a-z0-9]+|[^\W_]")


@dataclass(frozen=True)
class Question:
    """The queries begin at the token that predicts the answer's first and end at the one that ends the answer.

    evidence: what of the text one must have read to answer; empty where nobody knows.
    """

    question: str
    answer: str
    evidence: str = ""

    def asks_about(self, kept: str, lost: str) -> bool:
        return stands_in(self.evidence, kept) or not stands_in(self.evidence, kept + lost)

    def branches(self, document: Sequence[int], words: Words) -> list[Branch]:  # noqa: ARG002
        asked = words.tokenize(f"\n\n{self.question}", False) + words.closing
        return [_answered(asked, words.tokenize(self.answer, False) + words.end)]


@dataclass(frozen=True)
class GivenQuestion(Question):
    """One that came with its document: nobody knows what answers it, unless the answer itself stands in the text."""

    def asks_about(self, kept: str, lost: str) -> bool:  # noqa: ARG002
        return said_in(self.answer, kept)


@dataclass(frozen=True)
class Continuation:
    """The text that follows the context, at most so many tokens of it; all are queries."""

    text: str
    tokens: int

    def asks_about(self, kept: str, lost: str) -> bool:  # noqa: ARG002
        return not lost

    def branches(self, document: Sequence[int], words: Words) -> list[Branch]:  # noqa: ARG002
        following = words.tokenize(self.text, False)[: self.tokens]
        return [Branch(following, range(len(following)))] if following else []


@dataclass(frozen=True)
class Repetition:
    """The whole context said again, in pieces of so many tokens: each is a branch, so the cost grows with the context
    and not with its square.
    """

    tokens: int

    def asks_about(self, kept: str, lost: str) -> bool:  # noqa: ARG002
        return True

    def branches(self, document: Sequence[int], words: Words) -> list[Branch]:
        return [self._piece(document, first, words) for first in range(0, len(document), self.tokens)]

    def _piece(self, document: Sequence[int], first: int, words: Words) -> Branch:
        asked = words.tokenize(REPEAT_NEXT if first else REPEAT_FIRST, False)
        asked += document[max(0, first - _REMINDER_TOKENS) : first]
        return _answered(asked + words.closing, list(document[first : first + self.tokens]))


def stands_in(words: str, text: str) -> bool:
    """Whatever the lines are broken at."""
    return " ".join(words.split()) in " ".join(text.split())


def said_in(answer: str, text: str) -> bool:
    """Word for word, whatever the case, the punctuation and the lines. In scripts without spaces a word is a letter."""
    words, those = (f" {' '.join(_WORD.findall(part.casefold()))} " for part in (answer, text))
    return bool(words.strip()) and words in those


def _answered(asked: list[int], answer: list[int]) -> Branch:
    """Of a question that is too long the end, and of an answer the beginning."""
    asked = asked[-LONGEST_BRANCH // 2 :]
    answer = answer[: LONGEST_BRANCH - len(asked)]
    return Branch(asked + answer, range(len(asked) - 1, len(asked) + len(answer)))
