"""Held-out checks: which of them has the best heads. It knows the rows of the run's log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from engine.locret.training import OVERLAP_SHARES


def quality(row: Mapping[str, Any]) -> float:
    """The mean overlap of a check. Heads only rank, and a loss in the labels' unit also rises and falls with what a
    head adds to all its scores alike (decision 0020).
    """
    return fmean(row[f"overlap_{share:g}"] for share in OVERLAP_SHARES)


def best_check(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The held-out check, of a run's log, with the weights that are kept. Raises ValueError where there is none."""
    return max((row for row in rows if row["kind"] == "held-out"), key=quality)
