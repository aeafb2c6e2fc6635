"""The share of the same units, on made-up figures."""

from __future__ import annotations

import torch

from engine.evaluation.agreement import same_share
from engine.evaluation.agreement import table as agreement_table


def test_the_share_is_the_mean_over_heads_of_what_both_kept() -> None:
    first = torch.tensor([[[0, 1, 2, 3]], [[0, 1, 2, 3]]])
    second = torch.tensor([[[0, 1, 2, 3]], [[2, 3, 8, 9]]])
    assert same_share(first, second) == 0.75
    assert same_share(first, first) == 1.0
    assert same_share(first, first + 10) == 0.0


def test_the_shares_are_told_by_chunk() -> None:
    lines = agreement_table({"ends": [512, 1024], "same": [1.0, 0.995]}).splitlines()
    assert lines[2:] == ["| 512 | 100.0% |", "| 1,024 | 99.5% |"]
