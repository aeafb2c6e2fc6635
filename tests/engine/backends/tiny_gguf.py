"""Writes tiny random GGUF models of several architectures, with no vocabulary: token ids are all they read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

VOCABULARY = 128
LAYERS = 2
HEADS = 4
KV_HEADS = 2
HEAD_DIM = 32
FEED_FORWARD = 64
BASE = 10000.0
EPSILON = 1e-5


def embedding_width(architecture: str) -> int:
    """Not heads * head_dim where the architecture allows it, so that the two cannot be mixed up."""
    return 96 if architecture in ("llama", "qwen3", "gemma2") else HEADS * HEAD_DIM


@dataclass
class TinyModel:
    """path of the file and its tensors by name, in the file's own order, float32."""

    path: Path
    tensors: dict[str, NDArray[np.float32]] = field(default_factory=dict)


def write(
    path: Path, architecture: str, context: int = 512, rope: str = "plain", seed: int = 0, window: int | None = None
) -> TinyModel:
    """rope: plain; factors (Llama 3's `rope_freqs`, phi3's long and short); yarn; rope of other layers is alike."""
    random = np.random.default_rng(seed)
    model = TinyModel(path)

    def add(name: str, *shape: int, around: float = 0.0, spread: float = 0.15) -> None:
        model.tensors[name] = (around + spread * random.standard_normal(shape)).astype(np.float32)

    width = embedding_width(architecture)
    add("token_embd.weight", VOCABULARY, width, spread=1.0)
    add("output_norm.weight", width, around=1.0)
    if architecture != "gemma2":
        add("output.weight", VOCABULARY, width)
    for layer in range(LAYERS):
        _add_layer(architecture, f"blk.{layer}", add)
    if rope == "factors" and architecture == "llama":
        model.tensors["rope_freqs.weight"] = np.linspace(1, 8, HEAD_DIM // 2, dtype=np.float32)
    if rope == "factors" and architecture == "phi3":
        model.tensors["rope_factors_long.weight"] = np.linspace(1, 30, HEAD_DIM // 2, dtype=np.float32)
        model.tensors["rope_factors_short.weight"] = np.linspace(1, 2, HEAD_DIM // 2, dtype=np.float32)
    _save(model, architecture, context, rope, 16 if architecture == "gemma2" else window)
    return model


def _add_layer(architecture: str, prefix: str, add: Callable[..., None]) -> None:
    width, queries, keys = embedding_width(architecture), HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM
    add(f"{prefix}.attn_norm.weight", width, around=1.0)
    add(f"{prefix}.ffn_norm.weight", width, around=1.0)
    add(f"{prefix}.attn_output.weight", width, queries)
    add(f"{prefix}.ffn_down.weight", width, FEED_FORWARD)
    if architecture == "phi3":
        add(f"{prefix}.attn_qkv.weight", queries + 2 * keys, width)
        add(f"{prefix}.ffn_up.weight", 2 * FEED_FORWARD, width)
        return
    for name, rows in (("q", queries), ("k", keys), ("v", keys)):
        add(f"{prefix}.attn_{name}.weight", rows, width)
        if architecture == "qwen2":
            add(f"{prefix}.attn_{name}.bias", rows, spread=0.5)
    if architecture == "qwen3":
        add(f"{prefix}.attn_q_norm.weight", HEAD_DIM, around=1.0)
        add(f"{prefix}.attn_k_norm.weight", HEAD_DIM, around=1.0)
    add(f"{prefix}.ffn_gate.weight", FEED_FORWARD, width)
    add(f"{prefix}.ffn_up.weight", FEED_FORWARD, width)
    if architecture == "gemma2":
        add(f"{prefix}.post_attention_norm.weight", width, around=1.0)
        add(f"{prefix}.post_ffw_norm.weight", width, around=1.0)


def _save(model: TinyModel, architecture: str, context: int, rope: str, window: int | None) -> None:
    writer = gguf.GGUFWriter(model.path, architecture)
    writer.add_context_length(context)
    writer.add_embedding_length(embedding_width(architecture))
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_key_length(HEAD_DIM)
    writer.add_value_length(HEAD_DIM)
    writer.add_rope_dimension_count(HEAD_DIM)
    writer.add_rope_freq_base(BASE)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_vocab_size(VOCABULARY)
    writer.add_tokenizer_model("none")
    if rope == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(4.0)
        writer.add_rope_scaling_orig_ctx_len(context // 4)
    if rope == "factors" and architecture == "phi3":
        writer.add_rope_scaling_orig_ctx_len(context // 2)
        writer.add_rope_scaling_attn_factors(1.19)
    if window:
        writer.add_sliding_window(window)
    for name, values in model.tensors.items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
