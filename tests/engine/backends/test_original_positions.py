"""Units that stay where they were read: what is evicted is masked, and nothing else changes, on either runtime."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn.functional import cosine_similarity

from engine.backends.base import LayerState, Runtime
from engine.backends.llama_cpp import LlamaCppBackend
from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_model import Placement
from engine.locret.heads import from_state_dict
from engine.locret.policies import Locret
from engine.locret.reading import Reader
from engine.locret.selection import Selection
from tests.engine.backends import tiny_gguf
from tests.engine.backends.reference_folder import write_folder
from tests.engine.backends.samples import random_slots, some_tokens
from tests.engine.backends.tiny_gguf import KV_HEADS, LAYERS
from tests.engine.locret.test_reading_reference import FOLDER
from tests.engine.reference_llama import ReferenceLlama, rotate

TOKENS = 240


class MaskedLlama(ReferenceLlama):
    """One pass of the full cache in which `visible`, bool (layers, kv_heads, n, n), says what a token sees."""

    visible: Tensor

    def _attend(self, layer: int, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n, theta, group = len(q), self.config["rope_theta"], self.heads // self.kv_heads
        query = rotate(q.view(n, self.heads, -1).transpose(0, 1), torch.arange(n), theta)
        keys, values = (x.view(n, self.kv_heads, -1).transpose(0, 1) for x in (k, v))
        mixed = torch.nn.functional.scaled_dot_product_attention(
            query,
            rotate(keys, torch.arange(n), theta).repeat_interleave(group, dim=0),
            values.repeat_interleave(group, dim=0),
            attn_mask=self.visible[layer].repeat_interleave(group, dim=0),
        )
        return mixed.transpose(0, 1).reshape(n, -1), keys, values


@pytest.fixture(scope="module")
def description() -> dict:
    return json.loads((FOLDER / "public_a.json").read_text())


@pytest.fixture(scope="module")
def weights() -> dict[str, Tensor]:
    return load_file(FOLDER / "public_a.model.safetensors")


def opened(folder: Path, description: dict, weights: dict[str, Tensor]) -> TorchBackend:
    return TorchBackend(
        write_folder(folder, description["model"], weights),
        n_ctx=300,
        heads=from_state_dict(weights),
        placement=Placement("cpu", "float32"),
    )


def test_read_in_chunks_with_nothing_evicted_it_is_the_full_cache(
    tmp_path: Path, description: dict, weights: dict[str, Tensor]
) -> None:
    tokens = torch.randint(3, 300, (TOKENS,), generator=torch.Generator().manual_seed(3)).tolist()
    reader = Reader(opened(tmp_path, description, weights), Locret(), Selection(256, 40, 10, turn=40, rope="original"))
    for _ in reader.read(tokens):
        pass
    one_pass = ReferenceLlama(weights, description["model"])
    one_pass.forward(tokens)
    torch.testing.assert_close(reader.backend.logits(), one_pass.last_logits, atol=1e-3, rtol=0)  # type: ignore[attr-defined]


def test_what_is_evicted_is_as_if_masked_in_one_pass_of_the_full_cache(
    tmp_path: Path, description: dict, weights: dict[str, Tensor]
) -> None:
    tokens = torch.randint(3, 300, (TOKENS,), generator=torch.Generator().manual_seed(3)).tolist()
    selection = Selection(64, 40, 10, sinks=2, turn=40, rope="original")
    reader = Reader(opened(tmp_path, description, weights), Locret(), selection)
    one_pass = MaskedLlama(weights, description["model"])
    visible = torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril().repeat(one_pass.layers, one_pass.kv_heads, 1, 1)
    for done in reader.read(tokens):
        kept = torch.zeros(one_pass.layers, one_pass.kv_heads, done, dtype=torch.bool)
        kept.scatter_(-1, reader.units.positions.long(), value=True)
        visible[..., done:, :done] &= kept[:, :, None]
    assert reader.backend.position == TOKENS and reader.backend.length == 64
    one_pass.visible = visible
    one_pass.forward(tokens)
    torch.testing.assert_close(reader.backend.logits(), one_pass.last_logits, atol=1e-3, rtol=0)  # type: ignore[attr-defined]


def far_apart(path: Path) -> tuple[TorchBackend, LlamaCppBackend]:
    """Both runtimes of one file whose context is many times the cells."""
    path = tiny_gguf.write(path / "tiny.gguf", "llama", context=4096).path
    return (
        TorchBackend(path, n_ctx=256, placement=Placement("cpu", "float32")),
        LlamaCppBackend(path, n_ctx=256, n_batch=64, threads=2),
    )


def read_far(backend: Runtime) -> None:
    """To position 2,000 in 256 cells, then some more."""
    tokens = some_tokens(2040)
    for start in range(0, 2000, 100):
        backend.forward(tokens[start : start + 100])
        if backend.length > 60:
            others = 4 + random_slots(LAYERS, KV_HEADS, backend.length - 4, 56, seed=start)
            sinks = torch.arange(4).expand(LAYERS, KV_HEADS, -1)
            backend.keep(torch.cat([sinks, others], dim=-1), compact=False)
    backend.forward(tokens[2000:])


def test_positions_beyond_the_cells_are_alike_on_both_runtimes_and_so_is_what_becomes_of_them(tmp_path: Path) -> None:
    runtimes = far_apart(tmp_path)
    for backend in runtimes:
        read_far(backend)
        assert (backend.length, backend.position, backend.position_limit) == (100, 2040, 4096)
    assert cosine_similarity(runtimes[0].logits(), runtimes[1].logits(), dim=0) > 0.9995
    for backend in runtimes:
        backend.keep(torch.arange(100).expand(LAYERS, KV_HEADS, -1), compact=True)
        assert backend.length == backend.position == 100
        backend.forward(some_tokens(30, seed=8))
    assert cosine_similarity(runtimes[0].logits(), runtimes[1].logits(), dim=0) > 0.9995
    for backend in runtimes:
        backend.close()


def test_compacted_they_are_turned_back_to_their_slots(tmp_path: Path) -> None:
    """By 1,900 positions and more, in cells for 256: no further off than by one slot after the other."""
    _, backend = far_apart(tmp_path)
    read_far(backend)
    before, places = list(backend.export_state()), np.stack([layer.positions for layer in backend.export_state()])
    backend.keep(torch.arange(100).expand(LAYERS, KV_HEADS, -1), compact=True)
    frequencies = tiny_gguf.BASE ** (-np.arange(0, tiny_gguf.HEAD_DIM, 2) / tiny_gguf.HEAD_DIM)
    for layer, after in enumerate(backend.export_state()):
        for head in range(KV_HEADS):
            columns = slice(head * tiny_gguf.HEAD_DIM, (head + 1) * tiny_gguf.HEAD_DIM)
            moved = (np.arange(100) - places[layer, head])[:, None] * frequencies
            exact = before[layer].keys[:, columns].astype(np.float64).view(np.complex128) * np.exp(1j * moved)
            assert np.allclose(after.keys[:, columns], exact.view(np.float64), rtol=2**-10, atol=2**-10)
    assert np.ptp(places) > 1900
    backend.close()


@pytest.mark.parametrize("runtime", [0, 1], ids=["torch", "llama.cpp"])
def test_a_state_comes_back_bit_for_bit_where_it_stood(tmp_path: Path, runtime: int) -> None:
    backend = far_apart(tmp_path)[runtime]
    read_far(backend)
    state = [LayerState(s.keys.copy(), s.values.copy(), s.positions, s.next_position) for s in backend.export_state()]
    ends = []
    for restored in (False, True):
        if restored:
            backend.clear()
            backend.import_state(iter(state))
            assert (backend.length, backend.position) == (100, 2040)
        backend.forward(some_tokens(30, seed=8))
        backend.keep(torch.arange(5, 125).expand(LAYERS, KV_HEADS, -1), compact=False)
        backend.forward(some_tokens(20, seed=9))
        backend.keep(torch.arange(2, 140).expand(LAYERS, KV_HEADS, -1), compact=True)
        backend.forward(some_tokens(10, seed=9))
        ends.append((backend.logits(), list(backend.export_state())))
    assert torch.equal(ends[0][0], ends[1][0]) and _same(ends[0][1], ends[1][1])
    backend.clear()
    assert backend.position == 0
    backend.close()


@pytest.mark.parametrize("runtime", [0, 1], ids=["torch", "llama.cpp"])
def test_a_forward_that_fails_leaves_the_units_where_they_stood(
    tmp_path: Path, runtime: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = far_apart(tmp_path)[runtime]
    read_far(backend)
    before = list(backend.export_state())

    def stop() -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(backend if runtime == 0 else backend._context, "_abort", stop)
        with pytest.raises(KeyboardInterrupt):
            backend.forward(some_tokens(90))
    assert (backend.length, backend.position) == (100, 2040)
    assert _same(before, backend.export_state())
    backend.forward([5])
    assert (backend.length, backend.position) == (101, 2041)
    backend.close()


def test_the_positions_that_a_model_knows(tmp_path: Path) -> None:
    """longrope's short factors hold for the original context; a window that llama.cpp passes over still counts."""
    longrope = tiny_gguf.write(tmp_path / "longrope.gguf", "phi3", context=512, rope="factors").path
    window = tiny_gguf.write(tmp_path / "window.gguf", "phi3", context=512, window=128).path
    plain = tiny_gguf.write(tmp_path / "plain.gguf", "llama", context=512, rope="factors").path
    for path, cells, limit in ((longrope, 256, 256), (longrope, 512, 512), (window, 128, 128), (plain, 256, 512)):
        backend = LlamaCppBackend(path, n_ctx=cells, threads=1)
        assert backend.eviction_refusal is None and backend.position_limit == limit
        backend.close()
    assert TorchBackend(window, n_ctx=128).position_limit == 128


def _same(first: Iterable[LayerState], second: Iterable[LayerState]) -> bool:
    return all(
        np.array_equal(a.keys, b.keys)
        and np.array_equal(a.values, b.values)
        and np.array_equal(a.positions, b.positions)
        and a.next_position == b.next_position
        for a, b in zip(first, second, strict=True)
    )
