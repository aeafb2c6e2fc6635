"""What the store keeps, as frozen records. They know nothing of SQL.

Times are seconds since the epoch, sizes bytes, ids strings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Role = Literal["user", "assistant"]
MessageState = Literal["complete", "streaming", "stopped", "failed"]
Outcome = Literal["waiting", "reading", "paused", "read", "partial", "needs_password", "needs_ocr", "refused", "failed"]
ReadingState = Literal["partial", "complete"]


@dataclass(frozen=True)
class Conversation:
    """`deleted` is the time when it was put away, or None; `purge` removes it for good."""

    id: str
    title: str
    pinned: bool
    created: float
    updated: float
    deleted: float | None = None


@dataclass(frozen=True)
class Message:
    """A node of a conversation's tree; `parent` is None at the root. `documents`: ids that came with it, in order."""

    id: str
    conversation: str
    parent: str | None
    role: Role
    text: str
    state: MessageState
    created: float
    documents: tuple[str, ...] = ()
    stats: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Document:
    """A file of a conversation and what became of it. `sha256` finds its pages; None until it was extracted."""

    id: str
    conversation: str
    position: int
    name: str
    path: str
    folder: str | None
    kind: str
    sha256: str | None
    outcome: Outcome
    reason: str | None
    message: str | None
    pages: int | None
    pages_read: int
    tokens: int | None
    created: float


@dataclass(frozen=True)
class Content:
    """The result of extracting a file, kept once for all conversations under the file's sha256.

    `extractor` is the version of the code that extracted it: a newer version may extract better.
    """

    sha256: str
    kind: str
    outcome: str
    reason: str | None
    message: str | None
    pages: int | None
    extractor: int


class Layer(NamedTuple):
    """What one layer of a reading kept: keys, values, CIS and original positions, as the backend encodes them."""

    keys: bytes
    values: bytes
    scores: bytes
    positions: bytes


@dataclass(frozen=True)
class Reading:
    """A stored state of the cache.

    `key` is the hash of model, heads, policy and the stream read so far; `parent` the key of the stored state that it
    continues, if any. `units`: kept in each head. The store counts `bytes` over the layers, and sets the times.
    """

    key: str
    parent: str | None
    model: str
    heads: str
    policy: Mapping[str, Any]
    state: ReadingState
    tokens_read: int
    units: int
    bytes: int = 0
    created: float = 0.0
    used: float = 0.0
