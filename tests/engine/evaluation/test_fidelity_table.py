"""Rows from figures: shares of right answers and of the gap, with their intervals and numbers of samples."""

from __future__ import annotations

import pytest

from engine.evaluation.fidelity_measure import NOTHING, Figure
from engine.evaluation.fidelity_table import rows_of, table

SAMPLES = [
    [
        Figure("needle-likelihood", NOTHING, 0.0, 5.0),
        Figure("continuation", NOTHING, 0.0, 4.0),
        Figure("needle", "full", 1.0, 1.0),
        Figure("needle-likelihood", "full", 1.0, 1.0),
        Figure("fact", "full", 1.0, 1.0),
        Figure("continuation", "full", 1.0, 2.0),
        Figure("needle", "newest", 0.25, right),
        Figure("needle-likelihood", "newest", 0.25, 2.0),
        Figure("continuation", "newest", 0.25, 3.5),
    ]
    for right in (1.0, 0.0, 0.0, 1.0)
]


def test_rows_are_by_task_then_policy() -> None:
    rows = rows_of(SAMPLES, seed=1)
    assert [(row.task, row.policy, row.kept) for row in rows] == [
        ("needle", "full", 1.0),
        ("needle", "newest", 0.25),
        ("fact", "full", 1.0),
        ("needle-likelihood", "full", 1.0),
        ("needle-likelihood", "newest", 0.25),
        ("continuation", "full", 1.0),
        ("continuation", "newest", 0.25),
    ]
    needle, likely, continued = rows[1], rows[4], rows[6]
    assert likely.score == likely.low == likely.high == pytest.approx(0.75)
    assert (needle.score, needle.samples) == (0.5, 4)
    assert (needle.low, needle.high) == pytest.approx((0.15, 0.85), abs=0.01)
    assert continued.score == continued.low == continued.high == pytest.approx(0.25)
    assert rows[3].score == rows[5].score == 1.0


def test_a_document_without_a_continuation_counts_for_the_rest() -> None:
    cut = [[figure for figure in SAMPLES[0] if figure.task != "continuation"], *SAMPLES[1:]]
    rows = {(row.task, row.policy): row.samples for row in rows_of(cut, seed=1)}
    assert rows["continuation", "newest"] == rows["continuation", "full"] == 3
    assert rows["needle", "newest"] == 4


def test_no_share_is_told_of_a_gap_that_is_none() -> None:
    worse = [[figure._replace(value=1.0) if figure.policy == NOTHING else figure for figure in SAMPLES[0]]]
    assert {row.task for row in rows_of(worse, seed=1)} == {"needle", "fact"}


def test_the_table_has_a_line_a_policy_and_a_column_a_task() -> None:
    lines = table(rows_of(SAMPLES, seed=1)).splitlines()
    assert lines[0] == "| policy | kept | needle | fact |"
    assert lines[2].startswith("| full | 100.0% | 100% (51% to 100%) of 4 | 100%")
    assert lines[3:5] == ["| newest | 25.0% | 50% (15% to 85%) of 4 |  |", ""]
    assert lines[5] == "| policy | kept | needle-likelihood | continuation |"
    assert lines[8] == "| newest | 25.0% | 75% (75% to 75%) of 4 | 25% (25% to 25%) of 4 |"


def test_a_single_document_is_no_certainty() -> None:
    rows = rows_of(SAMPLES[:1], seed=1)
    likely = next(row for row in rows if (row.task, row.policy) == ("needle-likelihood", "newest"))
    assert (likely.score, likely.low, likely.high) == (pytest.approx(0.75), None, None)
    lines = table(rows).splitlines()
    assert lines[3] == "| newest | 25.0% | 100% (21% to 100%) of 1 |  |"
    assert lines[8] == "| newest | 25.0% | 75% of 1 | 25% of 1 |"
