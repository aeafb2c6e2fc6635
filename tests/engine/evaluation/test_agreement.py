"""The share of the same units, and the rows of the fidelity table, on made-up figures."""

from __future__ import annotations

import pytest
import torch

from engine.evaluation.agreement import same_share
from engine.evaluation.agreement import table as agreement_table
from engine.evaluation.fidelity import Row, _share_kept, table


def test_the_share_is_the_mean_over_heads_of_what_both_kept() -> None:
    first = torch.tensor([[[0, 1, 2, 3]], [[0, 1, 2, 3]]])
    second = torch.tensor([[[0, 1, 2, 3]], [[2, 3, 8, 9]]])
    assert same_share(first, second) == 0.75
    assert same_share(first, first) == 1.0
    assert same_share(first, first + 10) == 0.0


def test_the_shares_are_told_by_chunk() -> None:
    lines = agreement_table({"ends": [512, 1024], "same": [1.0, 0.995]}).splitlines()
    assert lines[2:] == ["| 512 | 100.0% |", "| 1,024 | 99.5% |"]


def test_a_row_without_continuations_has_no_share() -> None:
    row, full = Row("locret-q", 0.125), Row("full", 1.0)
    row.add(True, False, None)
    full.add(True, True, 2.0)
    full.add(False, False, 4.0)
    assert (row.needle, row.fact, row.samples, row.nll) == (1, 0, 1, None)
    assert full.nll == pytest.approx(3.0)
    assert _share_kept(5.0, row.nll, full.nll) is None
    assert _share_kept(5.0, 4.0, full.nll) == pytest.approx(0.5)
    assert "| locret-q | 12.5% | 1 of 1 | 0 of 1 |  |  |" in table([row, full])
