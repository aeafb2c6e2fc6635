"""Records of the store as the objects of the protocol (docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.documents.page import Page
from engine.store import Conversation, Document, Message, Store


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


def document(store: Store, record: Document, live: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """`live`: tokens_read, page and seconds_left while it is being read."""
    done = record.outcome in ("read", "partial")
    return {
        "id": record.id,
        "conversation": record.conversation,
        "name": record.name,
        "path": record.path,
        "folder": record.folder,
        "kind": record.kind,
        "outcome": record.outcome,
        "reason": record.reason,
        "message": record.message,
        "pages": record.pages,
        "pages_read": record.pages_read,
        "pages_skipped": [_skipped(page) for page in store.skipped_pages(record.sha256)] if record.sha256 else [],
        "tokens": record.tokens,
        "tokens_read": (record.tokens or 0) if done else 0,
        "page": None,
        "seconds_left": None,
        **(live or {}),
    }


def page(record: Page) -> dict[str, Any]:
    return {"page": record.number, "outcome": record.outcome, "reason": record.reason, "text": record.text}


def _skipped(record: Page) -> dict[str, Any]:
    from engine.documents.reasons import pages_sentence

    reason = record.reason or "damaged"
    return {"page": record.number, "reason": reason, "message": pages_sentence(reason, [record.number])}
