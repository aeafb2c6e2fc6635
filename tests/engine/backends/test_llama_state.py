"""The bytes of llama.cpp's state: what is written is read, and what is not ours to evict is refused."""

from __future__ import annotations

import struct

import pytest
import torch

from engine.backends.llama_state import StateLayoutError, blank, compact, parse


def _filled() -> torch.Tensor:
    state = blank(layers=2, cells=3, width=8)
    state.keys.copy_(torch.arange(48).view(2, 3, 8))
    state.values.copy_(100 + torch.arange(48).view(2, 3, 8))
    return state.buffer


def test_what_is_written_is_read() -> None:
    state = parse(_filled())
    assert torch.equal(state.keys, torch.arange(48).view(2, 3, 8).half())
    assert torch.equal(state.values, 100 + torch.arange(48).view(2, 3, 8).half())


@pytest.mark.parametrize("cells", [1, 2, 3])
def test_compacting_reads_every_row_before_it_is_overwritten(cells: int) -> None:
    new = compact(
        parse(_filled()), cells, keys=lambda _, rows: rows.flip(0)[:cells], values=lambda _, rows: rows[-cells:].clone()
    )
    again = parse(new.buffer)
    assert torch.equal(again.keys, torch.arange(48).view(2, 3, 8).half().flip(1)[:, :cells])
    assert torch.equal(again.values, (100 + torch.arange(48)).view(2, 3, 8).half()[:, -cells:])


def test_compacting_to_more_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="4 cells"):
        compact(parse(_filled()), 4, keys=lambda _, rows: rows, values=lambda _, rows: rows)


CELLS_END = 16 + 3 * 12


@pytest.mark.parametrize(
    ("offset", "form", "value", "reason"),
    [
        (0, "<I", 1, "another layout"),
        (8, "<I", 2, "2 streams"),
        (12, "<I", 10_000, "ends early"),
        (16 + 12, "<i", 5, "not one sequence"),
        (CELLS_END, "<I", 1, "transposed"),
        (CELLS_END + 4, "<I", 3, "ends early|not float16|differ"),
        (CELLS_END + 8, "<i", 8, "not float16"),
        (CELLS_END + 8 + 12 + 48 + 4, "<Q", 32, "differ in width"),
    ],
    ids=["magic", "streams", "cells", "positions", "transposed", "layers", "quantised", "widths"],
)
def test_other_states_are_refused(offset: int, form: str, value: int, reason: str) -> None:
    buffer = _filled()
    struct.pack_into(form, buffer.numpy(), offset, value)
    with pytest.raises(StateLayoutError, match=reason):
        parse(buffer)


def test_a_second_cache_behind_the_first_is_refused() -> None:
    with pytest.raises(StateLayoutError, match="more than one"):
        parse(torch.cat([_filled(), torch.zeros(16, dtype=torch.uint8)]))
    with pytest.raises(StateLayoutError, match="ends early"):
        parse(_filled()[:10])
