"""A reading stopped, stored, restored in a new process and continued is, bit for bit, the reading in one piece."""

from __future__ import annotations

import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.backends.base import LayerState
from engine.backends.llama_cpp import LlamaCppBackend
from tests.engine.backends.conftest import OpenBackend
from tests.engine.backends.continue_reading import arrays, open_and_read, read_chunk
from tests.engine.backends.samples import passage_tokens, some_tokens
from tests.engine.backends.tiny_gguf import LAYERS, TinyModel


def test_restored_in_a_new_process_it_goes_on_bit_for_bit(starter_model: Path, tmp_path: Path) -> None:
    whole = open_and_read(starter_model, 0)
    expected = arrays(whole)
    whole.clear()
    tokens = passage_tokens(whole, 256)
    for start in (0, 64):
        read_chunk(whole, tokens[start : start + 64], seed=start)
    np.savez(tmp_path / "state.npz", begin=128, **arrays(whole))
    whole.close()
    program = [sys.executable, "-m", "tests.engine.backends.continue_reading"]
    files = [str(starter_model), str(tmp_path / "state.npz"), str(tmp_path / "result.npz")]
    subprocess.run([*program, *files], check=True, cwd=Path(__file__).parents[3])
    with np.load(tmp_path / "result.npz") as result:
        for name, array in expected.items():
            assert np.array_equal(result[name], array), name


def test_an_empty_cache_and_a_cleared_one_can_be_stored(open_backend: OpenBackend, tiny_llama: TinyModel) -> None:
    backend = open_backend(tiny_llama.path)
    empty = backend.export_state()
    assert len(empty) == LAYERS and empty[0].keys.shape == (0, 64) and empty[0].keys.dtype == np.float16
    backend.forward(some_tokens(9))
    assert [layer.keys.shape for layer in backend.export_state()] == [(9, 64)] * LAYERS
    backend.import_state(empty)
    assert backend.length == backend.cache_bytes == 0
    backend.forward(some_tokens(9))
    backend.clear()
    assert backend.length == 0 and backend.export_state()[0].keys.shape == (0, 64)


def test_another_models_state_is_refused(open_backend: OpenBackend, tiny_llama: TinyModel) -> None:
    backend: LlamaCppBackend = open_backend(tiny_llama.path)
    backend.forward(some_tokens(9))
    state = backend.export_state()
    for wrong in ([], state[:1], [*state, state[0]], [LayerState(s.keys[:, :32], s.values[:, :32]) for s in state]):
        with pytest.raises(ValueError, match="not of this model"):
            backend.import_state(wrong)
    assert backend.length == 9


def test_a_state_is_taken_a_layer_at_a_time(open_backend: OpenBackend, tiny_llama: TinyModel) -> None:
    backend: LlamaCppBackend = open_backend(tiny_llama.path)
    backend.forward(some_tokens(9))
    state = backend.export_state()
    held: list[weakref.ref[LayerState]] = []

    def layers(broken: bool = False) -> Iterator[LayerState]:
        for layer in state:
            assert all(earlier() is None for earlier in held)
            if broken and held:
                raise OSError("the disk is gone")
            held.append(weakref.ref(copy := LayerState(layer.keys, layer.values)))
            yield copy
            del copy

    backend.import_state(layers())
    assert len(held) == LAYERS
    for before, after in zip(state, backend.export_state(), strict=True):
        assert np.array_equal(before.keys, after.keys) and np.array_equal(before.values, after.values)
    held.clear()
    with pytest.raises(OSError, match="gone"):
        backend.import_state(layers(broken=True))
    assert backend.length == 9
