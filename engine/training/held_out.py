"""Which documents are trained on and which are held out, so that no text is in both. It knows no source of text."""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from engine.training.corpus import Document

# What of the text may be held out by chance alone; else the documents are too few for chance.
_LEAST, _MOST, _WANTED = 1 / 32, 1 / 2, 1 / 8
# Two documents are copies when the smaller shares this much of its sentences with the other.
_COPIED = 0.5
# A sentence in more documents than this is a page's foot or a licence, and says nothing of copies.
_COMMON = 20


@dataclass(frozen=True)
class Split:
    """copies: documents left out since another is nearly the same."""

    training: list[Document]
    held_out: list[Document]
    copies: int


def split(documents: Sequence[Document]) -> Split:
    """Holds out about an eighth: whole documents, by name; of few documents the last eighth of each."""
    unique = without_copies(documents)
    total = sum(len(document.text) for document in unique)
    by_name = [document for document in unique if document.held_out]
    copies = len(documents) - len(unique)
    if _LEAST <= _share(by_name, total) <= _MOST:
        return Split([document for document in unique if not document.held_out], by_name, copies)
    chosen: list[Document] = []
    for document in sorted(unique, key=lambda document: zlib.crc32(document.name.encode())):
        if len(document.text) <= total / 4 and _share(chosen, total) < _WANTED:
            chosen.append(document)
    if _share(chosen, total) >= _LEAST:
        return Split([document for document in unique if document not in chosen], chosen, copies)
    ends = [_last_eighth(document) for document in unique]
    return Split([first for first, _ in ends], [last for _, last in ends], copies)


def without_copies(documents: Sequence[Document]) -> list[Document]:
    """One document of each group of nearly identical ones: one that is held out by its name where there is one."""
    sentences = [_sentences(document.text) for document in documents]
    shared: Counter[tuple[int, int]] = Counter()
    places = defaultdict(list)
    for place, found in enumerate(sentences):
        for sentence in found:
            places[sentence].append(place)
    for holders in places.values():
        if 1 < len(holders) <= _COMMON:
            shared.update(combinations(holders, 2))
    dropped: set[int] = set()
    for (one, other), count in sorted(shared.items()):
        if count >= _COPIED * min(len(sentences[one]), len(sentences[other])) and not dropped & {one, other}:
            dropped.add(_lesser(documents, one, other))
    return [document for place, document in enumerate(documents) if place not in dropped]


def _lesser(documents: Sequence[Document], one: int, other: int) -> int:
    """Of two copies the place of the one that is trained on, else of the one without questions, else of the later."""
    return min((one, other), key=lambda place: (documents[place].held_out, bool(documents[place].pairs), -place))


def _sentences(text: str) -> set[int]:
    """A number for each sentence of some length, whatever its case and spacing."""
    plain = (" ".join(re.findall(r"\w+", sentence.lower())) for sentence in re.split(r"[.!?]\s|\n\n", text))
    return {zlib.crc32(sentence.encode()) for sentence in plain if len(sentence) > 30}


def _share(documents: Sequence[Document], total: int) -> float:
    return sum(len(document.text) for document in documents) / max(1, total)


def _last_eighth(document: Document) -> tuple[Document, Document]:
    """Its beginning and its end, parted between two paragraphs where there is a gap near."""
    text = document.text
    wanted = int(len(text) * (1 - _WANTED))
    gap = max(text.rfind("\n\n", 0, wanted), text.rfind("\n", 0, wanted) if "\n\n" not in text else -1)
    cut = gap if gap > len(text) // 2 else wanted
    name = document.name.split("#")[0]
    return replace(document, text=text[:cut]), Document(f"{name}#end", text[cut:].strip())
