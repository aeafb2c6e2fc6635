"""The planner, over random models and targets: a promise that never exceeds the budget, and a refusal that names the
least that works.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import torch_memory
from engine.budget import LEAST_UNITS, MB, STEP, Plan, Target, budget_for, least_mb, most_units, plan, selection_for
from engine.config_shape import estimated_parameters
from engine.model_shape import ModelShape
from engine.target import LLAMA_CPP, TORCH_CPU

STARTER = ModelShape(
    Path("m.gguf"), "m", "llama", 30, 9, 3, 64, 8192, 98_000_000, 576, 1536, 49152, 134_515_008, tied=True
)
LLAMA_8B = ModelShape(
    Path("l"), "l", "llama", 32, 32, 8, 128, 131072, 16_060_000_000, 4096, 14336, 128256, 8_030_261_248
)
CUDA = Target("torch", "cuda", "bfloat16")
LONGEST_REFUSED = 1791


@st.composite
def shapes(draw: st.DrawFn) -> ModelShape:
    kv_heads, group, tied = draw(st.integers(1, 16)), draw(st.integers(1, 8)), draw(st.booleans())
    shape = ModelShape(
        path=Path("model"),
        name="Any Model",
        architecture="llama",
        layers=draw(st.integers(1, 80)),
        heads=kv_heads * group,
        kv_heads=kv_heads,
        head_dim=draw(st.sampled_from([32, 64, 80, 96, 128, 256])),
        context=draw(st.integers(LONGEST_REFUSED + 1, 200_000)),
        file_bytes=draw(st.integers(1, 200 * 10**9)),
        hidden=draw(st.integers(64, 8192)),
        feed_forward=draw(st.integers(64, 30_000)),
        vocabulary=draw(st.integers(100, 260_000)),
        parameters=1,
        tied=tied,
    )
    return replace(shape, parameters=estimated_parameters(shape))


torch_targets = st.builds(
    Target,
    runtime=st.just("torch"),
    device=st.sampled_from(["cpu", "cuda", "mps"]),
    dtype=st.sampled_from(["float32", "bfloat16", "float16"]),
    weight_bits=st.sampled_from([16, 8, 4]),
    head_hidden=st.sampled_from([64, 256, 1024]),
)
targets = st.one_of(st.just(LLAMA_CPP), torch_targets)
shares = st.floats(0, 2.3)


def budget(shape: ModelShape, target: Target, share: float) -> int:
    """Below 1 a share of what holds all layers and the least units, else a share of what buys everything."""
    if share < 1:
        return int(share * budget_for(shape, target, LEAST_UNITS))
    return int((share - 1) * budget_for(shape, target, most_units(shape, target)))


@given(shapes(), targets, shares)
def test_a_plan_keeps_within_its_budget_or_refuses(shape: ModelShape, target: Target, share: float) -> None:
    size = budget(shape, target, share)
    bought = plan(shape, target, size)
    assert bought.total_mb == pytest.approx(bought.model_mb + bought.cache_mb + bought.other_mb)
    assert bought.other_mb == pytest.approx(bought.activations_mb + bought.program_mb)
    if bought.ok:
        assert bought.total_mb <= bought.budget_mb == size / MB
        assert bought.message is None
    else:
        assert bought.budget_mb < bought.minimum_mb
        assert f" {bought.minimum_mb} MB" in (bought.message or "")
        assert bought.units == LEAST_UNITS


@given(shapes(), targets, shares, shares)
def test_more_memory_never_buys_less(shape: ModelShape, target: Target, share: float, more: float) -> None:
    size = budget(shape, target, share)
    less, greater = plan(shape, target, size), plan(shape, target, size + budget(shape, target, more))
    assert greater.units >= less.units
    assert greater.layers_on_device >= less.layers_on_device
    assert greater.ok >= less.ok


@given(shapes(), targets)
def test_the_least_that_a_refusal_names_works_and_one_mb_less_does_not(shape: ModelShape, target: Target) -> None:
    least = plan(shape, target, 0).minimum_mb
    assert plan(shape, target, int(least * MB)).ok
    assert not plan(shape, target, int((least - 1) * MB)).ok


@given(shapes(), targets, st.floats(0, 1))
def test_the_budget_for_a_number_of_units_buys_them_and_a_byte_less_does_not(
    shape: ModelShape, target: Target, share: float
) -> None:
    """It may buy more: where loading takes more than reading, some numbers of units cost the same."""
    steps = (most_units(shape, target) - LEAST_UNITS) // STEP
    units = LEAST_UNITS + round(share * steps) * STEP
    size = budget_for(shape, target, units)
    bought, less = plan(shape, target, size), plan(shape, target, size - 1)
    assert bought.ok and bought.units >= units and bought.layers_on_device == shape.layers
    assert bought.total_mb * MB == pytest.approx(size)
    assert budget_for(shape, target, bought.units) == size
    assert less.units < units or less.layers_on_device < shape.layers or not less.ok


@given(shapes(), targets)
def test_the_most_that_can_be_bought_is_bought_by_the_maximum(shape: ModelShape, target: Target) -> None:
    most = plan(shape, target, int(plan(shape, target, 0).maximum_mb * MB))
    assert most.units == most_units(shape, target) == plan(shape, target, 10**15).units


@given(shapes(), targets, shares)
def test_slots_never_pass_what_the_model_can_attend_to(shape: ModelShape, target: Target, share: float) -> None:
    bought = plan(shape, target, budget(shape, target, share))
    assert selection_for(bought.units, target).capacity <= shape.context


@given(targets, st.integers(1, 3000).map(lambda steps: steps * STEP))
def test_what_is_protected_fits_among_the_units(target: Target, units: int) -> None:
    selection = selection_for(units, target)
    assert selection.stabilizers + selection.sinks <= units
    assert max(selection.tail, selection.newest) + selection.sinks <= units
    assert selection.chunk % 512 == 0 and 512 <= selection.chunk <= 3072


@given(shapes(), torch_targets, shares)
def test_only_a_graphics_card_holds_a_part_of_the_layers(shape: ModelShape, target: Target, share: float) -> None:
    bought = plan(shape, target, budget(shape, target, share))
    if target.device != "cuda":
        assert bought.layers_on_device == bought.layers
    elif bought.layers_on_device < bought.layers:
        assert bought.units == LEAST_UNITS
    assert (bought.runtime, bought.device, bought.dtype) == (target.runtime, target.device, target.dtype)


@pytest.mark.parametrize("target", [TORCH_CPU, CUDA])
def test_a_context_that_holds_no_reading_is_refused_with_the_reason(target: Target) -> None:
    short = replace(LLAMA_8B, context=LONGEST_REFUSED, window=LONGEST_REFUSED)
    bought = plan(short, target, 10**12)
    assert not bought.ok and "1,791 tokens" in (bought.message or "")
    assert plan(replace(short, context=LONGEST_REFUSED + 1), target, 10**12).ok


@pytest.mark.parametrize(
    ("budget_mb", "units", "total_mb"),
    [(604, 256, 603.156), (666, 1536, 663.982), (700, 2240, 697.436), (5000, 6656, 907.284)],
)
def test_llama_cpp_buys_what_it_always_did(budget_mb: int, units: int, total_mb: float) -> None:
    """Stored readings are found by their parameters, so these must not move."""
    bought = plan(STARTER, LLAMA_CPP, budget_mb * MB)
    assert (bought.units, bought.chunk, bought.stabilizers) == (units, 512, min(units, 512) // 4)
    assert bought.total_mb == pytest.approx(total_mb, abs=0.001)
    selection = selection_for(units)
    assert selection == selection_for(units, TORCH_CPU)
    assert (selection.sinks, selection.tail, selection.turn, selection.local) == (
        4,
        selection.stabilizers // 2,
        1536,
        100,
    )


def test_a_model_larger_than_the_card_is_streamed_before_it_is_refused() -> None:
    def on_card(size_gb: float) -> Plan:
        return plan(LLAMA_8B, CUDA, int(size_gb * 1e9))

    assert not on_card(3).ok
    half, whole = on_card(12), on_card(24)
    assert 0 < half.layers_on_device < 32 and half.units == LEAST_UNITS
    assert whole.layers_on_device == 32 and whole.units > 1024
    assert plan(LLAMA_8B, replace(CUDA, weight_bits=4), 12 * 10**9).layers_on_device == 32


def test_chunks_grow_with_the_units_where_a_device_takes_them_whole() -> None:
    assert [selection_for(units, CUDA).chunk for units in (256, 2048, 3072, 6000, 6144, 16384)] == [
        512,
        1024,
        1536,
        2560,
        3072,
        3072,
    ]


def test_weights_take_what_their_bits_say() -> None:
    embeddings = 2 * 128256 * 4096 * 2
    heads = torch_memory.head_bytes(LLAMA_8B, CUDA)
    linear = LLAMA_8B.parameters - 2 * 128256 * 4096
    for bits, each in ((16, 2), (8, 1), (4, 0.5625)):
        weights = torch_memory.weight_bytes(LLAMA_8B, replace(CUDA, weight_bits=bits), 32)
        assert weights == pytest.approx(embeddings + heads + linear * each)
    assert torch_memory.embedding_bytes(replace(LLAMA_8B, tied=True), CUDA) == embeddings / 2


def test_llama_cpp_runs_on_processors_alone() -> None:
    with pytest.raises(ValueError, match="cpu"):
        Target("llama.cpp", "cuda", "float16")


def test_a_number_of_mb_holds_the_bytes() -> None:
    assert [least_mb(size) for size in (0, 1, MB, MB + 1)] == [0, 1, 1, 2]


def test_packed_layers_are_never_streamed() -> None:
    """bitsandbytes packs on the card, so what does not fit there is refused."""
    for bits in (8, 4):
        target = replace(CUDA, weight_bits=bits)
        least = budget_for(LLAMA_8B, target, LEAST_UNITS)
        assert plan(LLAMA_8B, target, least).layers_on_device == 32
        assert not plan(LLAMA_8B, target, least - MB).ok


def test_a_budget_larger_than_the_card_is_refused() -> None:
    card = replace(CUDA, device_bytes=24 * 10**9)
    assert plan(LLAMA_8B, card, 24 * 10**9).ok
    refused = plan(LLAMA_8B, card, 25 * 10**9)
    assert not refused.ok and "24000 MB" in (refused.message or "")
    assert refused.maximum_mb == 24000
