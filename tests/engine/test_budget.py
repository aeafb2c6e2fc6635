"""The planner: a promise that never exceeds the budget, and a refusal that names the least that works."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engine.budget import budget_for, most_units, plan, selection_for
from engine.model_shape import ModelShape

SHAPE = ModelShape(
    Path("m.gguf"), "m", "llama", 30, 9, 3, 64, 8192, 98_000_000, 576, 1536, 49152, 134_515_008, tied=True
)


@given(st.floats(1, 5000))
def test_a_plan_keeps_within_its_budget_or_refuses(budget: float) -> None:
    bought = plan(SHAPE, budget)
    if bought.ok:
        assert bought.total_mb <= budget
        assert bought.message is None
    else:
        assert budget < bought.minimum_mb
        assert f"{bought.minimum_mb}" in (bought.message or "")


@given(st.floats(1, 5000), st.floats(0, 500))
def test_more_memory_never_buys_fewer_units(budget: float, more: float) -> None:
    assert plan(SHAPE, budget + more).units >= plan(SHAPE, budget).units


@given(st.integers(4, 104))
def test_the_budget_for_a_number_of_units_buys_them(steps: int) -> None:
    units = steps * 64
    assert plan(SHAPE, budget_for(SHAPE, units)).units == units


def test_slots_never_pass_the_positions_that_the_model_knows() -> None:
    assert selection_for(most_units(SHAPE)).capacity <= SHAPE.context
