"""The parameters of a reading, without torch: the memory planner makes them before anything heavy is imported."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Rope = Literal["slot", "original"]
Allocation = Literal["uniform", "pyramid", "layer", "model"]
# No head holds more than so many times the mean, so that what is noted of units stays small beside them.
LONGEST = 8


@dataclass(frozen=True)
class Selection:
    """The parameters of a reading. Two readings of one token stream with equal parameters give the same cache.

    budget: units kept in each KV head after an eviction (b). chunk: tokens read between evictions (B).
    stabilizers: the last units of a chunk, protected for one eviction (n_s). sinks: the first units of the stream,
    always kept (0: the authors). tail: the last units of a document, protected when its last chunk is evicted (0: the
    authors, whose stream ends with a question's local tokens instead). newest: the last units of all that has been read
    so far, protected at every eviction, so that they stay until others are newer (0: the authors). turn: room beyond
    the budget for a question and its answer. local: the last tokens of an over-long question, never evicted before its
    answer (n_loc).
    rope: where a unit's key is rotated to. "slot": to its slot, anew after each eviction (the authors). "original": it
    stays where it was read as long as the stream fits the model's positions, see `at_slots`. allocation: how the budget
    is shared. "uniform": alike. Else it is the mean over all heads: "pyramid" falls from layer to layer, "layer" keeps
    the best over the heads of each layer, "model" the best over all heads (see `eviction`).
    """

    budget: int
    chunk: int
    stabilizers: int
    sinks: int = 0
    tail: int = 0
    turn: int = 1536
    local: int = 100
    rope: Rope = "slot"
    allocation: Allocation = "uniform"
    newest: int = 0

    def __post_init__(self) -> None:
        if self.budget < 1 or self.chunk < 1:
            raise ValueError("budget and chunk are at least 1")
        if min(self.stabilizers, self.sinks, self.tail, self.turn, self.local, self.newest) < 0:
            raise ValueError("stabilizers, sinks, tail, turn, local and newest are not negative")
        if self.most_protected + self.sinks > self.budget:
            protected = f"{self.most_protected} protected units and {self.sinks} sinks"
            raise ValueError(f"{protected} exceed the budget of {self.budget}")

    @property
    def most_protected(self) -> int:
        """The most of the last units that any eviction protects."""
        return max(self.stabilizers, self.tail, self.newest)

    @property
    def capacity(self) -> int:
        """Cells that the cache needs: the budget and the larger of a chunk and a turn."""
        return self.budget + max(self.chunk, self.turn)

    def at_slots(self, tokens_read: int, position_limit: int) -> bool:
        """Whether every unit stands at its slot once so many tokens of a stream are read, each piece of it whole: a
        chunk, a question, an answer.

        A function of the number alone, so that nothing has to be stored. Original positions end where a further chunk,
        or a question with its answer, might not fit the model's positions, so that no answer has to be moved.
        """
        return self.rope == "slot" or tokens_read + max(self.chunk, self.turn) > position_limit

    def longest(self, position_limit: int) -> int:
        """The most units that a head may be left with: their slots and a further piece fit the model's positions."""
        fitting = position_limit - max(self.chunk, self.turn)
        return max(self.budget, min(LONGEST * self.budget, fitting))

    def keeping_first(self, tokens: int) -> Selection:
        """The same with that many sinks, for a stream that begins with a question (Locret-Q): what is read later is
        read in sight of it only as long as its units stay.

        At most a quarter of the budget, and never fewer sinks than before: of a longer beginning the last tokens are
        not protected.
        """
        most = min(self.budget // 4, self.budget - self.most_protected)
        return replace(self, sinks=max(self.sinks, min(tokens, most)))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
