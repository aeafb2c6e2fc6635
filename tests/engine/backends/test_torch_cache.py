"""The cache of the torch runtime: nothing drifts, nothing is left of what was evicted, it comes back bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from engine.backends.base import AbortedError, LayerState
from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_cache import Rotation, UnitLayer
from engine.backends.torch_model import Placement
from engine.locret.heads import RetainingHeads
from engine.locret.policies import Locret
from engine.locret.reading import Reader
from engine.locret.selection import Selection
from engine.target import Dtype
from tests.engine.backends import tiny_folder
from tests.engine.backends.buffers import bytes_held
from tests.engine.backends.samples import random_slots
from tests.engine.backends.tiny_folder import HEAD_DIM, KV_HEADS, LAYERS, VOCABULARY, WIDTH

DTYPES: tuple[Dtype, ...] = ("float32", "bfloat16", "float16")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder.write(tmp_path_factory.mktemp("models") / "llama")


def some_tokens(count: int, seed: int = 7) -> list[int]:
    return torch.randint(3, VOCABULARY, (count,), generator=torch.Generator().manual_seed(seed)).tolist()


def open_torch(path: Path, dtype: Dtype = "float32", **options: Any) -> TorchBackend:
    return TorchBackend(path, **{"n_ctx": 512, "placement": Placement("cpu", dtype), **options})


def test_after_forty_evictions_a_bf16_key_is_its_original_rotated_once() -> None:
    """Within half a unit in the last place of the exact rotation in float64: one rounding, however often it moved."""
    rotation = Rotation(10000.0 ** -(torch.arange(8) / 8), 1.0, 256, 256, torch.device("cpu"))
    layer = UnitLayer(256, grows=False, rotation=rotation)
    generator = torch.Generator().manual_seed(0)
    original = torch.randn(1, 2, 256, 16, generator=generator).bfloat16()
    layer.update(original, original)
    origin = torch.arange(256).expand(2, -1)
    for eviction in range(40):
        slots = random_slots(1, 2, layer.length, layer.length - 5, seed=eviction)[0]
        layer.keep(slots, compact=True)
        origin = origin.gather(1, slots)
    once = _rotated_once(original[0].gather(1, origin[..., None].expand(-1, -1, 16)))
    turned = layer.update(original[:, :, :0], original[:, :, :0])[0][0].double()
    assert layer.length == 56
    assert float((origin - torch.arange(56)).max()) > 150
    spacing = torch.finfo(torch.bfloat16).eps * 2.0 ** once.abs().clamp_min(1e-30).log2().floor()
    assert float(((turned - once).abs() / spacing).max()) <= 0.5 + 1e-3


def _rotated_once(keys: Tensor) -> Tensor:
    """keys: (kv_heads, n, 16). Complex float64 arithmetic, independent of the code under test."""
    pairs = torch.complex(keys[..., :8].double(), keys[..., 8:].double())
    angles = torch.arange(keys.shape[1], dtype=torch.float64).outer(10000.0 ** -(torch.arange(8).double() / 8))
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([turned.real, turned.imag], dim=-1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_state_comes_back_bit_for_bit(folder: Path, dtype: Dtype) -> None:
    backend, other = open_torch(folder, dtype), open_torch(folder, dtype)
    tokens = some_tokens(120)
    backend.forward(tokens[:100])
    backend.keep(random_slots(LAYERS, KV_HEADS, 100, 40))
    other.import_state(backend.export_state())
    assert other.length == 40
    backend.forward(tokens[100:])
    other.forward(tokens[100:])
    assert torch.equal(backend.logits(), other.logits())
    assert _same(backend.export_state(), other.export_state())


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_was_evicted_has_no_part_in_what_follows(folder: Path, dtype: Dtype) -> None:
    backend = open_torch(folder, dtype)
    tokens = some_tokens(120)
    backend.forward(tokens[:100])
    true_state, slots = list(backend.export_state()), random_slots(LAYERS, KV_HEADS, 100, 30)
    noise = np.random.default_rng(3)

    def continued(state: list[LayerState]) -> Tensor:
        backend.import_state(state)
        backend.keep(slots)
        backend.forward(tokens[100:])
        return backend.logits()

    replaced = [_replace_evicted(layer, slots[index].numpy(), noise) for index, layer in enumerate(true_state)]
    assert torch.equal(continued(true_state), continued(replaced))


def _replace_evicted(layer: LayerState, slots: np.ndarray, noise: np.random.Generator) -> LayerState:
    keys, values = (rows[noise.permutation(len(rows))] for rows in (layer.keys, layer.values))
    for head, kept in enumerate(slots):
        columns = slice(head * HEAD_DIM, head * HEAD_DIM + HEAD_DIM)
        keys[kept, columns], values[kept, columns] = layer.keys[kept, columns], layer.values[kept, columns]
    return LayerState(keys, values)


def test_the_memory_behind_the_kept_units_is_zero(folder: Path) -> None:
    backend = open_torch(folder)
    backend.forward(some_tokens(100))
    backend.keep(random_slots(LAYERS, KV_HEADS, 100, 30))
    for layer in backend._cache.units:
        for buffer in (layer._keys, layer._values, layer._turned):
            assert buffer[:, :30].any(dim=-1).all() and not buffer[:, 30:].any()
    backend.clear()
    assert not any(layer._keys.any() or layer._turned.any() for layer in backend._cache.units)


@pytest.mark.parametrize("call", ["first layer", "second layer", "second piece"])
def test_a_stopped_forward_leaves_the_cache_as_it_was(folder: Path, call: str) -> None:
    left = [10**9]

    def abort() -> bool:
        left[0] -= 1
        return left[0] < 0

    torch.manual_seed(1)
    heads = RetainingHeads(LAYERS, WIDTH, 8, KV_HEADS).requires_grad_(False)
    backend = open_torch(folder, abort=abort, heads=heads, n_batch=40)
    undisturbed = open_torch(folder, heads=heads, n_batch=40)
    tokens = some_tokens(150)
    backend.forward(tokens[:50])
    before = list(backend.export_state())
    left[0] = {"first layer": 0, "second layer": 1, "second piece": LAYERS + 1}[call]
    with pytest.raises(AbortedError):
        backend.forward(tokens[50:])
    assert backend.length == 50 and _same(before, backend.export_state())
    left[0] = 10**9
    scores = backend.forward(tokens[50:])
    undisturbed.forward(tokens[:50])
    assert torch.equal(_present(scores), _present(undisturbed.forward(tokens[50:])))
    assert _same(backend.export_state(), undisturbed.export_state())


def test_a_full_cache_grows_as_it_is_needed(folder: Path) -> None:
    backend = open_torch(folder, grows=True, n_ctx=4000, n_batch=100)
    backend.forward(some_tokens(50))
    small = bytes_held(backend)
    backend.forward(some_tokens(1500))
    assert bytes_held(backend) > small
    with pytest.raises(ValueError, match="do not fit"):
        backend.forward(some_tokens(2451))
    fixed = open_torch(folder, n_ctx=4000, n_batch=100)
    fixed.forward(some_tokens(50))
    fixed.forward(some_tokens(1500))
    assert torch.equal(fixed.logits(), backend.logits())
    fixed.import_state(backend.export_state())
    assert _same(fixed.export_state(), backend.export_state())


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_reading_is_the_same_however_it_was_interrupted(folder: Path, dtype: Dtype) -> None:
    """Evictions, then a state stored and taken up by another process's backend: the same units, the same logits."""
    torch.manual_seed(1)
    heads = RetainingHeads(LAYERS, WIDTH, 8, KV_HEADS).requires_grad_(False)
    tokens, selection = some_tokens(400), Selection(64, 48, 16, 4, turn=64)
    whole = Reader(open_torch(folder, dtype, heads=heads), Locret(), selection)
    for _ in whole.read(tokens):
        pass
    first = Reader(open_torch(folder, dtype, heads=heads), Locret(), selection)
    done = 0
    for done in first.read(tokens):
        if done > 200:
            break
    second = Reader(open_torch(folder, dtype, heads=heads), Locret(), selection)
    second.backend.import_state(first.backend.export_state())  # type: ignore[attr-defined]
    second.units, second.tokens_read = first.units, first.tokens_read
    for _ in second.read(tokens, start=done):
        pass
    assert torch.equal(whole.units.positions, second.units.positions)
    assert torch.equal(whole.units.scores, second.units.scores)
    whole.append(some_tokens(3)), second.append(some_tokens(3))
    assert torch.equal(_logits(whole), _logits(second))


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
def test_impossible_slots_are_refused(folder: Path, slots: Tensor) -> None:
    backend = open_torch(folder)
    backend.forward(some_tokens(10))
    with pytest.raises(ValueError, match="slots"):
        backend.keep(slots)
    assert backend.length == 10


def test_a_state_of_another_precision_is_refused(folder: Path) -> None:
    backend, other = open_torch(folder, "bfloat16"), open_torch(folder, "float16")
    backend.forward(some_tokens(10))
    with pytest.raises(ValueError, match="precision"):
        other.import_state(backend.export_state())


def _same(first: Iterable[LayerState], second: Iterable[LayerState]) -> bool:
    return all(
        np.array_equal(a.keys, b.keys) and np.array_equal(a.values, b.values)
        for a, b in zip(first, second, strict=True)
    )


def _present(scores: Tensor | None) -> Tensor:
    assert scores is not None
    return scores


def _logits(reader: Reader) -> Tensor:
    logits: Callable[[], Tensor] = reader.backend.logits  # type: ignore[attr-defined]
    return logits()
