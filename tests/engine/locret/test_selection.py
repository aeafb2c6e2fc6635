"""The choice of units: budget, stabilizers, sinks, and what the policies say a unit is worth."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.locret.eviction import top_slots
from engine.locret.heads import Calibration
from engine.locret.policies import Locret, LocretConsensus, Newest, Random
from engine.locret.ranking import Ranking
from engine.locret.reading import Reader
from engine.locret.selection import Selection
from tests.engine.counting_backend import CountingBackend


@given(
    units=st.integers(1, 60),
    budget=st.integers(8, 40),
    stabilizers=st.integers(0, 6),
    sinks=st.integers(0, 2),
    seed=st.integers(0, 999),
)
def test_kept_slots_are_the_best_and_the_protected(
    units: int, budget: int, stabilizers: int, sinks: int, seed: int
) -> None:
    scores = torch.randn(2, 3, units, generator=torch.Generator().manual_seed(seed))
    positions = torch.arange(units).expand(2, 3, units)
    slots = top_slots(scores, positions, Selection(budget, 8, stabilizers, sinks), stabilizers)
    assert slots.shape == (2, 3, min(units, budget))
    assert (slots.diff(dim=-1) > 0).all()
    if units > budget:
        protected = set(range(sinks)) | set(range(units - stabilizers, units))
        for head_slots, head_scores in zip(slots.flatten(0, 1), scores.flatten(0, 1), strict=True):
            kept = set(head_slots.tolist())
            assert protected <= kept
            free_kept = [head_scores[s].item() for s in kept - protected]
            lost = [head_scores[s].item() for s in set(range(units)) - kept]
            assert not free_kept or min(free_kept) >= max(lost)


def test_protection_is_for_one_eviction() -> None:
    backend = CountingBackend(layers=1, kv_heads=1, scores=float)
    reader = Reader(backend, Locret(), Selection(budget=4, chunk=4, stabilizers=2))
    steps = reader.read([9, 8, 7, 6, 1, 2, 3, 0, 5, 5, 5, 5])
    next(steps)
    next(steps)
    assert reader.units.positions.flatten().tolist() == [0, 1, 6, 7]
    next(steps)
    assert 6 not in reader.units.positions.flatten().tolist()
    assert 7 not in reader.units.positions.flatten().tolist()


def test_a_documents_tail_is_kept_until_the_next_eviction() -> None:
    tokens = [9, 8, 7, 6, 5, 4, 1, 2]
    for tail, kept in ((0, [0, 1, 2, 3]), (2, [0, 1, 6, 7])):
        reader = Reader(
            CountingBackend(1, 1, scores=float), Locret(), Selection(4, 4, stabilizers=1, tail=tail, turn=4)
        )
        list(reader.read(tokens))
        assert reader.units.positions.flatten().tolist() == kept
        list(reader.read([3, 3]))
        assert not {6, 7} <= set(reader.units.positions.flatten().tolist())


@pytest.mark.parametrize("turn", [0, 3])
def test_the_newest_stay_at_every_eviction_until_others_are_newer(turn: int) -> None:
    selection = Selection(budget=8, chunk=4, stabilizers=1, sinks=2, tail=1, turn=4, newest=3)
    reader = Reader(CountingBackend(2, 2, scores=float), Locret(), selection)
    reader.append([99, 98])
    for first in (90, 40):  # each token is worth less than all before it
        for _ in reader.read(range(first, first - 30, -1)):
            kept = reader.units.positions
            assert (kept[..., -3:] == torch.arange(reader.tokens_read - 3, reader.tokens_read)).all()
            assert (kept[..., :2] == torch.arange(2)).all()
        reader.append([0] * turn)
    read = reader.tokens_read - turn
    assert reader.units.positions[0, 0].tolist() == [*range(5), *range(read - 3, reader.tokens_read)]


def test_a_beginning_that_is_kept_leaves_room_for_the_newest() -> None:
    assert Selection(8, 4, 1, newest=7).keeping_first(5).sinks == 1
    assert Selection(80, 4, 1, newest=7).keeping_first(5).sinks == 5


def test_a_reading_goes_on_from_any_chunk() -> None:
    tokens = torch.randint(0, 99, (50,), generator=torch.Generator().manual_seed(1)).tolist()
    whole = Reader(CountingBackend(2, 2, scores=float), Locret(), Selection(8, 6, 2))
    list(whole.read(tokens))
    stopped = Reader(CountingBackend(2, 2, scores=float), Locret(), Selection(8, 6, 2))
    done = next(stopped.read(tokens))
    for _ in stopped.read(tokens, start=done):
        pass
    assert torch.equal(whole.units.positions, stopped.units.positions)
    assert whole.tokens_read == stopped.tokens_read == 50


def test_turns_never_pass_the_capacity() -> None:
    backend = CountingBackend(1, 2, scores=float)
    selection = Selection(budget=8, chunk=4, stabilizers=2, turn=6)
    reader = Reader(backend, Newest(), selection)
    list(reader.read(list(range(20))))
    for turn in range(10):
        reader.make_room(5)
        reader.append([turn] * 5)
        assert backend.length <= selection.capacity
    assert backend.tokens_at(0, 0)[-5:] == [9] * 5


def test_consensus_keeps_a_token_everywhere_that_few_heads_want() -> None:
    scores = torch.zeros(2, 2, 12)
    scores[..., :] = torch.linspace(0, 0.1, 12)
    scores[0, :, 3] = 8.0
    calibration = Calibration(torch.zeros(2, 2), torch.ones(2, 2), 0.05, 0.5)
    positions = torch.arange(12).expand(2, 2, 12)
    selection = Selection(4, 4, 0)
    alone = top_slots(Locret().score(scores, positions), positions, selection, protected=0)
    together = top_slots(
        LocretConsensus(calibration, Ranking(0.5, own_neighbours=1, neighbours=1)).score(scores, positions),
        positions,
        selection,
        protected=0,
    )
    assert 3 not in alone[1].flatten().tolist()
    assert all(3 in head.tolist() for head in together.flatten(0, 1))


def test_a_units_neighbours_are_kept_with_it() -> None:
    scores = torch.zeros(1, 1, 20)
    scores[0, 0, [2, 10, 11, 12]] = torch.tensor([5.0, 4.0, 3.0, 4.0])  # a full stop that every head likes; a number
    calibration = Calibration(torch.zeros(1, 1), torch.ones(1, 1), 0.0, 1.0)
    positions = torch.arange(20).expand(1, 1, 20)
    for neighbours, kept in ((1, {2, 10, 12}), (3, {10, 11, 12})):
        policy = LocretConsensus(calibration, Ranking(0.5, own_neighbours=neighbours, neighbours=neighbours))
        slots = top_slots(policy.score(scores, positions), positions, Selection(3, 4, 0), protected=0)
        assert set(slots.flatten().tolist()) == kept
    assert policy.score(scores[..., :1], positions[..., :1]).shape == (1, 1, 1)


@pytest.mark.parametrize(
    "wrong", [{"neighbours": 4}, {"own_neighbours": 0}, {"consensus": -1.0}, {"consensus": math.nan}]
)
def test_a_ranking_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"odd number|from 0 to"):
        Ranking(**wrong)


@given(seed=st.integers(0, 999))
def test_no_consensus_and_no_neighbours_is_the_authors_selection(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    scores, mean = torch.randn(2, 3, 30, generator=generator), torch.randn(2, 3, generator=generator)
    positions = torch.arange(30).expand(2, 3, 30)
    policy = LocretConsensus(Calibration(mean, mean.abs() + 0.1, 0.2, 0.5), Ranking(0.0, 1, 1))
    slots = [top_slots(p.score(scores, positions), positions, Selection(9, 4, 2), 2) for p in (policy, Locret())]
    assert torch.equal(*slots)


def test_every_parameter_of_a_ranking_is_part_of_the_policys_name() -> None:
    calibration = Calibration(torch.zeros(1, 1), torch.ones(1, 1), 0.0, 1.0)
    rankings = (Ranking(), Ranking(0.75), Ranking(0.2500001), Ranking(own_neighbours=3), Ranking(neighbours=3))
    assert len({LocretConsensus(calibration, ranking).name for ranking in rankings}) == len(rankings)


def test_what_all_heads_think_reaches_further_than_a_heads_own() -> None:
    scores = torch.zeros(2, 1, 15)
    scores[0, 0, 7] = 6.0
    calibration = Calibration(torch.zeros(2, 1), torch.ones(2, 1), 0.0, 1.0)
    positions = torch.arange(15).expand(2, 1, 15)
    ranked = LocretConsensus(calibration, Ranking(0.5, own_neighbours=1, neighbours=5)).score(scores, positions)
    assert ranked[0, 0, 7] == pytest.approx(6.0 + 0.5 * 3.0 / 5)
    assert ranked[1, 0].nonzero().flatten().tolist() == [5, 6, 7, 8, 9], "the other head has it from consensus alone"


def test_random_depends_on_position_not_on_the_chunk() -> None:
    positions = torch.arange(40).expand(2, 3, 40)
    whole = Random(seed=5).score(None, positions)
    parts = [Random(seed=5).score(None, positions[..., a : a + 8]) for a in range(0, 40, 8)]
    assert torch.equal(whole, torch.cat(parts, dim=-1))
    assert not torch.equal(whole, Random(seed=6).score(None, positions))
    assert not torch.equal(whole[0], whole[1])
    assert abs(whole.mean().item() - 0.5) < 0.1


def test_parameters_that_cannot_be_are_refused() -> None:
    for bad in (
        {"budget": 0},
        {"chunk": 0},
        {"stabilizers": 9},
        {"sinks": -1},
        {"stabilizers": 6, "sinks": 4},
        {"tail": 9},
        {"newest": 7, "sinks": 2},
        {"newest": -1},
    ):
        with pytest.raises(ValueError, match=r"at least|negative|exceed"):
            Selection(**{"budget": 8, "chunk": 4, "stabilizers": 2, **bad})
    with pytest.raises(ValueError, match="retaining heads"):
        Locret().score(None, torch.zeros(1, 1, 1))
