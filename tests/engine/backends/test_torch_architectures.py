"""Each architecture on torch: read in chunks it is what transformers computes in one pass, and features are its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from accelerate import cpu_offload
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F
from torch.nn.attention.bias import causal_lower_right
from transformers import AutoModelForCausalLM
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from engine.backends.torch_attention import in_blocks
from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_model import Placement, TorchModel
from engine.errors import UserError
from engine.locret.heads import RetainingHeads
from tests.engine.backends import tiny_folder, tiny_gguf
from tests.engine.backends.samples import random_slots
from tests.engine.backends.tiny_folder import CONTEXT, HEAD_DIM, KINDS, KV_HEADS, LAYERS, VOCABULARY, WIDTH

CPU = Placement("cpu", "float32")


def some_tokens(count: int, seed: int = 7) -> list[int]:
    return torch.randint(3, VOCABULARY, (count,), generator=torch.Generator().manual_seed(seed)).tolist()


def open_torch(path: Path, **options: Any) -> TorchBackend:
    return TorchBackend(path, **{"n_ctx": CONTEXT, "placement": CPU, **options})


def plain_model(path: Path, always_long: bool = True) -> Any:
    """transformers' own; always_long: longrope takes its long factors for short inputs, too, as the authors do."""
    model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, attn_implementation="eager").eval()
    rotary = model.model.rotary_emb
    if always_long and rotary.rope_type == "longrope":
        long, _ = ROPE_INIT_FUNCTIONS["longrope"](model.config, torch.device("cpu"), seq_len=CONTEXT)
        rotary.original_inv_freq.copy_(long)
    return model


@torch.no_grad()
def full_pass(path: Path, tokens: list[int], always_long: bool = True) -> Tensor:
    """Logits of every token, (n, vocabulary), by transformers alone."""
    return plain_model(path, always_long)(torch.tensor([tokens])).logits[0]


