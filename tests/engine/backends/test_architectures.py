"""Tiny random models of each kind: features as they leave the projections, keys turned as the model turns them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import linear, rms_norm

from engine.backends import llama_cpp as backend_module
from engine.backends import rope_check
from engine.backends.llama_cpp import LlamaCppBackend
from engine.backends.rope import Rope
from engine.backends.rope_check import EvictionRefusedError
from engine.errors import UserError
from engine.locret.heads import RetainingHeads
from tests.engine.backends import tiny_gguf
from tests.engine.backends.conftest import OpenBackend
from tests.engine.backends.samples import random_slots, some_tokens
from tests.engine.backends.tiny_gguf import EPSILON, HEAD_DIM, HEADS, KV_HEADS, LAYERS, TinyModel

QUERIES, KEYS = HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM
PAIRS = torch.arange(0, HEAD_DIM, 2, dtype=torch.float64)
PLAIN = tiny_gguf.BASE ** (-PAIRS / HEAD_DIM)
CONTEXT = 512


def _yarn() -> Tensor:
    """YaRN (arXiv 2309.00071, section 3.2) at factor 4, ramp between 32 and 1 turns in the original context."""
    turns = CONTEXT // 4 * PLAIN / (2 * torch.pi)
    pair = torch.arange(HEAD_DIM // 2)
    fast = np.floor(_pair_of_turns(32))
    slow = np.ceil(_pair_of_turns(1))
    kept = 1 - ((pair - max(fast, 0)) / (min(slow, HEAD_DIM - 1) - max(fast, 0))).clamp(0, 1)
    assert turns.diff().max() < 0
    return PLAIN * kept + PLAIN / 4 * (1 - kept)


def _pair_of_turns(turns: float) -> float:
    return float(HEAD_DIM * np.log(CONTEXT // 4 / (turns * 2 * np.pi)) / (2 * np.log(tiny_gguf.BASE)))


KINDS = {
    "llama": ("llama", "plain", CONTEXT, PLAIN),
    "llama-3": ("llama", "factors", CONTEXT, PLAIN / torch.linspace(1, 8, HEAD_DIM // 2)),
    "qwen2": ("qwen2", "plain", CONTEXT, PLAIN),
    "qwen2-yarn": ("qwen2", "yarn", CONTEXT, _yarn()),
    "qwen3": ("qwen3", "plain", CONTEXT, PLAIN),
    "phi3": ("phi3", "plain", CONTEXT, PLAIN),
    "phi3-long": ("phi3", "factors", CONTEXT, PLAIN / torch.linspace(1, 30, HEAD_DIM // 2)),
    "phi3-short": ("phi3", "factors", CONTEXT // 2, PLAIN / torch.linspace(1, 2, HEAD_DIM // 2)),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def model(kind: str, tmp_path: Path) -> TinyModel:
    architecture, rope, _, _ = KINDS[kind]
    return tiny_gguf.write(tmp_path / f"{kind}.gguf", architecture, CONTEXT, rope)


def test_keys_are_turned_to_their_slots_and_values_left(kind: str, model: TinyModel, open_backend: OpenBackend) -> None:
    _, _, cells, frequencies = KINDS[kind]
    backend = open_backend(model.path, n_ctx=cells)
    assert backend.eviction_refusal is None
    backend.forward(some_tokens(100))
    before = backend.export_state()
    slots = random_slots(LAYERS, KV_HEADS, 100, 40)
    backend.keep(slots)
    for layer, after in enumerate(backend.export_state()):
        for head in range(KV_HEADS):
            columns, rows = slice(head * HEAD_DIM, (head + 1) * HEAD_DIM), slots[layer, head]
            angles = (torch.arange(40) - rows)[:, None] * frequencies
            turned = _turn(before[layer].keys[rows, columns], angles, neighbours=kind.startswith("llama"))
            assert np.allclose(after.keys[:, columns], turned, rtol=2**-10, atol=2**-10)
            assert np.array_equal(after.values[:, columns], before[layer].values[rows, columns])


def _turn(keys: np.ndarray, angles: Tensor, neighbours: bool) -> np.ndarray:
    """keys: (n, head_dim) as complex numbers, multiplied by e^(i angle)."""
    order = np.arange(HEAD_DIM).reshape(-1, 2) if neighbours else np.arange(HEAD_DIM).reshape(2, -1).T
    pairs = keys.astype(np.float64)[:, order]
    product = (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(1j * angles.numpy())
    turned = np.empty_like(keys, dtype=np.float64)
    turned[:, order[:, 0]], turned[:, order[:, 1]] = product.real, product.imag
    return turned


def test_scores_come_from_the_features_in_the_checkpoints_order(
    kind: str, model: TinyModel, open_backend: OpenBackend
) -> None:
    torch.manual_seed(3)
    heads = RetainingHeads(LAYERS, QUERIES + 2 * KEYS, 16, KV_HEADS).requires_grad_(False)
    backend = open_backend(model.path, heads=heads, n_batch=24)
    tokens = some_tokens(41)
    scores = [backend.forward(tokens[:40]), backend.forward(tokens[40:])]
    assert scores[0] is not None and scores[0].shape == (LAYERS, KV_HEADS, 40)
    features = _first_features(kind, model, tokens)
    ours = torch.cat([s for s in scores if s is not None], dim=-1)[0]
    assert torch.allclose(ours, heads.score(0, features), atol=2e-4)


def _first_features(kind: str, model: TinyModel, tokens: list[int]) -> Tensor:
    """concat(Q, K, V) of layer 0 as a checkpoint's projections give it: (n, width)."""
    weights = {name: torch.from_numpy(values) for name, values in model.tensors.items()}
    embedded = weights["token_embd.weight"][tokens]
    normed = rms_norm(embedded, embedded.shape[-1:], weights["blk.0.attn_norm.weight"], EPSILON)
    if "blk.0.attn_qkv.weight" in weights:
        return linear(normed, weights["blk.0.attn_qkv.weight"])
    parts = []
    for name in "qkv":
        part = linear(normed, weights[f"blk.0.attn_{name}.weight"], weights.get(f"blk.0.attn_{name}.bias"))
        if kind.startswith("llama") and name != "v":
            part = part.view(len(tokens), -1, HEAD_DIM // 2, 2).transpose(2, 3).flatten(1)
        parts.append(part)
    return torch.cat(parts, dim=-1)


def test_sliding_windows_are_refused_and_read_with_the_full_cache(tmp_path: Path, open_backend: OpenBackend) -> None:
    backend = open_backend(tiny_gguf.write(tmp_path / "gemma2.gguf", "gemma2").path)
    assert backend.eviction_refusal is not None and "sliding-window" in backend.eviction_refusal
    _reads_but_keeps_nothing(backend)


def test_unknown_frequencies_are_refused(
    tiny_llama: TinyModel, open_backend: OpenBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Rope, "frequencies", lambda rope: PLAIN * 1.001)
    backend = open_backend(tiny_llama.path)
    assert backend.eviction_refusal is not None and "full cache" in backend.eviction_refusal
    _reads_but_keeps_nothing(backend)


def test_another_state_layout_is_refused(
    tiny_llama: TinyModel, open_backend: OpenBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parse(buffer: Tensor) -> None:
        raise rope_check.StateLayoutError("its keys and values are not float16")

    monkeypatch.setattr(rope_check, "parse", parse)
    backend = open_backend(tiny_llama.path)
    assert backend.eviction_refusal == "This model's cache cannot be evicted: its keys and values are not float16."


def _reads_but_keeps_nothing(backend: LlamaCppBackend) -> None:
    backend.forward(some_tokens(30))
    assert backend.length == 30 and backend.logits().isfinite().all()
    with pytest.raises(EvictionRefusedError, match="cache"):
        backend.keep(torch.arange(10).expand(LAYERS, KV_HEADS, -1))
    assert backend.length == 30


def test_heads_for_an_unknown_order_of_rows_are_refused(
    tiny_llama: TinyModel, open_backend: OpenBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend_module, "_INTERLEAVED_ROWS", frozenset())
    heads = RetainingHeads(LAYERS, QUERIES + 2 * KEYS, 8, KV_HEADS)
    assert open_backend(tiny_llama.path, heads=heads).eviction_refusal is not None
    assert open_backend(tiny_llama.path).eviction_refusal is None


def test_heads_of_another_shape_are_refused(tiny_llama: TinyModel, open_backend: OpenBackend) -> None:
    with pytest.raises(UserError, match="another shape"):
        open_backend(tiny_llama.path, heads=RetainingHeads(LAYERS, 8, 8, KV_HEADS))
