"""Llama weights for tests: of a reference model's state dict, or small and random."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from engine.training.gguf_llama import LlamaLayer, LlamaShape, LlamaWeights

VOCABULARY = 300


def weights_of(state: dict[str, Tensor], config: dict[str, Any]) -> LlamaWeights:
    """A transformers state dict and its configuration as the backbone's weights."""
    heads = config["num_attention_heads"]
    shape = LlamaShape(
        layers=config["num_hidden_layers"],
        heads=heads,
        kv_heads=config["num_key_value_heads"],
        head_dim=config["hidden_size"] // heads,
        rope_theta=config["rope_theta"],
        norm_eps=config["rms_norm_eps"],
    )
    return LlamaWeights(
        shape=shape,
        embedding=state["model.embed_tokens.weight"],
        layers=[_layer(state, f"model.layers.{number}") for number in range(shape.layers)],
        norm=state["model.norm.weight"],
        unembedding=state["lm_head.weight"],
    )


def random_weights(seed: int = 0) -> LlamaWeights:
    """Two layers, four heads in two groups, 32 wide."""
    generator = torch.Generator().manual_seed(seed)

    def random(rows: int, columns: int) -> Tensor:
        return torch.randn(rows, columns, generator=generator) * 0.3

    layer = [
        LlamaLayer(
            attention_norm=torch.ones(32),
            qkv=random(64, 32),
            output=random(32, 32),
            mlp_norm=torch.ones(32),
            gate=random(48, 32),
            up=random(48, 32),
            down=random(32, 48),
        )
        for _ in range(2)
    ]
    embedding = random(VOCABULARY, 32)
    return LlamaWeights(LlamaShape(2, 4, 2, 8, 10_000.0, 1e-5), embedding, layer, torch.ones(32), embedding)


def _layer(state: dict[str, Tensor], prefix: str) -> LlamaLayer:
    return LlamaLayer(
        attention_norm=state[f"{prefix}.input_layernorm.weight"],
        qkv=torch.cat([state[f"{prefix}.self_attn.{name}_proj.weight"] for name in "qkv"]),
        output=state[f"{prefix}.self_attn.o_proj.weight"],
        mlp_norm=state[f"{prefix}.post_attention_layernorm.weight"],
        gate=state[f"{prefix}.mlp.gate_proj.weight"],
        up=state[f"{prefix}.mlp.up_proj.weight"],
        down=state[f"{prefix}.mlp.down_proj.weight"],
    )
