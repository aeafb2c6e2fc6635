"""Brings a loaded model to the end of a token stream: from memory, from a stored reading, or by reading.

It knows segments and stored readings, nothing of files, messages or windows. The state that it reaches is a function
of the stream and the parameters alone, whichever way it was reached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.backends.base import LayerState
from engine.errors import UserError
from engine.loaded_model import LoadedModel
from engine.locret.reading import Reader, Units
from engine.locret.selection import Selection
from engine.runtimes import BATCH
from engine.store import Layer, Reading, Store
from engine.stream import Segment, keys_along, next_key, partial_key, root_key

ANSWER_ROOM = 1024
CHECKPOINT_SECONDS = 20.0
WORTH_STORING_SECONDS = 2.0


@dataclass(frozen=True)
class Progress:
    """Where a reading stands: `done` of the `total` tokens of segment `source`, `units` kept in each head."""

    source: str
    done: int
    total: int
    units: int


@dataclass
class Advance:
    """What bringing the model to a stream took, in tokens. reused: from memory or the store. read: by the model;
    documents_read: those of them that are documents'.
    """

    reused: int = 0
    read: int = 0
    documents_read: int = 0


class Session:
    """One model's cache and the stream that it has read.

    `key` names the state; `partial` is how many tokens of a further document it holds beyond that (0: none). `cut` is
    whether the last answer would have gone on.
    """

    def __init__(self, model: LoadedModel, store: Store, on_stored: Callable[[str], None] | None = None) -> None:
        self.model, self.store = model, store
        self.root = root_key(model.parameters)
        self.on_stored = on_stored or (lambda _key: None)
        self._last_answer: str | None = None
        self.cut = False
        self.clear()

    def clear(self) -> None:
        """Forgets the stream; what is stored of it stays."""
        self.model.runtime.clear()
        self.reader = Reader(self.model.runtime, self.model.policy, self.model.selection)
        self.key, self.partial_of, self.partial = self.root, "", 0
        self._stored_at = time.monotonic()

    # --- reaching a stream -------------------------------------------------------------------------------------------

    def advance(self, segments: Sequence[Segment], on_progress: Callable[[Progress], None]) -> Advance:
        """Makes the cache that of the stream. Raises what the runtime raises (AbortedError); progress is then kept."""
        self._refuse_what_does_not_fit(segments)
        keys = keys_along(self.root, segments)
        start = self._nearest(keys, segments)
        self._last_answer = next(
            (k for k, s in zip(keys[:0:-1], segments[::-1], strict=True) if s.kind == "answer"), None
        )
        taken = Advance(reused=self.reader.tokens_read)
        for index in range(start, len(segments)):
            read = self._feed(segments[index], on_progress)
            taken.read += read
            taken.documents_read += read if segments[index].kind == "document" else 0
        return taken

    def take_up(self, segments: Sequence[Segment]) -> None:
        """Makes the cache that of the longest beginning of the stream that is stored or in memory. Reads nothing."""
        self._nearest(keys_along(self.root, segments), segments)

    def measures(self) -> dict[str, int]:
        """For a report: what was read, what is kept of it, and its size."""
        return {
            "tokens_read": self.reader.tokens_read,
            "units_kept": self.model.runtime.length,
            "cache_bytes": self.model.runtime.cache_bytes,
        }

    def holds(self, segments: Sequence[Segment]) -> bool:
        """Whether this stream can be reached without reading a document again."""
        keys = keys_along(self.root, segments)
        last = max((i for i, s in enumerate(segments, start=1) if s.kind == "document"), default=0)
        return self.key in keys[last:] or any(self.store.has_reading(key) for key in keys[last:]) or last == 0

    def _nearest(self, keys: Sequence[str], segments: Sequence[Segment]) -> int:
        """Puts the cache at the longest prefix that memory or the store holds; returns how many segments it covers."""
        in_memory = keys.index(self.key) if self.key in keys else -1
        asked = bool(segments) and segments[-1].kind == "turn"  # its logits are not stored: it must be read
        if in_memory >= 0 and self.partial and not self._partial_continues(segments, in_memory):
            in_memory = -1
        for index in range(len(keys) - 1, -1, -1):
            here = index == in_memory
            if not (here and self.partial) and self._load_partial(
                keys[index], segments[index : index + 1], segments[:index]
            ):
                return index
            if here or (index > 0 and not (asked and index == len(segments)) and self._load(keys[index])):
                return index
        self.clear()
        return 0

    def _load_partial(self, key: str, upcoming: Sequence[Segment], before: Sequence[Segment]) -> bool:
        """Loads the checkpoint of the document that comes next, if there is one."""
        if not upcoming or upcoming[0].kind != "document":
            return False
        checkpoint = partial_key(key, upcoming[0])
        if not self._load(checkpoint):
            return False
        prefix = sum(len(segment.tokens) for segment in before)
        self.key, self.partial_of, self.partial = key, checkpoint, self.reader.tokens_read - prefix
        return True

    def _partial_continues(self, segments: Sequence[Segment], index: int) -> bool:
        return index < len(segments) and self.partial_of == partial_key(self.key, segments[index])

    # --- feeding -----------------------------------------------------------------------------------------------------

    def _feed(self, segment: Segment, on_progress: Callable[[Progress], None]) -> int:
        before = self.reader.tokens_read
        try:
            if segment.kind == "document":
                self._read_document(segment, on_progress)
            elif segment.kind == "turn":
                self._take_turn(segment.tokens)
            else:
                for token in segment.tokens:
                    self.reader.append([token])
        except BaseException:
            if not self.partial:  # what the cache holds has no name
                self.clear()
            raise
        self._reached(segment)
        return self.reader.tokens_read - before

    def _refuse_what_does_not_fit(self, segments: Sequence[Segment]) -> None:
        """A full cache has no way to make room. Raises UserError("documents_too_long")."""
        tokens = sum(len(segment.tokens) for segment in segments)
        if self.model.selection is None and tokens + ANSWER_ROOM > self.model.capacity:
            raise UserError(
                "documents_too_long",
                f"The documents have {tokens:,} tokens, and without retaining heads this model holds "
                f"{self.model.capacity - ANSWER_ROOM:,}. Drop fewer, train retaining heads for it, or use it without "
                "(KeyDiff).",
            )

    def _reached(self, segment: Segment) -> None:
        self.key, self.partial_of, self.partial = next_key(self.key, segment), "", 0

    def _read_document(self, segment: Segment, on_progress: Callable[[Progress], None]) -> None:
        total, began = len(segment.tokens), time.monotonic()
        key = partial_key(self.key, segment)
        if self.partial_of != key:
            self.partial_of, self.partial = key, 0
        start = self.partial
        on_progress(Progress(segment.source, start, total, self.model.runtime.length))
        for done in self.reader.read(segment.tokens, start, chunk=BATCH):
            self.partial = done
            on_progress(Progress(segment.source, done, total, self.model.runtime.length))
            if done < total and time.monotonic() - self._stored_at > CHECKPOINT_SECONDS:
                self.save_partial()
        if time.monotonic() - began > WORTH_STORING_SECONDS or start:
            self._store(next_key(self.key, segment), "complete", replacing=key)

    def _take_turn(self, tokens: Sequence[int]) -> None:
        """A question: as it is, unless it is longer than its room, when all but its last tokens are read like a
        document.
        """
        selection = self.model.selection
        if selection is None:
            self.reader.append(tokens)
            return
        most = selection.turn - ANSWER_ROOM
        if len(tokens) > most:
            for _ in self.reader.read(tokens[: -selection.local]):
                pass
            tokens = tokens[-selection.local :]
        self.reader.make_room(len(tokens) + ANSWER_ROOM)
        self.reader.append(tokens)

    # --- answering ---------------------------------------------------------------------------------------------------

    def answer(self, choose: Callable[[torch.Tensor], int], max_tokens: int) -> Iterator[int]:
        """Decodes after the last turn: yields tokens until the model ends its answer, the room or `max_tokens` is
        used up.

        Every token that was yielded and followed by another step is part of the cache; `answered` closes the segment.
        """
        runtime, self.cut = self.model.runtime, False
        room = self.model.capacity - runtime.length
        if runtime.position > runtime.length:  # at original positions, which end where the model's do
            room = min(room, runtime.position_limit - runtime.position)
        for _ in range(min(max_tokens, room)):
            token = choose(runtime.logits())
            if token in runtime.end_tokens:
                return
            self.reader.append([token])
            yield token
        self.cut = choose(runtime.logits()) not in runtime.end_tokens

    def answered(self, tokens: Sequence[int]) -> None:
        """The answer's tokens are in the cache: the stream has grown by them. Stores the state.

        Without a token there is nothing to store: a state that ends with a question has no logits to answer from.
        """
        if not tokens:
            return
        self._reached(Segment("answer", tokens))
        self._store(self.key, "complete", replacing=self._last_answer)
        self._last_answer = self.key

    # --- storing -----------------------------------------------------------------------------------------------------

    def save_partial(self) -> None:
        """Checkpoints the document being read, in place of its last checkpoint."""
        if self.partial:
            self._store(self.partial_of, "partial")

    def store_now(self) -> None:
        """Stores the state as it is, unless the store has it."""
        if self.partial:
            self.save_partial()
        elif self.key != self.root and not self.store.has_reading(self.key):
            self._store(self.key, "complete")

    def _store(self, key: str, state: str, replacing: str | None = None) -> None:
        """Settled, so that the number of tokens read says where the units stand."""
        self.reader.settle()
        reading = Reading(
            key=key,
            parent=self.key if state == "partial" else None,
            model=self.model.fingerprint,
            heads=str(self.model.parameters["heads"]),
            policy={"policy": self.model.policy_name, **(self.model.parameters["selection"] or {})},
            state="partial" if state == "partial" else "complete",
            tokens_read=self.reader.tokens_read,
            units=self.model.runtime.length,
        )
        rows = map(self._stored_layer, count(), self.model.runtime.export_state())
        self.store.save_reading(reading, rows, previous_key=replacing)
        self._stored_at = time.monotonic()
        self.on_stored(key)

    def _stored_layer(self, index: int, layer: LayerState) -> Layer:
        """The layer with the scores and positions of its units; a full cache has none."""
        full, units = self.model.selection is None, self.reader.units
        return Layer(
            layer.keys.tobytes(),
            layer.values.tobytes(),
            b"" if full else units.scores[index].numpy().tobytes(),
            b"" if full else units.positions[index].numpy().tobytes(),
        )

    def _restored(self, reading: Reading, scores: list[Tensor], positions: list[Tensor], row: Layer) -> LayerState:
        """A stored layer; the scores and original positions of its units are added to the lists."""
        shape, selection, places = self.model.shape, self.model.selection, None
        width, dtype = shape.kv_heads * shape.head_dim, self.model.runtime.state_dtype
        if selection is not None:
            scores.append(torch.from_numpy(np.frombuffer(row.scores, np.float32).reshape(shape.kv_heads, -1).copy()))
            positions.append(
                torch.from_numpy(np.frombuffer(row.positions, np.int32).reshape(shape.kv_heads, -1).copy())
            )
            places = self._places(selection, reading.tokens_read, positions[-1])
            width = width if selection.allocation == "uniform" else shape.head_dim
        keys, values = (np.frombuffer(rows, dtype).reshape(-1, width) for rows in (row.keys, row.values))
        return LayerState(keys, values, *(places or ()))

    def _places(
        self, selection: Selection, tokens_read: int, positions: Tensor
    ) -> tuple[NDArray[np.int32], int] | None:
        """Where a stored layer's units stand, and the position of the next token; None: where slots say it all.

        positions: int32 (kv_heads, n), original ones, -1 where a head has no unit.
        """
        if not selection.at_slots(tokens_read, self.model.runtime.position_limit):
            return positions.numpy(), tokens_read
        if selection.allocation == "uniform":
            return None
        width = positions.shape[-1]
        return torch.where(positions < 0, -1, torch.arange(width, dtype=torch.int32)).numpy(), width

    def _load(self, key: str) -> bool:
        found = self.store.load_reading(key)
        if found is None:
            return False
        reading, layers = found
        self.clear()
        runtime = self.model.runtime
        scores: list[Tensor] = []
        positions: list[Tensor] = []
        # map() keeps no layer once it has given it away: a variable in a loop would, beside the next one.
        runtime.import_state(map(partial(self._restored, reading, scores, positions), layers))
        if scores:
            self.reader.units = Units(torch.stack(scores), torch.stack(positions))
        self.reader.tokens_read = reading.tokens_read
        self.key, self.partial_of, self.partial = key, "", 0
        return True