@pytest.mark.parametrize("kind", KINDS)
def test_chunked_reading_without_eviction_is_one_full_pass(kind: str, tmp_path: Path) -> None:
    path = tiny_folder.write(tmp_path / kind, kind)
    tokens = some_tokens(CONTEXT // 2)
    expected = full_pass(path, tokens)
    backend = open_torch(path, n_batch=100)
    at = 0
    for size in (1, 130, 7, 250, 1, 1, len(tokens) - 390):
        backend.forward(tokens[at : at + size])
        at += size
        torch.testing.assert_close(backend.logits(), expected[at - 1], atol=1e-4, rtol=0)
    assert backend.length == len(tokens)


@pytest.mark.parametrize("kind", KINDS)
def test_features_are_the_projections_before_norm_and_rotation(kind: str, tmp_path: Path) -> None:
    path = tiny_folder.write(tmp_path / kind, kind)
    torch.manual_seed(3)
    heads = RetainingHeads(LAYERS, WIDTH, 8, KV_HEADS).requires_grad_(False)
    tokens = some_tokens(60)
    found = open_torch(path, heads=heads, n_batch=25).forward(tokens)
    assert found is not None
    model, seen = plain_model(path), {}
    for layer, block in enumerate(model.model.layers):
        for name in ("qkv_proj",) if hasattr(block.self_attn, "qkv_proj") else ("q_proj", "k_proj", "v_proj"):
            block.self_attn.get_submodule(name).register_forward_hook(
                lambda _m, _i, output, key=(layer, name): seen.__setitem__(key, output[0])
            )
    with torch.no_grad():
        model(torch.tensor([tokens]))
    for layer in range(LAYERS):
        features = torch.cat([part for (at, _), part in seen.items() if at == layer], dim=-1)
        torch.testing.assert_close(found[layer], heads.score(layer, features), atol=1e-4, rtol=0)


def test_longrope_takes_the_long_factors_for_short_inputs_too(tmp_path: Path) -> None:
    path = tiny_folder.write(tmp_path / "phi", "phi3-longrope")
    tokens = some_tokens(40)
    backend = open_torch(path)
    backend.forward(tokens)
    torch.testing.assert_close(backend.logits(), full_pass(path, tokens)[-1], atol=1e-4, rtol=0)
    assert (full_pass(path, tokens, always_long=False)[-1] - backend.logits()).abs().max() > 1e-2


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_kept_is_attended_at_its_slot(kind: str, tmp_path: Path) -> None:
    """After an eviction the next token sees the kept keys, turned to their slots, and nothing else."""
    path = tiny_folder.write(tmp_path / kind, kind)
    backend = open_torch(path)
    tokens = some_tokens(81)
    backend.forward(tokens[:80])
    before = list(backend.export_state())
    slots = random_slots(LAYERS, KV_HEADS, 80, 30)
    backend.keep(slots)
    backend.forward(tokens[80:])
    expected = _by_hand(path, before, slots, tokens[80])
    torch.testing.assert_close(backend.logits(), expected, atol=1e-4, rtol=0)


@torch.no_grad()
def _by_hand(path: Path, before: list[Any], slots: Tensor, token: int) -> Tensor:
    """The token's logits by transformers, over a plain cache that holds the kept keys at positions 0.. ."""
    from transformers import DynamicCache

    model = plain_model(path)
    kept = slots.shape[-1]
    cache = DynamicCache()
    cos, sin = model.model.rotary_emb(torch.zeros(1), torch.arange(kept)[None])
    for layer, block in enumerate(model.model.layers):
        index = slots[layer][..., None].expand(-1, -1, HEAD_DIM)
        keys, values = (
            torch.from_numpy(rows).view(-1, KV_HEADS, HEAD_DIM).transpose(0, 1).gather(1, index)
            for rows in (before[layer].keys, before[layer].values)
        )
        if getattr(block.self_attn, "use_rope", True):
            keys = _rotate(keys, cos[0], sin[0])
        cache.update(keys[None], values[None], layer)
    output = model(torch.tensor([[token]]), cache=cache, position_ids=torch.tensor([[kept]]))
    return output.logits[0, -1]


def _rotate(keys: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    width = cos.shape[-1]
    turned, rest = keys[..., :width], keys[..., width:]
    half = torch.cat([-turned[..., width // 2 :], turned[..., : width // 2]], dim=-1)
    return torch.cat([turned * cos + half * sin, rest], dim=-1)


def test_a_window_that_could_cut_is_refused_by_name(tmp_path: Path) -> None:
    path = tiny_folder.write(tmp_path / "m", "mistral", sliding_window=256)
    with pytest.raises(UserError, match="256"):
        open_torch(path)
    backend = open_torch(path, n_ctx=256)
    tokens = some_tokens(256)
    backend.forward(tokens)
    torch.testing.assert_close(backend.logits(), full_pass(path, tokens)[-1], atol=1e-4, rtol=0)


def test_a_window_that_a_gguf_file_names_is_refused_too(tmp_path: Path) -> None:
    """As Phi-3-mini-4k has it; transformers does not read it from the file."""
    path = tiny_gguf.write(tmp_path / "tiny.gguf", "phi3", window=128).path
    with pytest.raises(UserError, match="128"):
        open_torch(path, n_ctx=256)
    assert open_torch(path, n_ctx=128).length == 0


@pytest.mark.parametrize("model_type", ["gemma2", "gpt2", "mamba"])
def test_other_architectures_are_refused_by_name(model_type: str, tmp_path: Path) -> None:
    from transformers import AutoConfig

    AutoConfig.for_model(model_type).save_pretrained(tmp_path)
    with pytest.raises(UserError, match=f"of the kind {model_type}"):
        open_torch(tmp_path)


def test_heads_of_another_shape_are_refused(tmp_path: Path) -> None:
    path = tiny_folder.write(tmp_path / "m")
    with pytest.raises(UserError, match="another shape"):
        open_torch(path, heads=RetainingHeads(LAYERS, WIDTH + 1, 8, KV_HEADS))


@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 2), (3, 3), (8, 1)])
def test_attention_in_blocks_is_attention_at_once(heads: int, kv_heads: int) -> None:
    """What MPS, and CUDA without a fused kernel, do instead of one product."""
    generator = torch.Generator().manual_seed(0)
    query = torch.randn(1, heads, 600, 16, generator=generator)
    key, value = (torch.randn(1, kv_heads, 750, 16, generator=generator) for _ in range(2))
    mask = torch.ones(600, 750, dtype=torch.bool).tril(150)
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=0.3, enable_gqa=True)
    torch.testing.assert_close(in_blocks(query, key, value, 0.3), expected, atol=1e-5, rtol=0)


def test_the_bias_of_fused_attention_shows_a_token_what_came_before_it() -> None:
    """causal_lower_right, which CUDA's kernel takes without a mask, means what our mask means."""
    query, key, value = (torch.randn(1, 2, n, 16) for n in (40, 90, 90))
    mask = torch.ones(40, 90, dtype=torch.bool).tril(50)
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    found = F.scaled_dot_product_attention(query, key, value, attn_mask=causal_lower_right(40, 90))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_layers_that_are_streamed_compute_the_same(tmp_path: Path) -> None:
    """The weights wait on the processor and come for each forward, by accelerate's hooks; here both are one."""
    path = tiny_folder.write(tmp_path / "m")
    tokens, slots = some_tokens(90), random_slots(LAYERS, KV_HEADS, 60, 25)

    def read(streamed: bool) -> Tensor:
        backend = open_torch(path)
        if streamed:
            for block in backend._model.blocks[1:]:
                cpu_offload(block, execution_device="cpu", offload_buffers=True)
        backend.forward(tokens[:60])
        backend.keep(slots)
        backend.forward(tokens[60:])
        return backend.logits()

    assert torch.equal(read(True), read(False))


@pytest.mark.parametrize("lost", ["lm_head.weight", "model.layers.1.self_attn.q_proj.weight", "model.norm.weight"])
def test_a_folder_that_lacks_a_weight_is_refused(lost: str, tmp_path: Path) -> None:
    """transformers would fill it with random numbers, others in every process."""
    path = tiny_folder.write(tmp_path / "m")
    weights = load_file(path / "model.safetensors")
    del weights[lost]
    save_file(weights, path / "model.safetensors", {"format": "pt"})
    with pytest.raises(UserError, match="not whole") as raised:
        open_torch(path)
    assert lost in str(raised.value.details)


def test_a_configuration_of_fewer_layers_is_refused(tmp_path: Path) -> None:
    path = tiny_folder.write(tmp_path / "m")
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**config, "num_hidden_layers": LAYERS - 1}))
    with pytest.raises(UserError, match="another model's"):
        open_torch(path)


def test_a_model_that_cannot_run_is_refused_when_it_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AttributeError("'Parameter' object has no attribute 'CB'")

    monkeypatch.setattr(TorchModel, "run", broken)
    with pytest.raises(UserError, match=r"cannot be run.*CB"):
        open_torch(tiny_folder.write(tmp_path / "m"))
