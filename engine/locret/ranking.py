"""The parameters of Locret's ranking with consensus, without torch: they are read before anything heavy is imported."""

from __future__ import annotations

from dataclasses import dataclass

# Beyond these a ranking says nothing new: own scores are drowned, or the mean is one of all that is read together.
MOST_CONSENSUS, MOST_NEIGHBOURS = 1000, 999


@dataclass(frozen=True)
class Ranking:
    """How a head's own score and what all heads think of a token are weighed (DESIGN section 10).

    consensus: the weight of what all heads think; 0: each head's own score alone. own_neighbours, neighbours: the units
    over which the one and the other are averaged, around each unit and with it; 1: not at all. Consensus 0 with one own
    neighbour keeps the units that the authors' selection keeps where heads hold as many. At most MOST_CONSENSUS and
    MOST_NEIGHBOURS.
    """

    consensus: float = 0.25
    own_neighbours: int = 1
    neighbours: int = 7

    def __post_init__(self) -> None:
        if not 0 <= self.consensus <= MOST_CONSENSUS:
            raise ValueError(f"consensus is a number from 0 to {MOST_CONSENSUS}")
        if any(not 1 <= count <= MOST_NEIGHBOURS or count % 2 == 0 for count in (self.own_neighbours, self.neighbours)):
            message = (
                f"neighbours is an odd number up to {MOST_NEIGHBOURS}: the unit itself, as many before as after it"
            )
            raise ValueError(message)


DEFAULT_RANKING = Ranking()
