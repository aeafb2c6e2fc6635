"""After `rewind` a cache is what it was before the forgotten tokens: the same bits, and the same from then on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.backends.base import LayerState, Runtime
from engine.backends.llama_cpp import LlamaCppBackend
from engine.backends.torch_backend import TorchBackend
from tests.engine.backends import tiny_gguf
from tests.engine.backends.samples import random_slots, some_tokens
from tests.engine.backends.tiny_gguf import KV_HEADS, LAYERS

TOKENS, FORGOTTEN, FOLLOWING = some_tokens(60), some_tokens(20, seed=8), some_tokens(10, seed=9)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gguf.write(tmp_path_factory.mktemp("models") / "tiny.gguf", "llama").path


@pytest.fixture(params=["torch", "torch ragged", "llama.cpp"])
def runtime(request: pytest.FixtureRequest, path: Path) -> Iterator[Runtime]:
    """A forward is at most 16 tokens, so that those forgotten are two."""
    opened: Runtime
    if request.param == "llama.cpp":
        opened = LlamaCppBackend(path, n_ctx=256, n_batch=16)
    else:
        opened = TorchBackend(path, n_ctx=256, n_batch=16, ragged=request.param == "torch ragged")
    yield opened
    opened.close()


def exported(runtime: Runtime) -> list[LayerState]:
    """A copy that what is read afterwards does not change."""
    return [
        LayerState(layer.keys.copy(), layer.values.copy(), layer.positions, layer.next_position)
        for layer in runtime.export_state()
    ]


def read(runtime: Runtime, evicted: str) -> None:
    runtime.clear()
    runtime.forward(TOKENS[:40])
    if evicted != "nothing":
        runtime.keep(random_slots(LAYERS, KV_HEADS, 40, 25), compact=evicted == "compacted")
    runtime.forward(TOKENS[40:])


@pytest.mark.parametrize("evicted", ["nothing", "in place", "compacted"])
def test_what_was_forgotten_leaves_nothing_behind(runtime: Runtime, evicted: str) -> None:
    read(runtime, evicted)
    before, length, position = exported(runtime), runtime.length, runtime.position
    runtime.forward(FORGOTTEN)
    runtime.rewind(5)
    assert runtime.length == length + 15
    runtime.rewind(15)
    runtime.rewind(0)
    assert (runtime.length, runtime.position) == (length, position)
    for was, now in zip(before, exported(runtime), strict=True):
        assert np.array_equal(was.keys, now.keys) and np.array_equal(was.values, now.values)
        assert np.array_equal(was.positions, now.positions) and was.next_position == now.next_position
    runtime.forward(FOLLOWING)
    after = runtime.logits()
    read(runtime, evicted)
    runtime.forward(FOLLOWING)
    assert torch.equal(runtime.logits(), after)
