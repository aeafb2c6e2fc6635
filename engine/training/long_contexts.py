"""Contexts that came with questions and are longer than a prompt: which of their questions can still be asked.

It knows characters, and no tokens and no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.training.corpus import Document
from engine.training.counted import counted
from engine.training.prompts import beginning


@dataclass(frozen=True)
class Shortened:
    """documents: each with the questions that are left to it. contexts: how many with questions are cut. asked: their
    questions, of which so many are `dropped`, since their answers do not stand word for word in what is left.
    """

    documents: list[Document]
    contexts: int
    asked: int
    dropped: int


def shortened(documents: Sequence[Document], room: int) -> Shortened:
    """room: how many characters of a document a prompt holds."""
    cut = [document for document in documents if document.pairs and len(document.text) > room]
    left = {id(document): replace(document, pairs=tuple(beginning(document, room).pairs)) for document in cut}
    asked = sum(len(document.pairs) for document in cut)
    remaining = sum(len(document.pairs) for document in left.values())
    found = [left.get(id(document), document) for document in documents]
    return Shortened(found, len(cut), asked, asked - remaining)


def told(parts: Sequence[Shortened], longest: int) -> str | None:
    """What is said of training and held-out documents together; None where no context is cut."""
    contexts, asked, dropped = (
        sum(numbers) for numbers in zip(*((part.contexts, part.asked, part.dropped) for part in parts), strict=True)
    )
    if not contexts:
        return None
    return (
        f"Longer than --longest {longest} allows, so that only the beginning is read: {counted(contexts, 'context')}. "
        f"Not asked about, since the answer does not stand word for word in what is read: {dropped:,} of {asked:,} "
        "questions"
    )
