"""What it takes to read a question's documents again in sight of it, and when that would be in vain.

Answered at once, so it loads no model and imports nothing heavy: tokens are estimated where no model has counted them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.engine import Engine
from engine.errors import UserError
from engine.pace import seconds_for
from engine.store import Document, Message, Store

CHARACTERS_A_TOKEN = 4
NOTHING_TO_READ = UserError(
    "nothing_to_read", "No document came in before this question, so there is nothing to read again."
)
NOTHING_TO_GAIN = UserError(
    "nothing_to_gain",
    "This model reads with its full cache, so nothing was left out for want of room. "
    "Reading again would not change the answer.",
)


@dataclass(frozen=True)
class Cost:
    """seconds: None where the model's pace was never measured."""

    documents: int
    tokens: int
    seconds: float | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def cost_of(engine: Engine, documents: Sequence[Document]) -> Cost:
    """Raises UserError "nothing_to_read" or "nothing_to_gain"."""
    refuse_in_vain(engine, documents)
    tokens = sum(_tokens(engine.store, document) for document in documents)
    return Cost(len(documents), tokens, seconds_for(engine.store, engine.pace_key(), tokens))


def refuse_in_vain(engine: Engine, documents: Sequence[Document]) -> None:
    """Raises UserError "nothing_to_read" without documents, "nothing_to_gain" where nothing is ever evicted."""
    if not documents:
        raise NOTHING_TO_READ
    if engine.keeps_everything():
        raise NOTHING_TO_GAIN


def question_of(store: Store, conversation: str, message: str) -> Message:
    """The message itself if it is a question, else the one that it answers. Raises UserError("unknown_message")."""
    found = store.message(message)
    if found.conversation != conversation:
        raise UserError("unknown_message", "That message belongs to another conversation.", id=message)
    return found if found.role == "user" or found.parent is None else store.message(found.parent)


def _tokens(store: Store, document: Document) -> int:
    if document.tokens is not None or document.sha256 is None:
        return document.tokens or 0
    return sum(len(page.text) for page in store.pages(document.sha256, document.recipe)) // CHARACTERS_A_TOKEN
