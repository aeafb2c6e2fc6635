"""Records of the store as the objects of the protocol (docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.documents.page import Page
from engine.documents.places import word
from engine.documents.reader import LeftOut
from engine.documents.reasons import pages_sentence
from engine.store import Conversation, Document, Folder, Message, Store


def conversation(record: Conversation) -> dict[str, Any]:
    return {
        "id": record.id,
        "title": record.title,
        "pinned": record.pinned,
        "created": record.created,
        "updated": record.updated,
    }


def message(record: Message) -> dict[str, Any]:
    """Without the answer's token ids, which the stream alone needs."""
    return {
        "id": record.id,
        "conversation": record.conversation,
        "parent": record.parent,
        "role": record.role,
        "text": record.text,
        "state": record.state,
        "created": record.created,
        "documents": list(record.documents),
        "stats": {name: value for name, value in record.stats.items() if name != "token_ids"},
    }


def document(
    store: Store,
    record: Document,
    live: Mapping[str, Any] | None = None,
    skipped: Mapping[tuple[str, str], list[Page]] | None = None,
) -> dict[str, Any]:
    """live: what is known of it while it is read and stored nowhere (page, tokens_read, seconds_left, doing). skipped:
    the skipped pages of all contents of the conversation, where they are known.
    """
    done = record.outcome in ("read", "partial")
    key = (record.sha256 or "", record.recipe or "")
    pages = store.skipped_pages(*key) if skipped is None and record.sha256 else (skipped or {}).get(key, [])
    return {
        "id": record.id,
        "conversation": record.conversation,
        "position": record.position,
        "name": record.name,
        "path": record.path,
        "folder": record.folder,
        "origin": record.origin,
        "kind": record.kind,
        "outcome": record.outcome,
        "reason": record.reason,
        "message": record.message,
        "pages": record.pages,
        "pages_read": record.pages_read,
        "pages_recognised": record.pages_recognised,
        "pages_skipped": [_skipped(page, record.kind) for page in pages],
        "left_out": [_left_out(part) for part in record.left_out],
        "part": word(record.kind),
        "tokens": record.tokens,
        "tokens_read": (record.tokens or 0) if done else 0,
        "page": None,
        "seconds_left": None,
        "doing": None,
        **(live or {}),
    }


def documents(store: Store, conversation: str, records: Sequence[Document], live: Mapping[str, Any]) -> list[Any]:
    """Many of one conversation."""
    skipped = store.all_skipped_pages(conversation)
    return [document(store, record, live.get(record.id), skipped) for record in records]


def folder(record: Folder) -> dict[str, Any]:
    return {
        "origin": record.origin,
        "name": record.name,
        "files": sum(record.outcomes.values()) + sum(record.left_out.values()),
        "outcomes": dict(record.outcomes),
        "left_out": dict(record.left_out),
        "tokens": record.tokens,
    }


def report(store: Store, record: Document) -> dict[str, Any]:
    """What became of a document, for a program."""
    key = (record.sha256 or "", record.recipe)
    return {
        "path": record.path,
        "name": record.name,
        "outcome": record.outcome,
        "reason": record.reason,
        "message": record.message,
        "kind": record.kind,
        "pages": record.pages,
        "pages_read": record.pages_read,
        "pages_recognised": store.recognised_pages(*key) if record.pages_recognised else [],
        "pages_skipped": [_skipped(page, record.kind) for page in store.skipped_pages(*key)],
        "left_out": [_left_out(part) for part in record.left_out],
        "tokens": record.tokens,
    }


def page(record: Page, text: str, kind: str, offset: int, most: int) -> dict[str, Any]:
    """text: as the model sees it, of which at most so many characters from a place on are told."""
    return {
        "page": record.number,
        "outcome": record.outcome,
        "reason": record.reason,
        "message": _why(record, kind) if record.reason else None,
        "text": text[offset : offset + most],
        "characters": len(text),
        "label": record.label,
        "section": record.section,
        "source": record.source,
    }


def _skipped(record: Page, kind: str) -> dict[str, Any]:
    return {"page": record.number, "reason": record.reason or "damaged", "message": _why(record, kind)}


def _why(record: Page, kind: str) -> str:
    return pages_sentence(record.reason or "damaged", [record.number], kind, record.outcome == "read")


def _left_out(part: LeftOut) -> dict[str, Any]:
    return {"what": part.what, "name": part.name, "reason": part.reason}
