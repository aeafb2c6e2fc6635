"""The reading loop: chunked prefill with eviction (paper algorithm 1), and the turns of a conversation after it.

It knows tokens, scores and original positions; what a key looks like is the backend's affair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from engine.locret.backend import Backend
from engine.locret.eviction import kept_slots
from engine.locret.policies import Policy
from engine.locret.selection import Selection


class Units:
    """What is known of each unit in the cache, slot by slot.

    scores: float32 (layers, kv_heads, n), by the policy. positions: int32 (layers, kv_heads, n), original positions,
    ascending. Rows are aligned at their end: a head with fewer units has score -inf and position -1 in front. What is
    appended is joined when it is looked at: an answer appends a token at a time.
    """

    def __init__(self, scores: Tensor, positions: Tensor) -> None:
        self._scores, self._positions = [scores], [positions]

    @classmethod
    def none(cls, layers: int, kv_heads: int) -> Units:
        return cls(torch.empty(layers, kv_heads, 0), torch.empty(layers, kv_heads, 0, dtype=torch.int32))

    @property
    def scores(self) -> Tensor:
        return _joined(self._scores)

    @property
    def positions(self) -> Tensor:
        return _joined(self._positions)

    @property
    def slots(self) -> Tensor:
        """Of every unit, int64 (layers, kv_heads, n), -1 where a head has none."""
        positions = self.positions
        return torch.where(positions < 0, -1, torch.arange(positions.shape[-1]))

    def append(self, scores: Tensor, positions: Tensor) -> None:
        self._scores.append(scores)
        self._positions.append(positions.int())

    def keep(self, slots: Tensor) -> None:
        there, nowhere = slots.clamp_min(0), slots < 0
        self._scores = [self.scores.gather(-1, there).masked_fill_(nowhere, -torch.inf)]
        self._positions = [self.positions.gather(-1, there).masked_fill_(nowhere, -1)]


def _joined(parts: list[Tensor]) -> Tensor:
    """One tensor of them all, which takes their place."""
    if len(parts) > 1:
        parts[:] = [torch.cat(parts, dim=-1)]
    return parts[0]


class Reader:
    """Feeds one token stream to a backend and keeps its cache within the selection's capacity.

    selection None: the full cache, nothing is ever evicted.
    """

    def __init__(self, backend: Backend, policy: Policy, selection: Selection | None) -> None:
        self.backend, self.policy, self.selection = backend, policy, selection
        self.units = Units.none(backend.layers, backend.kv_heads)
        self.tokens_read = 0

    def chunk_size(self, tokens: int) -> int:
        return self.selection.chunk if self.selection else max(tokens, 1)

    def read(self, tokens: Sequence[int], start: int = 0, chunk: int | None = None) -> Iterator[int]:
        """Reads a document's tokens from `start` on, a chunk at a time, evicting after each.

        Yields the number of its tokens read after each eviction: a place where the state may be stored and gone on
        from, with `start` set to it. The last chunk is evicted with the tail for stabilizers. `chunk` is for a full
        cache, which has none of its own.
        """
        size = chunk if self.selection is None and chunk else self.chunk_size(len(tokens))
        for begin in range(start, len(tokens), size):
            piece = tokens[begin : begin + size]
            self.make_room(len(piece))
            self.append(piece)
            done = begin + len(piece)
            self._evict(last=done == len(tokens))
            self.settle()
            yield done

    def append(self, tokens: Sequence[int]) -> None:
        """Reads tokens and evicts nothing: a turn, an answer's token, the local tokens."""
        cis = self.backend.forward(tokens)
        shape = (self.backend.layers, self.backend.kv_heads, len(tokens))
        positions = torch.arange(self.tokens_read, self.tokens_read + len(tokens)).expand(shape)
        if self.selection is not None:
            self.units.append(self.policy.score(cis, positions), positions)
        self.tokens_read += len(tokens)

    def make_room(self, tokens: int) -> None:
        """Before a chunk or a turn: evicts down to the budget when that many more tokens would not fit the capacity."""
        if self.selection is not None and self.backend.length + tokens > self.selection.capacity:
            self._evict(last=False)
        self.settle()

    def settle(self) -> None:
        """Compacts units that stand at their original positions where these have come to their end.

        Between two pieces of a stream it may be called at any time: before the next one it is called anyway.
        """
        if self.selection is None or not self._at_slots:
            return
        # Not compacted yet; or it is, and one head has all units there are, when once more changes nothing.
        if self.backend.position == self.tokens_read > self.backend.length:
            self.backend.keep(self.units.slots, True)

    @property
    def _at_slots(self) -> bool:
        return self.selection is None or self.selection.at_slots(self.tokens_read, self.backend.position_limit)

    def _evict(self, last: bool) -> None:
        """Down to the budget, the stabilizers protected, or after a document's last chunk its tail, and the newest."""
        if self.selection is None or self.backend.length <= self.selection.budget:
            return
        protected = max(self.selection.newest, self.selection.tail if last else self.selection.stabilizers)
        longest = self.selection.longest(self.backend.position_limit)
        slots = kept_slots(self.units.scores, self.units.positions, self.selection, protected, longest)
        self.backend.keep(slots, self._at_slots)
        self.units.keep(slots)
