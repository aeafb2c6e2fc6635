"""The intervals, against published figures and on made-up losses."""

from __future__ import annotations

import pytest

from engine.evaluation.statistics import gap_interval, gap_kept, wilson


@pytest.mark.parametrize(
    ("right", "samples", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (8, 10, 0.4902, 0.9433), (30, 60, 0.3774, 0.6226)],
)
def test_wilson_gives_the_known_intervals(right: int, samples: int, low: float, high: float) -> None:
    assert wilson(right, samples) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(("right", "samples"), [(0, 0), (3, 2), (-1, 2)])
def test_no_proportion_has_no_interval(right: int, samples: int) -> None:
    with pytest.raises(ValueError, match="no proportion"):
        wilson(right, samples)


def test_the_gap_kept_is_of_sums_not_of_shares() -> None:
    assert gap_kept([4.0, 10.0], [3.0, 6.0], [2.0, 6.0]) == pytest.approx(5 / 6)
    assert gap_kept([2.0], [1.0], [2.5]) is None


def test_the_bootstrap_holds_the_figure_and_is_the_same_for_a_seed() -> None:
    nothing = [3.0 + 0.1 * (i % 7) for i in range(40)]
    full = [2.0 + 0.1 * (i % 5) for i in range(40)]
    half = [(a + b) / 2 + (0.2 if i % 2 else -0.2) for i, (a, b) in enumerate(zip(nothing, full, strict=True))]
    interval = gap_interval(nothing, half, full, seed=3)
    assert interval is not None
    low, high = interval
    assert low < (gap_kept(nothing, half, full) or 0) < high
    assert 0.02 < high - low < 0.3
    assert (low, high) == gap_interval(nothing, half, full, seed=3)
    assert (low, high) != gap_interval(nothing, half, full, seed=4)
    assert gap_interval(nothing, full, full, seed=3) == pytest.approx((1.0, 1.0))


def test_a_single_document_has_no_interval() -> None:
    assert gap_interval([3.0], [2.5], [2.0], seed=0) is None
    assert gap_interval([3.0] * 2, [2.5] * 2, [2.0] * 2, seed=0) == (0.5, 0.5)


def test_documents_without_a_gap_tell_nothing() -> None:
    assert gap_interval([2.0] * 2, [2.0] * 2, [3.0] * 2, seed=0) == (float("-inf"), float("inf"))
