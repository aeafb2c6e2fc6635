"""A conversation as one token stream: its segments, and the keys under which a cache that has read them is stored.

A key is a hash chained over the parameters and the segments, so equal keys mean the same stream read in the same way.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

SegmentKind = Literal["turn", "document", "answer"]


@dataclass(frozen=True)
class Segment:
    """Tokens that are read in one way: a turn at once, a document by chunks with eviction, an answer token by token.

    source: the document or message that it comes from; it tells the person what is being read and is no part of the
    key.
    """

    kind: SegmentKind
    tokens: Sequence[int] = field(repr=False)
    source: str = ""


def root_key(parameters: Mapping[str, Any]) -> str:
    """The key of the empty stream: a hash of the model, the heads, the policy and the selection."""
    return hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()


def next_key(key: str, segment: Segment) -> str:
    """The key of a stream after one more segment."""
    return _chained(key, segment.kind, segment.tokens)


def partial_key(key: str, segment: Segment) -> str:
    """The key under which a document is checkpointed while it is being read after the stream `key`."""
    return _chained(key, "partial", segment.tokens)


def keys_along(root: str, segments: Sequence[Segment]) -> list[str]:
    """The keys after 0, 1, ... all segments: one more than there are segments."""
    keys = [root]
    for segment in segments:
        keys.append(next_key(keys[-1], segment))
    return keys


def _chained(key: str, kind: str, tokens: Sequence[int]) -> str:
    digest = hashlib.sha256(f"{key}:{kind}:{len(tokens)}:".encode())
    digest.update(array("i", tokens).tobytes())
    return digest.hexdigest()
