"""Which units stay: the parameters of a reading and the choice itself (paper algorithm 1), as pure functions on
tensors.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Selection:
    """The parameters of a reading. Two readings of one token stream with equal parameters give the same cache.

    budget: units kept in each KV head after an eviction (b). chunk: tokens read between evictions (B).
    stabilizers: the last units of a chunk, protected for one eviction (n_s). sinks: the first units of the stream,
    always kept (0: the authors). turn: room beyond the budget for a question and its answer. local: the last tokens
    of an over-long question, never evicted before its answer (n_loc).
    """

    budget: int
    chunk: int
    stabilizers: int
    sinks: int = 0
    turn: int = 1536
    local: int = 100

    def __post_init__(self) -> None:
        if self.budget < 1 or self.chunk < 1:
            raise ValueError("budget and chunk are at least 1")
        if min(self.stabilizers, self.sinks, self.turn, self.local) < 0:
            raise ValueError("stabilizers, sinks, turn and local are not negative")
        if self.stabilizers + self.sinks > self.budget:
            raise ValueError(
                f"{self.stabilizers} stabilizers and {self.sinks} sinks exceed the budget of {self.budget}"
            )

    @property
    def capacity(self) -> int:
        """Cells that the cache needs: the budget and the larger of a chunk and a turn."""
        return self.budget + max(self.chunk, self.turn)

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


def top_slots(scores: Tensor, positions: Tensor, selection: Selection, protect: bool) -> Tensor:
    """The slots to keep, ascending: the top b of the scores in each head (paper algorithm 1, lines 5-8).

    scores: (layers, kv_heads, n). positions: the same shape, original positions. protect: whether the last
    `stabilizers` units are kept whatever their score. Returns int64 (layers, kv_heads, min(b, n)).
    """
    units = scores.shape[-1]
    if units <= selection.budget:
        return torch.arange(units).expand(*scores.shape[:-1], units)
    ranked = scores.clone()
    if selection.sinks:
        ranked[positions < selection.sinks] = torch.inf
    if protect and selection.stabilizers:
        ranked[..., -selection.stabilizers :] = torch.inf
    return ranked.topk(selection.budget, dim=-1).indices.sort(dim=-1).values
