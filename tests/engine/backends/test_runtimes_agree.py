"""llama.cpp and torch on one GGUF file: the same logits, scores and tokens, whatever its architecture and rotation."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine.backends.llama_cpp import LlamaCppBackend
from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_model import Placement
from engine.locret.heads import RetainingHeads
from tests.engine.backends import tiny_gguf
from tests.engine.backends.samples import random_slots, some_tokens
from tests.engine.backends.tiny_gguf import HEAD_DIM, HEADS, KV_HEADS, LAYERS

KINDS = [
    ("llama", "plain"),
    ("llama", "factors"),
    ("llama", "yarn"),
    ("qwen2", "plain"),
    ("qwen2", "yarn"),
    ("qwen3", "plain"),
    ("phi3", "plain"),
    ("phi3", "factors"),
]


@pytest.mark.parametrize(("architecture", "rope"), KINDS)
def test_both_runtimes_read_a_file_alike(architecture: str, rope: str, tmp_path: Path) -> None:
    """float16 products and cache in one, float32 in the other: they differ by that and by nothing else."""
    path = tiny_gguf.write(tmp_path / "tiny.gguf", architecture, context=512, rope=rope).path
    torch.manual_seed(2)
    heads = RetainingHeads(LAYERS, (HEADS + 2 * KV_HEADS) * HEAD_DIM, 8, KV_HEADS).requires_grad_(False)
    ours = TorchBackend(path, n_ctx=512, heads=heads, placement=Placement("cpu", "float32"))
    theirs = LlamaCppBackend(path, n_ctx=512, heads=heads, threads=2)
    tokens = some_tokens(200)
    slots = random_slots(LAYERS, KV_HEADS, 150, 60)
    scores, logits = [], []
    for backend in (ours, theirs):
        scores.append(backend.forward(tokens[:150]))
        backend.keep(slots)
        backend.forward(tokens[150:])
        logits.append(backend.logits())
        backend.close()
    assert scores[0] is not None and scores[1] is not None
    torch.testing.assert_close(scores[0], scores[1], atol=0.02 * float(scores[1].std()), rtol=0)
    assert torch.nn.functional.cosine_similarity(*logits, dim=0) > 0.9995
