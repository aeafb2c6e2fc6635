"""Fair rounding: to a neighbour, right on average, and always the same."""

from __future__ import annotations

import torch

from engine.backends.fair_rounding import FairRounding


def test_values_go_to_a_neighbour_and_are_right_on_average() -> None:
    torch.manual_seed(0)
    exact = torch.randn(2000, 1, 1).expand(-1, 3, 64) + torch.linspace(1e-5, 2e-5, 64)
    rounded = FairRounding(2000, 64)(exact.clone())
    error = rounded.double() - exact
    step = 2.0 ** (exact.abs().log2().floor() - 10).double()
    assert rounded.dtype == torch.float16
    assert ((error.abs() / step) < 1).all()
    assert (error / step).mean().abs() < 0.01


def test_what_float16_holds_keeps_its_bits_and_the_choice_is_always_the_same() -> None:
    torch.manual_seed(1)
    values = torch.randn(50, 2, 16)
    held = values.half()
    assert torch.equal(FairRounding(50, 16)(held.float()), held)
    assert torch.equal(FairRounding(50, 16)(values.clone()), FairRounding(80, 16)(values.clone()))
