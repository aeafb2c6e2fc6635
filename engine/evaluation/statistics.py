"""Intervals of 95 % around what the benchmarks measure. It knows numbers, and not what they are of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_Z = 1.959963984540054
RESAMPLES = 2000


def wilson(right: int, samples: int) -> tuple[float, float]:
    """The Wilson score interval of a proportion (Wilson 1927). Raises ValueError without samples."""
    if samples < 1 or not 0 <= right <= samples:
        raise ValueError(f"{right} of {samples} is no proportion")
    share, square = right / samples, _Z * _Z / samples
    middle = (share + square / 2) / (1 + square)
    half = _Z * (share * (1 - share) / samples + square / (4 * samples)) ** 0.5 / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def gap_kept(nothing: Sequence[float], policy: Sequence[float], full: Sequence[float]) -> float | None:
    """The share of the gap between no context and the full cache that a policy keeps, from NLLs document by document.

    (sum nothing - sum policy) / (sum nothing - sum full); None where the full cache gains nothing.
    """
    gap = sum(nothing) - sum(full)
    return (sum(nothing) - sum(policy)) / gap if gap > 0 else None


def gap_interval(
    nothing: Sequence[float], policy: Sequence[float], full: Sequence[float], seed: int
) -> tuple[float, float] | None:
    """The 2.5th and 97.5th percentile of `gap_kept` over documents drawn with replacement (percentile bootstrap).

    A draw in which the full cache gains nothing is left out; where all are, it is every number: (-inf, inf). None of
    fewer than two documents, which do not tell how far others lie from them.
    """
    if len(nothing) < 2:
        return None
    figures = np.array([nothing, policy, full])
    drawn = np.random.default_rng(seed).integers(0, len(nothing), (RESAMPLES, len(nothing)))
    sums = figures[:, drawn].sum(axis=-1)
    gap = sums[0] - sums[2]
    if not (gap > 0).any():
        return float("-inf"), float("inf")
    shares = ((sums[0] - sums[1])[gap > 0]) / gap[gap > 0]
    low, high = np.percentile(shares, [2.5, 97.5])
    return float(low), float(high)
