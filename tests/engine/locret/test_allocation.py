"""Budgets that differ by head: the total is exact, what is protected stays in every head, and no head is starved."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine.locret.eviction import SAFEGUARD, STEEPNESS, kept_slots, pyramid_shares
from engine.locret.reading import Units
from engine.locret.selection import Allocation, Selection

LAYERS, KV_HEADS = 3, 2
UNEVEN: tuple[Allocation, ...] = ("pyramid", "layer", "model")


def read(selection: Selection, chunks: list[int], protected: int, longest: int, seed: int) -> Units:
    """Units after an eviction behind each chunk; the scores of some heads are far above those of others."""
    generator = torch.Generator().manual_seed(seed)
    lifted = 4 * torch.randn(LAYERS, KV_HEADS, 1, generator=generator)
    units, begin = Units.none(LAYERS, KV_HEADS), 0
    for chunk in chunks:
        scores = torch.randn(LAYERS, KV_HEADS, chunk, generator=generator) + lifted
        units.append(scores, torch.arange(begin, begin + chunk).expand(LAYERS, KV_HEADS, -1))
        begin += chunk
        if begin > selection.budget:
            before = units.positions
            slots = kept_slots(units.scores, before, selection, protected, longest)
            check(slots, before, selection, protected, longest)
            units.keep(slots)
    return units


def check(slots: Tensor, before: Tensor, selection: Selection, protected: int, longest: int) -> None:
    there = slots >= 0
    kept = there.sum(dim=-1)
    assert int(kept.sum()) == selection.budget * LAYERS * KV_HEADS
    assert kept.max() == slots.shape[-1] <= longest
    assert (there == (torch.arange(slots.shape[-1]) >= (slots.shape[-1] - kept)[..., None])).all(), "aligned at the end"
    assert ((slots.diff(dim=-1) > 0) | (slots[..., :-1] < 0)).all()
    for head_slots, head_before in zip(slots.flatten(0, 1), before.flatten(0, 1), strict=True):
        chosen = set(head_slots[head_slots >= 0].tolist())
        assert all(head_before[slot] >= 0 for slot in chosen), "padding is no unit"
        last = {s for s in range(len(head_before) - protected, len(head_before)) if head_before[s] >= 0}
        first = {s for s, position in enumerate(head_before.tolist()) if 0 <= position < selection.sinks}
        assert last | first <= chosen
        least = 1 if selection.allocation == "pyramid" else max(1, int(SAFEGUARD * selection.budget))
        assert len(chosen) >= min(least, int((head_before >= 0).sum()))


@settings(max_examples=40, deadline=None)
@given(
    allocation=st.sampled_from(UNEVEN),
    budget=st.integers(9, 40),
    protected=st.integers(0, 6),
    sinks=st.integers(0, 3),
    longest=st.integers(0, 80),
    chunks=st.lists(st.integers(1, 24), min_size=1, max_size=8),
    seed=st.integers(0, 999),
)
def test_the_total_is_exact_and_what_is_protected_stays(
    allocation: Allocation, budget: int, protected: int, sinks: int, longest: int, chunks: list[int], seed: int
) -> None:
    selection = Selection(budget, 24, protected, sinks, allocation=allocation)
    units = read(selection, [25, *chunks], protected, budget + longest, seed)
    assert (units.positions[units.scores == -torch.inf] == -1).all()
    assert (units.slots >= 0).sum() == (units.positions >= 0).sum()


@pytest.mark.parametrize("allocation", ["layer", "model"])
def test_the_best_units_are_kept_wherever_they_are(allocation: Allocation) -> None:
    scores = torch.zeros(2, 2, 40)
    scores[0, 0], scores[0, 1], scores[1] = torch.arange(40.0) + 100, torch.arange(40.0), torch.arange(40.0) + 200
    positions = torch.arange(40).expand(2, 2, -1)
    slots = kept_slots(scores, positions, Selection(20, 20, 0, allocation=allocation), 0, 100)
    kept = (slots >= 0).sum(dim=-1)
    safe = int(SAFEGUARD * 20)
    assert kept.tolist() == ([[36, safe], [20, 20]] if allocation == "layer" else [[safe, safe], [36, 36]])
    assert slots[0, 1, -safe:].tolist() == [36, 37, 38, 39]


def test_a_pyramid_falls_from_layer_to_layer_around_its_mean() -> None:
    selection = Selection(110, 100, 6, sinks=4, allocation="pyramid")
    shares = pyramid_shares(selection, 6, [1000] * 11)
    assert sum(shares) == 110 * 11
    assert shares[0] == 10 + 2 * 100 - 100 // STEEPNESS and shares[-1] == 10 + 100 // STEEPNESS
    assert {begin - end for begin, end in pairwise(shares)} == {19}


def test_what_a_layer_cannot_fill_goes_to_the_others() -> None:
    selection = Selection(110, 100, 6, sinks=4, allocation="pyramid")
    shares = pyramid_shares(selection, 6, [150] * 11)
    assert sum(shares) == 110 * 11 and shares[0] == 150 and max(shares) == 150
    assert shares == sorted(shares, reverse=True)
    assert pyramid_shares(selection, 6, [150]) == [110]


def test_no_head_outgrows_what_positions_and_notes_allow() -> None:
    selection = Selection(256, 512, 64, turn=1536, allocation="model")
    assert selection.longest(8192) == 8 * 256
    assert selection.longest(2500) == 2500 - 1536
    assert selection.longest(1000) == 256
