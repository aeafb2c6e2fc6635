"""What fidelity is measured on: a piece of a held-out document around a fact of its own, with needles planted far from
that, and the text after it.

It knows no model but its tokenizer, by which pieces are cut to length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from engine.errors import UserError
from engine.evaluation.needles import KINDS, Needle, make_needles
from engine.evaluation.real_facts import RealFact, located
from engine.training.corpus import Document

NAME = "[Document: text.txt]\n"
CONTINUATION_CHARACTERS = 800
_AFTER = CONTINUATION_CHARACTERS + 200  # a piece ends with a whole word
_CHARACTERS_PER_TOKEN = 4.3
_AROUND_ANCHOR = 160  # characters that stay before and after a fact, so that its sentence is whole
_FAR = 0.1  # of the piece: how near to the fact no needle is planted


@dataclass(frozen=True)
class Question:
    """A question of one task and what a right answer contains one of."""

    task: str
    text: str
    accepted: tuple[str, ...]


@dataclass(frozen=True)
class FidelityCase:
    """A document, what it is asked, and the text that follows it; empty where the fact stands at its end."""

    document: str
    questions: tuple[Question, ...]
    continuation: str


@dataclass(frozen=True)
class _Piece:
    """A text and its characters begin..end-1; the anchor is those at first..last-1 of the whole text."""

    text: str
    begin: int
    end: int
    first: int
    last: int


class Cases:
    """Numbered cases of a seed: each a function of seed, number, text and tokenizer alone.

    documents: the held-out ones. facts: the questions about them, asked in an order that the seed gives; numbers beyond
    them have needles and a continuation alone. tokens: of each document.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        facts: Sequence[RealFact],
        seed: int,
        tokens: int,
        tokenize: Callable[[str], list[int]],
    ) -> None:
        self.documents = {document.name: document for document in documents}
        self.facts = Random(f"fidelity facts:{seed}").sample(facts, len(facts))
        self.seed, self.tokens, self.tokenize = seed, tokens, tokenize

    def case(self, number: int) -> FidelityCase:
        """Raises UserError where the documents of a question are not there."""
        rng = Random(f"fidelity:{self.seed}:{number}")
        fact = self.facts[number] if number < len(self.facts) else None
        (single,) = make_needles(rng, KINDS[number % 3], 1)
        pair = make_needles(rng, KINDS[(number + 1) % 3], 2)
        planted = [single, *pair]
        piece = self._piece(fact, sum(len(needle.sentence) + 4 for needle in planted), rng)
        asked = rng.choice(pair)
        questions = [
            Question("needle", single.question, single.accepted),
            Question("needle-of-two", asked.question, asked.accepted),
        ]
        if fact is not None:
            questions.append(Question("fact", fact.question, fact.answers))
        after = piece.text[piece.end : piece.end + CONTINUATION_CHARACTERS]
        return FidelityCase(
            NAME + _planted(piece, planted, rng),
            tuple(questions),
            after if len(after) == CONTINUATION_CHARACTERS else "",
        )

    def _piece(self, fact: RealFact | None, taken: int, rng: Random) -> _Piece:
        """About `tokens` tokens less `taken` characters, the fact at a random place in them."""
        if fact is None:
            text, first, last = rng.choice(list(self.documents.values())).text, 0, 0
        else:
            try:
                first = located(fact, self.documents.values())
            except ValueError as error:
                message = (
                    f"The questions are not of this text: {error}. Delete the corpus, and let train download it anew."
                )
                raise UserError("bad_params", message) from error
            text, last = self.documents[fact.document].text, first + len(fact.anchor)
        most = int(self.tokens * _CHARACTERS_PER_TOKEN)
        sample = text[max(0, last - most) : last + most] if fact else text[:most]
        length = int(self.tokens * len(sample) / len(self.tokenize(sample))) - taken
        missing = length + _AFTER - len(text)
        if missing > 0:  # text of others goes before it, so that what follows is its own
            front = self._filling(missing, text, rng)
            text, first, last = front + text, first + len(front), last + len(front)
        if fact is None:
            begin = rng.randint(0, len(text) - length - _AFTER)
        else:
            begin = _begin(first, last, len(text), length, rng)
        begin = text.rfind(" ", 0, begin) + 1 if begin else 0
        end = text.find(" ", begin + length)
        return _Piece(text, begin, len(text) if end < 0 else end, first, last)

    def _filling(self, characters: int, text: str, rng: Random) -> str:
        """Beginnings of documents of another text, of that many characters together."""
        others = [document.text for document in self.documents.values() if document.text != text]
        if not others:
            raise UserError("bad_params", "There is too little held-out text for documents of that length.")
        parts: list[str] = []
        while characters > 0:
            parts.append(rng.choice(others)[:characters] + "\n\n")
            characters -= len(parts[-1])
        return "".join(parts)


def _begin(first: int, last: int, size: int, length: int, rng: Random) -> int:
    """Where a piece of `length` characters may begin so that it holds first..last-1 of a text of `size`, and so that,
    where that can be, a continuation is left after it.
    """
    lowest = max(0, min(last + _AROUND_ANCHOR, size) - length)
    highest = max(0, first - _AROUND_ANCHOR)
    with_continuation = size - length - _AFTER
    if with_continuation >= lowest:
        highest = min(highest, with_continuation)
    return rng.randint(lowest, max(lowest, highest))


def _planted(piece: _Piece, needles: Sequence[Needle], rng: Random) -> str:
    """The piece with a sentence each at random gaps between its sentences, none near the anchor."""
    text = piece.text[piece.begin : piece.end]
    first, last, far = piece.first - piece.begin, piece.last - piece.begin, int(_FAR * len(text))
    gaps = _gaps(r"(?<=[.!?])\s+", text, first - far, last + far)
    if len(gaps) < len(needles):
        gaps = _gaps(r"\s+", text, first - far, last + far)
    chosen = sorted(zip(rng.sample(gaps, len(needles)), needles, strict=True), key=lambda pair: pair[0])
    for (begin, end), needle in reversed(chosen):
        space = "\n\n" if rng.random() < 0.3 else " "
        text = f"{text[:begin]}{space}{needle.sentence}.{space}{text[end:]}"
    return text


def _gaps(pattern: str, text: str, first: int, last: int) -> list[tuple[int, int]]:
    """Where the text may be parted: the matches that do not lie within first..last."""
    matches = (match.span() for match in re.finditer(pattern, text))
    return [span for span in matches if span[1] < first or span[0] > last]
