"""What a cache unit is worth: the scores that the selection ranks. They depend on the tokens alone, never on a
question.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional as F

from engine.locret.heads import Calibration
from engine.locret.ranking import DEFAULT_RANKING, Ranking


class Policy(Protocol):
    """Scores new units once, when they are read; the scores stay with them."""

    @property
    def name(self) -> str:
        """What tells readings of different policies apart, parameters included."""
        ...

    def score(self, cis: Tensor | None, positions: Tensor) -> Tensor:
        """cis: raw CIS (layers, kv_heads, n) or None; positions: int64 (layers, kv_heads, n). Returns float32, same
        shape.
        """
        ...


class AsScored:
    """The backend's scores as they are: of retaining heads it is the authors' own selection; KeyDiff's and others' are
    named for what they are.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def score(self, cis: Tensor | None, positions: Tensor) -> Tensor:  # noqa: ARG002
        return _present(cis)


class Locret(AsScored):
    """The CIS as it is: the authors' own selection."""

    def __init__(self) -> None:
        super().__init__("locret")


class LocretConsensus:
    """Each head's CIS on a common scale and, where it has a weight, what all heads think of the token (DESIGN section
    10), both averaged over neighbours.

    z-score of the CIS in its layer and head, plus `consensus` times the z-score of the average over all layers and
    heads; means and deviations come from the calibration in the head file, so that the score depends on nothing but
    the tokens read together. Each of the two is first averaged over the units around (as SnapKV pools attention, arXiv
    2404.14469), fewer at the ends of what was read: a head's own over few, since a head looks for single tokens, what
    all think over more, so that a name or a number is kept whole or not at all.
    """

    def __init__(self, calibration: Calibration, ranking: Ranking = DEFAULT_RANKING) -> None:
        self.calibration, self.ranking = calibration, ranking
        self.name = f"locret-consensus-{ranking.consensus}-{ranking.own_neighbours}-{ranking.neighbours}"

    def score(self, cis: Tensor | None, positions: Tensor) -> Tensor:  # noqa: ARG002
        own = (_present(cis) - self.calibration.mean[..., None]) / self.calibration.std[..., None]
        ranked = _pooled(own, self.ranking.own_neighbours)
        if not self.ranking.consensus:
            return ranked
        average = own.mean(dim=(0, 1))
        consensus = (average - self.calibration.consensus_mean) / self.calibration.consensus_std
        of_all = _pooled(consensus[None], self.ranking.neighbours)
        return ranked + self.ranking.consensus * of_all


class Newest:
    """The newest units stay; with sinks this is StreamingLLM (arXiv 2309.17453)."""

    name = "newest"

    def score(self, cis: Tensor | None, positions: Tensor) -> Tensor:  # noqa: ARG002
        return positions.float()


class Random:
    """A hash of seed, layer, head and position: the floor that every policy must beat."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.name = f"random-{seed}"

    def score(self, cis: Tensor | None, positions: Tensor) -> Tensor:  # noqa: ARG002
        layers, kv_heads, _ = positions.shape
        head = torch.arange(layers * kv_heads).view(layers, kv_heads, 1)
        mixed = positions.long() * 2654435761 + head * 40503 + self.seed * 97531
        for shift, factor in ((15, 73244475), (13, 19349663), (16, 1)):
            mixed = ((mixed ^ (mixed >> shift)) * factor) & 0x7FFFFFFF
        return mixed.float() / 0x7FFFFFFF


def _present(cis: Tensor | None) -> Tensor:
    if cis is None:
        raise ValueError("this policy needs retaining heads, and the backend has none")
    return cis.float()


def _pooled(scores: Tensor, neighbours: int) -> Tensor:
    """scores: (..., n). The mean of each with those around it."""
    return F.avg_pool1d(scores, neighbours, 1, neighbours // 2, count_include_pad=False)
