"""What the planner promises for torch, against what reading takes: within it, near it, and flat in length."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from engine import torch_memory
from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_model import Placement
from engine.budget import selection_for
from engine.locret.heads import RetainingHeads
from engine.locret.policies import Locret
from engine.locret.reading import Reader
from engine.locret.selection import Allocation
from engine.model_shape import read_shape
from engine.target import Device, Dtype, Memory, Target
from tests.engine.backends import tiny_folder
from tests.engine.backends.buffers import bytes_held
from tests.engine.memory_meter import MemoryMeter

UNITS, HEAD_HIDDEN = 512, 64
LENGTHS = (2_048, 8_192, 32_768)
LARGER = {
    "hidden_size": 128,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "max_position_embeddings": 8192,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder.write(tmp_path_factory.mktemp("models") / "larger", **LARGER)


def promise(folder: Path, device: Device, dtype: Dtype, allocation: Allocation = "uniform") -> tuple[Target, Memory]:
    target, shape = Target("torch", device, dtype, 16, HEAD_HIDDEN, allocation=allocation), read_shape(folder)
    return target, torch_memory.memory(shape, target, selection_for(UNITS, target), shape.layers)


def read(folder: Path, target: Target, tokens: int, peak: Callable[[Callable[[], None]], int]) -> tuple[int, int]:
    """Reads that many tokens, takes a turn and answers; the bytes of the cache, and the peak beside it."""
    shape, selection = read_shape(folder), selection_for(UNITS, target)
    heads = RetainingHeads(shape.layers, shape.feature_width, HEAD_HIDDEN, shape.kv_heads).requires_grad_(False)
    placement = Placement(target.device, target.dtype)
    batch = selection.chunk if target.whole_chunks else torch_memory.PIECE
    backend = TorchBackend(
        folder,
        n_ctx=selection.capacity,
        n_batch=batch,
        heads=heads,
        placement=placement,
        ragged=target.allocation != "uniform",
    )
    reader = Reader(backend, Locret(), selection)

    def work() -> None:
        for _ in reader.read(torch.randint(3, 300, (tokens,)).tolist()):
            pass
        reader.make_room(1500)
        reader.append([5] * 500)
        for _ in range(3):
            backend.logits()
            reader.append([7])

    taken = peak(work)
    cache = bytes_held(backend)
    assert backend.length <= selection.capacity
    backend.close()
    return cache, taken - cache


def on_processor(work: Callable[[], None]) -> int:
    with MemoryMeter() as meter:
        work()
    return meter.peak


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_reading_on_the_processor_takes_what_was_promised_however_long(folder: Path, dtype: Dtype) -> None:
    target, promised = promise(folder, "cpu", dtype)
    taken = {tokens: read(folder, target, tokens, on_processor) for tokens in LENGTHS}
    for tokens, (cache, working) in taken.items():
        assert cache <= promised.cache, tokens
        assert working <= forward_and_eviction(folder, target) <= promised.activations, tokens
    assert taken[LENGTHS[-1]][0] == taken[LENGTHS[0]][0]
    assert taken[LENGTHS[-1]][1] <= 1.05 * taken[LENGTHS[0]][1]
    assert forward_and_eviction(folder, target) <= 3 * taken[LENGTHS[0]][1], "a promise that could not be broken"


@pytest.mark.parametrize("allocation", ["pyramid", "model"])
def test_budgets_that_differ_by_head_take_what_was_promised(folder: Path, allocation: Allocation) -> None:
    target, promised = promise(folder, "cpu", "float32", allocation)
    shape, selection = read_shape(folder), selection_for(UNITS, target)
    cache, working = read(folder, target, LENGTHS[0], on_processor)
    assert cache == selection.capacity * shape.layers * shape.kv_heads * shape.head_dim * 3 * 4
    assert cache + working <= promised.cache + promised.activations


def forward_and_eviction(folder: Path, target: Target) -> int:
    shape, selection = read_shape(folder), selection_for(UNITS, target)
    forward = torch_memory.forward_bytes(shape, target, selection)
    return forward + torch_memory.eviction_bytes(shape, target, selection)


def test_the_meter_sees_what_is_alive_and_nothing_else() -> None:
    with MemoryMeter() as meter:
        first = torch.zeros(1000)
        second = first + 1
        del first
        assert meter.live == 4000
        third = second.view(10, 100)
        del second
        assert meter.live == 4000
        del third
    assert (meter.live, meter.peak) == (0, 8000)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_reading_on_cuda_takes_what_was_promised_however_long(folder: Path, dtype: Dtype) -> None:
    target, promised = promise(folder, "cuda", dtype)

    def on_cuda(work: Callable[[], None]) -> int:
        torch.cuda.reset_peak_memory_stats()
        work()
        torch.cuda.synchronize()
        return torch.cuda.max_memory_allocated()

    taken = {tokens: read(folder, target, tokens, on_cuda) for tokens in LENGTHS}
    for tokens, (cache, beside) in taken.items():
        assert cache + beside <= promised.total, tokens
    assert sum(taken[LENGTHS[-1]]) <= 1.05 * sum(taken[LENGTHS[0]])
