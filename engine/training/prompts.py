"""One training prompt as text: a piece of a document with facts planted in it, and what may be asked or come after it.

Formatted like the product's own stream (document and question in one user turn). It knows no tokens and no model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from engine.documents.markers import of_document, of_part
from engine.training.corpus import Document
from engine.training.sources.base import Piece, Request, Source, Tokenize
from engine.training.sources.requests import said_in

CHARACTERS_PER_TOKEN = 4.3
CONTINUATION_CHARACTERS = 2000
# Of a name and of a page's marker, and of the next page's.
_MARKERS = 60
_NAMES = ("report", "notes", "lease", "chapter", "manual", "letter")
_EXTENSIONS = ("pdf", "txt", "md", "docx")


@dataclass(frozen=True)
class Prompt:
    """document: what is read. asked: what each source asks about it, by the source's name."""

    document: str
    asked: Mapping[str, Sequence[Request]]


def make_prompt(document: Document, sources: Sequence[Source], rng: Random, length: int, whole: int) -> Prompt:
    """A piece of about `length` characters of a document, and what these sources ask about it.

    A document whose own questions are asked is taken from its beginning, up to `whole` characters of it. Both are made
    smaller by what is put into the text, by half at most.
    """
    length, whole = room(sources, length), room(sources, whole)
    asks = document.pairs and any(source.asks_pairs for source in sources)
    piece = beginning(document, whole) if asks else Piece(*cut_at(document.text, rng, length))
    asked = {source.name: source.ask(piece, rng) for source in sources if source.suits(document)}
    planted = [sentence for ask in asked.values() for sentence in ask.planted]
    text = plant(planted, piece.text, rng) if planted else piece.text
    return Prompt(as_document(text, rng), {name: ask.requests for name, ask in asked.items() if ask.requests})


def room(sources: Sequence[Source], length: int) -> int:
    """How many characters of a document there are in a prompt of so many."""
    return max(length - _MARKERS - sum(source.adds for source in sources), length // 2)


def fitted(prompt: Prompt, tokenize: Tokenize, longest: int) -> Prompt:
    """With the document cut to at most `longest` tokens, and without what is asked about the rest of it."""
    document = prompt.document
    while (length := len(tokenize(document, False))) > longest:
        most = int(len(document) * longest / length)
        document = document[: max(document.rfind(" ", 0, most), 0) or most]
    if document == prompt.document:
        return prompt
    lost = prompt.document[len(document) :]
    asked = {
        name: [request for request in requests if request.asks_about(document, lost)]
        for name, requests in prompt.asked.items()
    }
    return Prompt(document, {name: requests for name, requests in asked.items() if requests})


def beginning(document: Document, length: int) -> Piece:
    """A document's beginning. If anything is cut off, only those of its questions are left whose answers stand word for
    word in the beginning: about others nobody can say whether it answers them.
    """
    text, rest = document.text[:length], document.text[length:]
    pairs = [(question, answer) for question, answer in document.pairs if not rest or said_in(answer, text)]
    return Piece(text, rest[:CONTINUATION_CHARACTERS], pairs)


def cut(text: str, rng: Random, tokens: int) -> tuple[str, str]:
    """As `cut_at`, a piece of about that many tokens of an English vocabulary."""
    return cut_at(text, rng, int(tokens * CHARACTERS_PER_TOKEN))


def cut_at(text: str, rng: Random, length: int) -> tuple[str, str]:
    """A piece of a text of about `length` characters, starting where a paragraph does, and the text after it."""
    after = CONTINUATION_CHARACTERS
    starts = [0, *(match.end() for match in re.finditer("\n\n", text[: max(1, len(text) - length - after)]))]
    begin = rng.choice(starts)
    end = text.rfind(" ", begin, begin + length)
    end = end if end > begin else begin + length
    return text[begin:end], text[end : end + after]


def plant(sentences: Sequence[str], text: str, rng: Random) -> str:
    """Puts each sentence between two sentences of the text, or on a line of its own, at random places."""
    pieces = re.split(r"(?<=[.!?;:])\s+", text) if text else [""]
    gaps = sorted((rng.randrange(len(pieces) + 1), sentence) for sentence in sentences)
    for gap, sentence in reversed(gaps):
        pieces.insert(gap, f"\n\n{sentence}.\n\n" if rng.random() < 0.3 else f"{sentence}.")
    return re.sub(r" ?\n\n ?", "\n\n", " ".join(pieces)).strip()


def as_document(text: str, rng: Random) -> str:
    """The text as the product shows it to the model: with or without its name, pages, wrapped lines."""
    if rng.random() < 0.4:
        text = wrap(text, rng.choice((60, 75, 90)))
    pages = paged(text, rng) if rng.random() < 0.7 else None
    name = f"{rng.choice(_NAMES)}.{rng.choice(_EXTENSIONS)}" if rng.random() < 0.7 else None
    if pages is None:
        return text if name is None else f"{of_document(name)}\n{text}"
    return "\n\n".join(f"{_marker(name, number)}\n{page}" for number, page in pages)


def _marker(name: str | None, page: int) -> str:
    return f"[Page {page}]" if name is None else of_part(name, f"page {page}", first=False)


def wrap(text: str, width: int) -> str:
    """Lines broken at spaces, as text comes out of a PDF."""
    return "\n".join(re.sub(rf"(.{{1,{width}}})(?: |$)", r"\1\n", line).rstrip("\n") for line in text.split("\n"))


def paged(text: str, rng: Random) -> list[tuple[int, str]]:
    """Pages, with their numbers, of about 2,000 characters each, that end where a paragraph does."""
    number, size = rng.randint(1, 300), rng.randint(1200, 3000)
    pages, current = [], ""
    for paragraph in text.split("\n\n"):
        if len(current) > size:
            pages.append((number, current))
            number, current = number + 1, ""
        current += f"\n\n{paragraph}" if current else paragraph
    return [*pages, (number, current)]
