"""What the store keeps, as frozen records. They know nothing of SQL.

Times are seconds since the epoch, sizes bytes, ids strings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from engine.documents.reader import LeftOut

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
    """A file of a conversation and what became of it. `sha256` and `recipe` find its pages; None until it was
    extracted.

    folder, origin: the dropped folder or archive that it comes from, its name and its path; None if it was dropped
    itself. member: its name within the archive at `path`. size, mtime_ns: of the file when it was extracted. left_out:
    what lies in it and gave no text, as (what, name, reason). pages_recognised: those of which the text was recognised.
    """

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
    recipe: str | None = None
    size: int | None = None
    mtime_ns: int | None = None
    member: str | None = None
    origin: str | None = None
    left_out: tuple[LeftOut, ...] = ()
    pages_recognised: int = 0


@dataclass(frozen=True)
class NewDocument:
    """What is known of a file when it arrives; the fields are those of Document."""

    name: str
    path: str
    folder: str | None = None
    origin: str | None = None
    member: str | None = None
    kind: str = "unknown"
    outcome: Outcome = "waiting"
    reason: str | None = None
    message: str | None = None


@dataclass(frozen=True)
class Folder:
    """A dropped folder or archive of a conversation. outcomes: how many of its files came out so; left_out: how many
    were not read for a reason of their place or kind, by reason. tokens, tokens_read: of its files that were counted.
    """

    origin: str
    name: str
    outcomes: Mapping[str, int]
    left_out: Mapping[str, int]
    tokens: int


@dataclass(frozen=True)
class Content:
    """The result of extracting a file, kept once for all conversations under the file's sha256 and the recipe: what
    else decides it (`engine.documents.recipe`).
    """

    sha256: str
    recipe: str
    kind: str
    outcome: str
    reason: str | None
    message: str | None
    pages: int | None
    left_out: tuple[LeftOut, ...] = ()


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
