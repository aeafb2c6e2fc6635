"""What the engine tells of conversations, messages, documents and memory, as typed records.

Knows the objects of docs/architecture.md; nothing of Qt and nothing of how they travel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Self

Wire = Mapping[str, Any]

# Of other kinds a locked file is refused: its password would be of no use. "archive": a file that is locked in one.
LOCKED_KINDS = frozenset({"pdf", "archive"})
LOCKED = frozenset({"encrypted", "wrong_password"})


@dataclass(frozen=True)
class Record:
    """A dataclass made from a wire object: fields it does not name are left aside, null becomes the default."""

    @classmethod
    def of(cls, wire: Wire) -> Self:
        """Raises TypeError when a field without a default is missing."""
        names = _names(cls)  # type: ignore[arg-type]  # a class is hashable
        return cls(**{name: value for name, value in wire.items() if name in names and value is not None})


@cache
def _names(record: type[Record]) -> frozenset[str]:
    """Asked for of each of thousands of documents at once."""
    return frozenset(known.name for known in fields(record))


@dataclass(frozen=True)
class Conversation(Record):
    id: str
    title: str = ""
    pinned: bool = False
    created: float = 0.0
    updated: float = 0.0


@dataclass(frozen=True)
class Message(Record):
    id: str
    conversation: str
    role: str
    parent: str | None = None
    text: str = ""
    state: str = "complete"
    created: float = 0.0
    documents: list[str] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Document(Record):
    """`origin` is the path of the folder or archive that it was dropped with, `part` what its parts are called ("page",
    "slide"; empty in a document of one piece), `doing`: "opening" or "recognising" while its text is
    taken out."""

    id: str
    conversation: str
    name: str
    position: int = 0
    path: str = ""
    folder: str | None = None
    origin: str | None = None
    kind: str = "unknown"
    outcome: str = "waiting"
    reason: str | None = None
    message: str | None = None
    pages: int | None = None
    pages_read: int = 0
    pages_recognised: int = 0
    pages_skipped: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[dict[str, Any]] = field(default_factory=list)
    part: str = ""
    tokens: int | None = None
    tokens_read: int = 0
    page: int | None = None
    seconds_left: float | None = None
    doing: str = ""

    @property
    def opens_with_password(self) -> bool:
        """Whether a password may open it, or something that lies in it."""
        whole = self.outcome == "needs_password" and self.kind in LOCKED_KINDS
        opens = whole or any(part.get("reason") in LOCKED for part in self.left_out)
        return opens and self.reason not in ("duplicate", "outdated", "gone")


@dataclass(frozen=True)
class Folder(Record):
    """A dropped folder or archive: `files` in all, how many came out how, and how many were left out and why."""

    origin: str
    name: str
    files: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    tokens: int = 0


@dataclass(frozen=True)
class Memory(Record):
    units: int = 0
    budget: int = 0
    tokens_read: int = 0
    cache_bytes: int = 0
    eviction: bool = True
    policy: str = "locret"
    notice: str = ""


@dataclass(frozen=True)
class RereadCost(Record):
    """What reading the documents again for one question takes; `seconds` is None until the reading rate is known."""

    documents: int
    tokens: int
    seconds: float | None = None


@dataclass(frozen=True)
class Plan(Record):
    budget_mb: float = 0.0
    units: int = 0
    chunk: int = 0
    stabilizers: int = 0
    cache_mb: float = 0.0
    model_mb: float = 0.0
    other_mb: float = 0.0
    total_mb: float = 0.0
    ok: bool = True
    message: str | None = None
    minimum_mb: float = 0.0
    maximum_mb: float = 0.0


@dataclass(frozen=True)
class Heads(Record):
    """What the chosen model is read with: `heads` names its retaining heads, empty where it has none. `trainable`:
    whether they can be trained for a model of its kind."""

    model: str
    heads: str = ""
    policy: str = "locret"
    context: int = 0
    trainable: bool = True

    @property
    def missing(self) -> bool:
        """Whether the model is read without the heads that it should be read with."""
        return not self.heads and self.policy == "locret"


@dataclass(frozen=True)
class TrainingRun(Record):
    """A training of retaining heads. `for_model`: whether it is for the model in use."""

    state: str
    name: str
    for_model: bool = True
    step: int = 0
    steps: int = 0
    seconds_left: float | None = None
    loss: float | None = None
    losses: list[float] = field(default_factory=list)
    message: str = ""

    @property
    def at_work(self) -> bool:
        """Whether its process is under way."""
        return self.state in ("starting", "running", "pausing")


@dataclass(frozen=True)
class Texts(Record):
    """The text that Keepsake has for training, and whether the standard texts can be fetched."""

    documents: int = 0
    characters: int = 0
    least: int = 0
    standard: bool = False

    @property
    def enough(self) -> bool:
        return self.characters >= self.least


@dataclass(frozen=True)
class Estimate(Record):
    """What a training takes; `disturbed` when other work slowed the trial down."""

    seconds_per_step: float
    seconds_at_end: float = 0.0
    disturbed: bool = False

    def seconds(self, steps: int) -> float:
        """Of a training of so many steps."""
        return steps * self.seconds_per_step + self.seconds_at_end
