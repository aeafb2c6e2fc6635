"""Which documents are trained on and which check the heads, so that no text is in both. It knows no source of text."""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

from engine.training.corpus import Document

# What of the text may be held out by chance alone; else the documents are too few for chance.
_LEAST, _MOST, _WANTED = 1 / 32, 1 / 2, 1 / 8
# Two documents are copies when the smaller shares this much of its sentences with the other.
_COPIED = 0.5
_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|$)|$)", re.MULTILINE)
# Shorter ones may be alike by chance.
_LONG_SENTENCE = 30
# A sentence in more documents than this, of different texts, is a page's foot or a licence, and says nothing of copies.
_COMMON = 20


@dataclass(frozen=True)
class Split:
    """validation: for early stop and calibration. copies: documents left out since another is the same, or nearly.
    characters: of the others.
    """

    training: list[Document]
    validation: list[Document]
    copies: int
    characters: int


def split(documents: Sequence[Document], test: Sequence[Document] = ()) -> Split:
    """Holds out about an eighth: whole documents, by name; of few documents the last eighth of each.

    test: documents of the evaluation, which are in neither part. No long sentence of theirs is in validation, and none
    of theirs or of validation in training.
    """
    unique = without_copies(documents, test)
    training, validation = _parted(unique)
    validation = without_sentences_of(validation, test)
    training = without_sentences_of(training, [*validation, *test])
    characters = sum(len(document.text) for document in unique)
    return Split(training, validation, len(documents) - len(unique), characters)


def _parted(documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
    total = sum(len(document.text) for document in documents)
    by_name = [document for document in documents if document.part == "validation"]
    if _LEAST <= _share(by_name, total) <= _MOST:
        return [document for document in documents if document.part != "validation"], by_name
    chosen: list[Document] = []
    for document in sorted(documents, key=lambda document: zlib.crc32(document.name.encode())):
        if len(document.text) <= total / 4 and _share(chosen, total) < _WANTED:
            chosen.append(document)
    if _share(chosen, total) >= _LEAST:
        return [document for document in documents if document not in chosen], chosen
    ends = [_last_eighth(document) for document in documents]
    return [first for first, _ in ends], [last for _, last in ends]


def without_sentences_of(documents: Sequence[Document], others: Sequence[Document]) -> list[Document]:
    """The documents without the long sentences that others have too, and without questions whose answers went so."""
    known = set(chain.from_iterable(_sentences(document.text) for document in others))
    return [_without(document, known) for document in documents]


def _without(document: Document, known: set[int]) -> Document:
    text = _SENTENCE.sub(lambda found: "" if _number(found[0]) in known else found[0], document.text)
    if text == document.text:
        return document
    return _left(document, re.sub(r"\n{3,}", "\n\n", re.sub(r" +(?=\n)|(?<=\n) +|(?<= ) +", "", text)).strip())


def _left(document: Document, text: str) -> Document:
    """The document with what is left of its text, without the questions whose answers stood in the rest alone."""
    pairs = tuple(pair for pair in document.pairs if pair[1] in text or pair[1] not in document.text)
    return replace(document, text=text, pairs=pairs)


def without_copies(documents: Sequence[Document], test: Sequence[Document] = ()) -> list[Document]:
    """One document of each group of identical or nearly identical ones, and none that is so with one of `test`."""
    known = [*documents, *test]

    def worth(place: int) -> tuple[bool, bool, bool, int]:
        """The least of two copies is dropped: first what is trained on, then what has no questions, then the later."""
        document = known[place]
        return place >= len(documents), document.part == "validation", bool(document.pairs), -place

    best: dict[str, int] = {}
    for place, document in enumerate(known):
        best[document.text] = max(best.get(document.text, place), place, key=worth)
    dropped = {place for place, document in enumerate(known) if best[document.text] != place}
    sentences = {place: _sentences(document.text) for place, document in enumerate(known) if place not in dropped}
    shared: Counter[tuple[int, int]] = Counter()
    places = defaultdict(list)
    for place, found in sentences.items():
        for sentence in found:
            places[sentence].append(place)
    for holders in places.values():
        if 1 < len(holders) <= _COMMON:
            shared.update(combinations(holders, 2))
    for (one, other), count in sorted(shared.items()):
        if count >= _COPIED * min(len(sentences[one]), len(sentences[other])) and not dropped & {one, other}:
            dropped.add(min(one, other, key=worth))
    return [document for place, document in enumerate(documents) if place not in dropped]


def _sentences(text: str) -> set[int]:
    """The numbers of a text's long sentences."""
    return {number for found in _SENTENCE.findall(text) if (number := _number(found)) is not None}


def _number(sentence: str) -> int | None:
    """Of a sentence of some length, whatever its case, spacing and punctuation."""
    plain = " ".join(re.findall(r"\w+", sentence.lower()))
    return zlib.crc32(plain.encode()) if len(plain) > _LONG_SENTENCE else None


def _share(documents: Sequence[Document], total: int) -> float:
    return sum(len(document.text) for document in documents) / max(1, total)


def _last_eighth(document: Document) -> tuple[Document, Document]:
    """Its beginning and its end, parted between two paragraphs where there is a gap near."""
    text = document.text
    wanted = int(len(text) * (1 - _WANTED))
    gap = max(text.rfind("\n\n", 0, wanted), text.rfind("\n", 0, wanted) if "\n\n" not in text else -1)
    cut = gap if gap > len(text) // 2 else wanted
    name = document.name.split("#")[0]
    return _left(document, text[:cut]), Document(f"{name}#end", text[cut:].strip())
