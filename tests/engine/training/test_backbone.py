"""The backbone that heads are trained on is the model that transformers runs, and its branches are what they seem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AttentionInterface, AutoModelForCausalLM
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from engine.backends.llama_cpp import LlamaCppBackend
from engine.backends.torch_model import Placement
from engine.errors import UserError
from engine.training import branch_attention
from engine.training.backbone import Backbone, LayerFeatures
from tests.engine.backends import tiny_folder, tiny_gguf

TOKENS = torch.randint(3, tiny_gguf.VOCABULARY, (60,), generator=torch.Generator().manual_seed(3)).tolist()
CONTEXT, FIRST, SECOND = TOKENS[:40], TOKENS[40:46], TOKENS[46:60]
# longrope: transformers takes the short factors for a short input, the runtime the long ones.
KINDS = [kind for kind in tiny_folder.KINDS if kind != "phi3-longrope"]


def layers(backbone: Backbone, context: list[int], branches: list[list[int]]) -> list[LayerFeatures]:
    received: dict[int, LayerFeatures] = {}
    backbone.run(context, branches, received.__setitem__)
    return [received[layer] for layer in range(backbone.layers)]


@pytest.fixture(scope="module")
def backbone(tmp_path_factory: pytest.TempPathFactory) -> Backbone:
    return Backbone(tiny_folder.write(tmp_path_factory.mktemp("models") / "llama"))


def transformers_own(path: Path, tokens: list[int]) -> tuple[list[Tensor], list[Tensor], Tensor]:
    """Queries and keys after RoPE of every layer, (heads, n, d), and the last hidden states, by transformers alone."""
    queries: list[Tensor] = []
    keys: list[Tensor] = []

    def watched(module: Any, query: Tensor, key: Tensor, value: Tensor, *rest: Any, **more: Any) -> Any:
        queries.append(query[0])
        keys.append(key[0])
        return sdpa_attention_forward(module, query, key, value, None, is_causal=True, scaling=more.get("scaling"))

    AttentionInterface.register("watched", watched)
    model: Any = AutoModelForCausalLM.from_pretrained(path, attn_implementation="watched", dtype=torch.float32)
    with torch.no_grad():
        hidden = model.model(input_ids=torch.tensor([tokens]), use_cache=False).last_hidden_state[0]
    return queries, keys, hidden


@pytest.mark.parametrize("kind", KINDS)
def test_each_branch_is_what_transformers_computes_of_context_and_branch(kind: str, tmp_path: Path) -> None:
    path = tiny_folder.write(tmp_path / "model", kind)
    ours = Backbone(path)
    received: dict[int, LayerFeatures] = {}
    hidden = ours.run(CONTEXT, [FIRST, SECOND], received.__setitem__)
    begin = 0
    for branch in (FIRST, SECOND):
        queries, keys, expected = transformers_own(path, CONTEXT + branch)
        end = begin + len(branch)
        for layer in range(ours.layers):
            torch.testing.assert_close(received[layer].keys, keys[layer][:, : len(CONTEXT)], atol=1e-4, rtol=1e-4)
            found = received[layer].queries[:, begin:end]
            torch.testing.assert_close(found, queries[layer][:, len(CONTEXT) :], atol=1e-4, rtol=1e-4)
        after = len(CONTEXT) + begin
        torch.testing.assert_close(hidden[after : after + len(branch)], expected[len(CONTEXT) :], atol=1e-4, rtol=1e-3)
        begin = end


def test_features_are_the_projections_of_the_context_alone(backbone: Backbone, tmp_path: Path) -> None:
    model: Any = AutoModelForCausalLM.from_pretrained(tiny_folder.write(tmp_path / "model"), dtype=torch.float32)
    seen: dict[str, Tensor] = {}
    attention = model.model.layers[1].self_attn
    for name in ("q_proj", "k_proj", "v_proj"):
        projection = getattr(attention, name)
        projection.register_forward_hook(lambda _m, _i, output, name=name: seen.__setitem__(name, output[0]))
    with torch.no_grad():
        model.model(input_ids=torch.tensor([CONTEXT]), use_cache=False)
    expected = torch.cat([seen["q_proj"], seen["k_proj"], seen["v_proj"]], dim=-1)
    found = layers(backbone, CONTEXT, [FIRST])[1].features
    assert found.shape == (len(CONTEXT), backbone.feature_width)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


def test_branches_in_several_products_are_the_same(backbone: Backbone, monkeypatch: pytest.MonkeyPatch) -> None:
    together = layers(backbone, CONTEXT, [FIRST, SECOND, FIRST])
    monkeypatch.setattr(branch_attention, "_ROWS", 7)
    for layer, apart in zip(together, layers(backbone, CONTEXT, [FIRST, SECOND, FIRST]), strict=True):
        torch.testing.assert_close(layer.queries, apart.queries, atol=1e-5, rtol=1e-4)


def test_a_branch_is_kept_apart_from_the_others(backbone: Backbone) -> None:
    both, alone = layers(backbone, CONTEXT, [FIRST, SECOND]), layers(backbone, CONTEXT, [SECOND])
    for layer, single in zip(both, alone, strict=True):
        torch.testing.assert_close(layer.queries[:, len(FIRST) :], single.queries, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("architecture", ["llama", "qwen2", "qwen3", "phi3"])
def test_a_gguf_files_logits_are_llama_cpps(architecture: str, tmp_path: Path) -> None:
    path = tiny_gguf.write(tmp_path / "tiny.gguf", architecture).path
    runtime = LlamaCppBackend(path, n_ctx=128)
    runtime.forward(TOKENS)
    expected = runtime.logits()
    runtime.close()
    ours = Backbone(path)
    hidden = ours.run(TOKENS, [], lambda *_: None)
    assert torch.cosine_similarity(ours._model.unembed(hidden[-1]), expected, dim=0) > 0.9999
    ours.close()


def test_bfloat16_is_near_float32(backbone: Backbone, tmp_path: Path) -> None:
    rounded = Backbone(tiny_folder.write(tmp_path / "model"), Placement(dtype="bfloat16"))
    for layer, exact in zip(layers(rounded, CONTEXT, [FIRST]), layers(backbone, CONTEXT, [FIRST]), strict=True):
        assert layer.keys.dtype == torch.bfloat16
        assert torch.cosine_similarity(layer.keys.float().flatten(), exact.keys.flatten(), dim=0) > 0.99


def test_other_architectures_are_refused_by_name(tmp_path: Path) -> None:
    path = tiny_gguf.write(tmp_path / "gemma2.gguf", "gemma2").path
    with pytest.raises(UserError, match="gemma2"):
        Backbone(path)
