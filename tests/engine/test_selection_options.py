"""Options of what is kept, as text: what they change, and a sentence for what cannot be."""

from __future__ import annotations

import pytest
import torch

from engine.budget import selection_for
from engine.errors import UserError
from engine.locret.heads import Calibration
from engine.locret.policies import LocretConsensus
from engine.locret.ranking import MOST_CONSENSUS, MOST_NEIGHBOURS, Ranking
from engine.selection_options import UNCHANGED, SelectionChange, policy_of, ranking_of, selection_of, split_policies


@pytest.mark.parametrize(
    ("text", "ranking"),
    [
        ("consensus=2", Ranking(2.0)),
        ("own=3, neighbours=9", Ranking(own_neighbours=3, neighbours=9)),
        ("neighbours=5,consensus=0,own=5", Ranking(0.0, 5, 5)),
    ],
)
def test_a_ranking_is_the_default_but_for_what_is_said(text: str, ranking: Ranking) -> None:
    assert ranking_of(text) == ranking


def test_a_selection_is_changed_by_shares_of_its_budget() -> None:
    change, allocation = selection_of("newest=0.25,stabilizers=0.5,tail=0,sinks=8,allocation=layer")
    assert allocation == "layer"
    selection, default = change.of(selection_for(600)), selection_for(600)
    assert (selection.newest, selection.stabilizers, selection.tail, selection.sinks) == (150, 300, 0, 8)
    assert (selection.budget, selection.chunk, selection.turn, selection.allocation, selection.rope) == (
        default.budget,
        default.chunk,
        default.turn,
        default.allocation,
        default.rope,
    )
    assert change.of(selection_for(4096)).stabilizers == selection_for(4096).chunk < 2048


def test_nothing_said_changes_nothing() -> None:
    assert UNCHANGED.of(selection_for(256)) == selection_for(256)
    assert selection_of("sinks=0") == (SelectionChange(sinks=0), None)
    assert policy_of("keydiff") == ("keydiff", None, UNCHANGED)


def test_a_policys_name_carries_options_of_both_kinds() -> None:
    name, ranking, change = policy_of("locret:consensus=2,own=3,newest=0.25")
    assert (name, ranking, change) == ("locret", Ranking(2.0, 3), SelectionChange(newest=0.25))
    assert policy_of("newest:sinks=0").ranking is None


def test_commas_stand_between_policies_and_between_options() -> None:
    assert split_policies("locret:own=1,newest=0.25,newest,keydiff:sinks=8,locret") == [
        "locret:own=1,newest=0.25",
        "newest",
        "keydiff:sinks=8",
        "locret",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("newest", "no option 'newest'. Write NAME=VALUE with commas between, of newest, stabilizers"),
        ("", "no option ''"),
        ("latest=0.5", "no option 'latest=0.5'"),
        ("consensus=1", "no option 'consensus=1'"),
        ("newest=2", "newest is a share of the budget, from 0 to 1"),
        ("tail=nan", "tail is a share"),
        ("stabilizers=", "stabilizers is a share"),
        ("sinks=0.5", "sinks is a whole number"),
        ("sinks=-1", "sinks is a whole number"),
        (f"sinks={'9' * 5000}", "sinks is a whole number"),
        ("sinks=4,sinks=4", "sinks is given twice"),
        ("allocation=even", "allocation is one of uniform, pyramid, layer, model"),
    ],
)
def test_what_no_selection_can_be_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        selection_of(text)
    assert sentence in refused.value.message and refused.value.code == "bad_params"


@pytest.mark.parametrize("text", ["own=2", "own=0", "neighbours=-3", "own=99999999999", f"neighbours={'9' * 5000}"])
def test_what_no_neighbours_can_be_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(UserError, match="is an odd number up to 999: "):
        ranking_of(text)


@pytest.mark.parametrize("text", ["consensus=-1", "consensus=inf", "consensus=nan", "consensus=1e39", "consensus=x"])
def test_what_no_weight_can_be_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(UserError, match="is a number from 0 to 1000, and"):
        ranking_of(text)


def test_the_largest_ranking_ranks() -> None:
    ranking = ranking_of(f"consensus={MOST_CONSENSUS},own={MOST_NEIGHBOURS},neighbours={MOST_NEIGHBOURS}")
    calibration = Calibration(torch.zeros(2, 1), torch.full((2, 1), 1e-3), 0.0, 1e-3)
    scores = LocretConsensus(calibration, ranking).score(torch.randn(2, 1, 50), torch.arange(50).expand(2, 1, 50))
    assert scores.shape == (2, 1, 50) and bool(scores.isfinite().all())
    for consensus, neighbours in ((MOST_CONSENSUS + 1, 1), (float("nan"), 1), (1.0, MOST_NEIGHBOURS + 2)):
        with pytest.raises(ValueError, match=r"is a number from 0 to|is an odd number"):
            Ranking(consensus, neighbours, 7)


def test_the_allocation_is_no_policys_own() -> None:
    with pytest.raises(UserError, match="no option 'allocation=layer'"):
        policy_of("locret:allocation=layer")


def test_shares_that_leave_no_room_are_refused() -> None:
    with pytest.raises(UserError, match=r"exceed the budget of 256\. Choose smaller"):
        SelectionChange(newest=0.9, sinks=40).of(selection_for(256))
