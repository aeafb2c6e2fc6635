"""Policies by name and with options: what each ranks by, and what it keeps."""

from __future__ import annotations

import pytest
import torch

from engine.budget import selection_for
from engine.errors import UserError
from engine.evaluation.methods import METHODS, method_of
from engine.locret.heads import Calibration, RetainingHeads
from engine.locret.policies import LocretConsensus
from engine.locret.ranking import Ranking


@pytest.mark.parametrize("name", METHODS)
def test_a_name_alone_is_the_method_of_the_table(name: str) -> None:
    named, default = method_of(name), METHODS[name]
    assert (named.scores, named.ranking, named.reads) == (default.scores, default.ranking, default.reads)
    assert named.selection(selection_for(512)) == default.selection(selection_for(512))


@pytest.mark.parametrize("name", ["locret", "locret-q"])
def test_options_change_ranking_and_selection(name: str) -> None:
    heads = RetainingHeads(1, 8, 4, 1)
    heads.calibration = Calibration(torch.zeros(1, 1), torch.ones(1, 1), 0.0, 1.0)
    method = method_of(f"{name}:consensus=2,own=3,newest=0.25")
    assert (method.scores, method.reads) == (METHODS[name].scores, METHODS[name].reads)
    assert method.ranking is not None
    policy = method.ranking(1, heads)
    assert isinstance(policy, LocretConsensus) and policy.ranking == Ranking(2.0, 3)
    assert method.selection(selection_for(512)).newest == 128


def test_a_methods_own_selection_is_changed_and_not_replaced() -> None:
    selection = method_of("locret-authors:tail=0.125").selection(selection_for(512))
    assert (selection.rope, selection.sinks, selection.tail) == ("slot", 0, 64)


@pytest.mark.parametrize(
    ("text", "word"), [("best", "no policy best"), ("keydiff:own=1", "keydiff has no ranking to be changed")]
)
def test_what_no_method_has_is_refused_with_a_sentence(text: str, word: str) -> None:
    with pytest.raises(UserError, match=word):
        method_of(text)
