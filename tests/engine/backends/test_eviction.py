"""What an eviction does to the cache, and what is left of an evicted unit: nothing. On a tiny random model."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import torch

from engine.backends import ggml
from engine.backends.base import LayerState
from engine.locret.heads import RetainingHeads
from tests.engine.backends.conftest import OpenBackend
from tests.engine.backends.samples import random_slots, some_tokens
from tests.engine.backends.tiny_gguf import BASE, HEAD_DIM, HEADS, KV_HEADS, LAYERS, TinyModel


def test_an_eviction_that_moves_nothing_changes_no_bit(open_backend: OpenBackend, tiny_llama: TinyModel) -> None:
    backend = open_backend(tiny_llama.path)
    backend.forward(some_tokens(50))
    before = backend.export_state()
    backend.keep(torch.arange(30).expand(LAYERS, KV_HEADS, -1))
    for old, new in zip(before, backend.export_state(), strict=True):
        assert np.array_equal(old.keys[:30], new.keys) and np.array_equal(old.values[:30], new.values)


def test_what_was_evicted_has_no_part_in_what_follows(open_backend: OpenBackend, tiny_llama: TinyModel) -> None:
    """The same logits, bit for bit, whether the evicted units were the passage's or noise."""
    backend = open_backend(tiny_llama.path)
    tokens = some_tokens(120)
    backend.forward(tokens[:100])
    true_state = backend.export_state()
    slots = random_slots(LAYERS, KV_HEADS, 100, 30)
    noise = np.random.default_rng(3)

    def continued(state: list[LayerState]) -> torch.Tensor:
        backend.import_state(state)
        backend.keep(slots)
        backend.forward(tokens[100:])
        return backend.logits()

    replaced = [_replace_evicted(layer, slots[index].numpy(), noise) for index, layer in enumerate(true_state)]
    assert not np.array_equal(replaced[0].values, true_state[0].values)
    assert torch.equal(continued(true_state), continued(replaced))


def _replace_evicted(layer: LayerState, slots: np.ndarray, noise: np.random.Generator) -> LayerState:
    keys, values = (noise.standard_normal(layer.keys.shape).astype(np.float16) for _ in range(2))
    for head, kept in enumerate(slots):
        columns = slice(head * HEAD_DIM, head * HEAD_DIM + HEAD_DIM)
        keys[kept, columns], values[kept, columns] = layer.keys[kept, columns], layer.values[kept, columns]
    return LayerState(keys, values)


class CacheFinder:
    """Notes where llama.cpp keeps the whole cache of layer 0, from the graph's own nodes."""

    def __init__(self) -> None:
        self.tensors: dict[bytes, int] = {}

    def wants(self, address: int) -> bool:
        base = ggml.at(address).view_src
        if base and ggml.at(base).name in (b"cache_k_l0", b"cache_v_l0"):
            self.tensors[ggml.at(base).name] = base
        return False

    def take(self, address: int) -> None:
        raise AssertionError("nothing was wanted")

    def finish(self) -> None: ...

    def drop(self) -> None: ...


def test_the_memory_behind_the_kept_units_is_zero(open_backend: OpenBackend, tiny_llama: TinyModel) -> None:
    heads = RetainingHeads(LAYERS, (HEADS + 2 * KV_HEADS) * HEAD_DIM, 8, KV_HEADS)
    backend = open_backend(tiny_llama.path, heads=heads)
    finder = CacheFinder()
    backend._context.observer, backend._scorer = finder, None
    backend.forward(some_tokens(100))
    assert len(finder.tensors) == 2
    assert all(_rows(address)[:100].any(axis=1).all() for address in finder.tensors.values())
    backend.keep(random_slots(LAYERS, KV_HEADS, 100, 30))
    for address in finder.tensors.values():
        assert _rows(address)[:30].any(axis=1).all() and not _rows(address)[30:].any()
    backend.clear()
    assert not any(_rows(address).any() for address in finder.tensors.values())


def _rows(address: int) -> np.ndarray:
    tensor = ggml.at(address)
    memory = (ctypes.c_uint16 * (tensor.ne[0] * tensor.ne[1])).from_address(tensor.data)
    return np.frombuffer(memory, np.uint16).reshape(tensor.ne[1], tensor.ne[0])


def test_the_error_of_forty_evictions_grows_with_their_root_only(
    open_backend: OpenBackend, tiny_llama: TinyModel
) -> None:
    """Rounded to the nearest, a unit that moves two slots forty times would be 0.4 % off."""
    backend = open_backend(tiny_llama.path)
    tokens = some_tokens(200)
    backend.forward(tokens)
    first = backend.export_state()
    for _ in range(40):
        kept = torch.arange(2, backend.length)
        backend.keep(kept.expand(LAYERS, KV_HEADS, -1))
    frequencies = np.tile(BASE ** (-np.arange(0, HEAD_DIM, 2) / HEAD_DIM), KV_HEADS)
    error = 0.0
    for before, after in zip(first, backend.export_state(), strict=True):
        exact = before.keys[80:].astype(np.float64).view(np.complex128) * np.exp(-80j * frequencies)
        drift = np.linalg.norm(after.keys - exact.view(np.float64)) / np.linalg.norm(exact)
        error = max(error, float(drift))
    assert error < 40**0.5 * 2**-11


@pytest.mark.parametrize(
    "slots",
    [
        torch.zeros(LAYERS, KV_HEADS, 0, dtype=torch.int64),
        torch.arange(5).expand(LAYERS, KV_HEADS + 1, -1),
        torch.arange(11).expand(LAYERS, KV_HEADS, -1),
        torch.tensor([3, 2]).expand(LAYERS, KV_HEADS, -1),
    ],
    ids=["none", "shape", "beyond", "order"],
)
def test_impossible_slots_are_refused(open_backend: OpenBackend, tiny_llama: TinyModel, slots: torch.Tensor) -> None:
    backend = open_backend(tiny_llama.path)
    backend.forward(list(range(100, 110)))
    with pytest.raises(ValueError, match="slots"):
        backend.keep(slots)
    assert backend.length == 10


def test_reading_beyond_the_capacity_is_refused(open_backend: OpenBackend, tiny_llama: TinyModel) -> None:
    backend = open_backend(tiny_llama.path, n_ctx=256)
    with pytest.raises(ValueError, match="do not fit 256"):
        backend.forward([5] * 257)
    with pytest.raises(ValueError, match="no tokens"):
        backend.forward([])
    assert backend.length == 0
