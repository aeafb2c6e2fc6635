"""The backbone that heads are trained on is the model that llama.cpp runs, and its branches are what they seem."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine.backends.llama_cpp import LlamaCppBackend
from engine.training.backbone import Backbone
from engine.training.gguf_llama import UnsupportedModelError, read_llama
from tests.engine.backends import tiny_gguf

TOKENS = torch.randint(0, tiny_gguf.VOCABULARY, (40,), generator=torch.Generator().manual_seed(3)).tolist()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gguf.write(tmp_path_factory.mktemp("models") / "tiny.gguf", "llama").path


@pytest.fixture(scope="module")
def backbone(model: Path) -> Backbone:
    return Backbone(read_llama(model, torch.float32))


def test_its_logits_are_llama_cpps(model: Path, backbone: Backbone) -> None:
    runtime = LlamaCppBackend(model, n_ctx=128)
    runtime.forward(TOKENS)
    expected = runtime.logits()
    runtime.close()
    ours = backbone.logits(TOKENS)[-1]
    assert torch.cosine_similarity(ours, expected, dim=0) > 0.9999


def test_a_branch_is_what_comes_after_the_context(backbone: Backbone) -> None:
    context, first, second = TOKENS[:20], TOKENS[20:26], TOKENS[26:30]
    branched = list(backbone.layers(context, [first, second]))
    for branch, begin in ((first, 0), (second, len(first))):
        straight = list(backbone.layers([*context, *branch], []))
        for layer, alone in zip(branched, straight, strict=True):
            assert torch.allclose(layer.features, alone.features[: len(context)], atol=1e-5)
            assert torch.allclose(layer.keys, alone.keys[:, : len(context)], atol=1e-5)
        # what the branch asks is seen in the layer after it: its queries there depend on all that it attended to
        both = list(backbone.layers(context, [branch]))
        end = begin + len(branch)
        for layer, alone in zip(branched, both, strict=True):
            assert torch.allclose(layer.queries[:, begin:end], alone.queries, atol=1e-5)


def test_a_branchs_queries_are_those_of_the_whole_text(backbone: Backbone) -> None:
    shape = backbone.shape
    queries = shape.heads * shape.head_dim
    for layer, whole in zip(backbone.layers(TOKENS[:30], [TOKENS[30:]]), backbone.layers(TOKENS, []), strict=True):
        rotated_norms = layer.queries.norm(dim=-1)
        unrotated_norms = whole.features[30:, :queries].view(10, shape.heads, shape.head_dim).norm(dim=-1).T
        assert torch.allclose(rotated_norms, unrotated_norms, atol=1e-4)


def test_other_architectures_are_refused_by_name(tmp_path: Path) -> None:
    for architecture, rope, word in (("qwen2", "plain", "qwen2"), ("llama", "factors", "RoPE")):
        path = tiny_gguf.write(tmp_path / f"{architecture}.gguf", architecture, rope=rope).path
        with pytest.raises(UnsupportedModelError, match=word):
            read_llama(path, torch.float32)
