"""The backend on the starter model's weights against torch on the same: scores, and logits after evictions."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.nn.functional import cosine_similarity

from engine.locret.heads import RetainingHeads
from tests.engine.backends.conftest import OpenBackend
from tests.engine.backends.samples import passage_tokens, random_slots
from tests.engine.backends.torch_llama import TorchLlama


@pytest.mark.parametrize("compact", [True, False], ids=["slots", "original positions"])
def test_scores_and_logits_after_evictions_agree_with_torch(
    open_backend: OpenBackend, unquantised_model: Path, starter_heads: RetainingHeads, compact: bool
) -> None:
    backend, reference = open_backend(unquantised_model, heads=starter_heads), TorchLlama(unquantised_model)
    tokens = passage_tokens(backend, 256)
    scores = backend.forward(tokens[:160])
    reference.forward(tokens[:160])
    expected = torch.stack([starter_heads.score(layer, f) for layer, f in enumerate(reference.features)])
    assert scores is not None and scores.shape == (30, 3, 160)
    assert cosine_similarity(scores, expected, dim=-1).min() > 0.9999
    for kept, piece, seed in ((70, tokens[160:220], 1), (90, tokens[220:], 2)):
        slots = random_slots(30, 3, backend.length, kept, seed)
        backend.keep(slots, compact)
        reference.keep(slots, compact)
        assert backend.position == reference.position
        backend.forward(piece)
        assert cosine_similarity(backend.logits(), reference.forward(piece), dim=0) >= 0.9995


def test_as_shipped_eviction_adds_nothing_to_the_quantisations_error(
    open_backend: OpenBackend, starter_model: Path
) -> None:
    """llama.cpp quantises activations for a quantised file, so even its full cache differs from torch, by 0.0001 to
    0.01 of the cosine from place to place.
    """
    backend, reference = open_backend(starter_model), TorchLlama(starter_model)
    tokens = passage_tokens(backend, 256)

    def agreement(begin: int) -> float:
        pieces = [tokens[start : start + 16] for start in range(begin, 256, 16)]
        return sum(agree(piece) for piece in pieces) / len(pieces)

    def agree(piece: list[int]) -> float:
        backend.forward(piece)
        return float(cosine_similarity(backend.logits(), reference.forward(piece), dim=0))

    full = agreement(0)
    backend.clear()
    reference.clear()
    agree(tokens[:160])
    slots = random_slots(30, 3, 160, 70)
    backend.keep(slots)
    reference.keep(slots)
    assert full > 0.998
    assert agreement(160) > full - 0.0005


def test_text_and_control_tokens(open_backend: OpenBackend, starter_model: Path) -> None:
    backend = open_backend(starter_model)
    text = "Ends here.<|im_end|> Füße, 東京"
    as_text, as_control = backend.tokenize(text, special=False), backend.tokenize(text, special=True)
    assert b"".join(map(backend.token_bytes, as_text)).decode() == text
    assert not backend.end_tokens & set(as_text) and len(backend.end_tokens & set(as_control)) == 1
    (end,) = backend.tokenize("<|im_end|>", special=True)
    assert end in backend.end_tokens and backend.token_bytes(end) == b""
    assert backend.tokenize("", special=False) == []
    assert backend.chat_template is not None and "<|im_start|>" in backend.chat_template


def test_the_shape_is_the_files(open_backend: OpenBackend, starter_model: Path) -> None:
    backend = open_backend(starter_model)
    shape = (backend.layers, backend.heads, backend.kv_heads, backend.head_dim)
    assert shape == (30, 9, 3, 64)
    assert (backend.architecture, backend.context_length, backend.capacity) == ("llama", 8192, 512)
    assert 0.9 < backend.model_bytes / starter_model.stat().st_size < 1
    backend.forward([5, 6, 7])
    assert backend.cache_bytes == 3 * 30 * 3 * 64 * 2 * 2
