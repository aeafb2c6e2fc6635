"""A running forward stops at once when asked to, and the reading goes on from where it was."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.backends.base import AbortedError, LayerState
from engine.backends.head_scorer import HeadScorer
from engine.locret.heads import RetainingHeads
from tests.engine.backends.conftest import OpenBackend
from tests.engine.backends.samples import some_tokens
from tests.engine.backends.tiny_gguf import HEAD_DIM, HEADS, KV_HEADS, LAYERS, TinyModel


def _same(first: list[LayerState], second: list[LayerState]) -> bool:
    return all(
        np.array_equal(a.keys, b.keys) and np.array_equal(a.values, b.values)
        for a, b in zip(first, second, strict=True)
    )


def test_a_stopped_forward_leaves_the_cache_as_it_was(open_backend: OpenBackend, tiny_llama: TinyModel) -> None:
    calls_left = [10**9]

    def abort() -> bool:
        calls_left[0] -= 1
        return calls_left[0] < 0

    heads = RetainingHeads(LAYERS, (HEADS + 2 * KV_HEADS) * HEAD_DIM, 8, KV_HEADS).requires_grad_(False)
    backend = open_backend(tiny_llama.path, abort=abort, heads=heads, n_batch=32)
    tokens = some_tokens(150)
    backend.forward(tokens[:50])
    before = backend.export_state()
    used = 10**9 - calls_left[0]
    for allowed in (0, 1, used // 2, 3 * used // 2):
        calls_left[0] = allowed
        with pytest.raises(AbortedError):
            backend.forward(tokens[50:])
        assert backend.length == 50 and _same(before, backend.export_state())
    calls_left[0] = 10**9
    scores = backend.forward(tokens[50:])
    undisturbed = open_backend(tiny_llama.path, heads=heads, n_batch=32)
    undisturbed.forward(tokens[:50])
    expected = undisturbed.forward(tokens[50:])
    assert scores is not None and expected is not None and bool((scores == expected).all())
    assert _same(backend.export_state(), undisturbed.export_state())


def test_an_error_while_scoring_is_raised_and_undone(open_backend: OpenBackend, tiny_llama: TinyModel) -> None:
    heads = RetainingHeads(LAYERS, (HEADS + 2 * KV_HEADS) * HEAD_DIM, 8, KV_HEADS).requires_grad_(False)
    backend = open_backend(tiny_llama.path, heads=heads)
    assert backend._scorer is not None
    take, backend._scorer.take = backend._scorer.take, _fail
    with pytest.raises(ZeroDivisionError):
        backend.forward(some_tokens(20))
    backend._scorer.take = take
    assert backend.length == 0
    assert backend.forward(some_tokens(20)) is not None


def test_what_was_scored_before_a_stop_is_forgotten() -> None:
    heads = RetainingHeads(2, 12, 4, 3).requires_grad_(False)
    scorer, tokens = HeadScorer(heads, None), torch.ones(20, 12)
    for length in (20, 3):
        scorer.take(0, tokens)
        scorer.drop()
        for layer in range(2):
            scorer.take(layer, tokens[:length])
        assert scorer.finish().shape == (2, 3, length)


def _fail(layer: int, features: object) -> None:
    raise ZeroDivisionError


def test_the_starter_model_stops_within_half_a_second(open_backend: OpenBackend, starter_model: Path) -> None:
    asked = threading.Event()
    backend = open_backend(starter_model, abort=asked.is_set, n_ctx=1024)
    stopped_at: list[float] = []

    def stop() -> None:
        asked.set()
        stopped_at.append(time.monotonic())

    timer = threading.Timer(0.3, stop)
    timer.start()
    with pytest.raises(AbortedError):
        backend.forward([100] * 1000)
    assert time.monotonic() - stopped_at[0] < 0.5
    timer.join()
