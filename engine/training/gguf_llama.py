"""The weights and shape of a Llama, read from a GGUF file of the `llama` architecture and dequantised.

It knows GGUF's names and row order, and nothing of how the model is run. It reads no other architecture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from gguf import GGUFReader
from gguf.quants import dequantize
from torch import Tensor


class UnsupportedModelError(ValueError):
    """A GGUF file that this loader cannot turn into a Llama; the text says why."""


@dataclass(frozen=True)
class LlamaShape:
    """The numbers of a Llama that its forward pass needs."""

    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    rope_theta: float
    norm_eps: float

    @property
    def feature_width(self) -> int:
        """Width of concat(Q, K, V) of a token."""
        return (self.heads + 2 * self.kv_heads) * self.head_dim


@dataclass(frozen=True)
class LlamaLayer:
    """Weights of one layer, each (outputs, inputs); qkv holds the rows of Q, K and V, RoPE pairs i, i + head_dim/2."""

    attention_norm: Tensor
    qkv: Tensor
    output: Tensor
    mlp_norm: Tensor
    gate: Tensor
    up: Tensor
    down: Tensor


@dataclass(frozen=True)
class LlamaWeights:
    """A whole Llama. unembedding is the embedding itself where the two are tied."""

    shape: LlamaShape
    embedding: Tensor
    layers: list[LlamaLayer]
    norm: Tensor
    unembedding: Tensor


def read_llama(path: Path, dtype: torch.dtype) -> LlamaWeights:
    """Every weight of the file as dtype. Raises UnsupportedModelError."""
    reader = GGUFReader(path)
    architecture = _field(reader, "general.architecture")
    if architecture != "llama":
        raise UnsupportedModelError(
            f"{path.name} has architecture {architecture!r}; heads are trained for 'llama' here"
        )
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    if "rope_freqs.weight" in tensors:
        raise UnsupportedModelError(f"{path.name} scales its RoPE frequencies, which this loader does not read")

    def weight(name: str) -> Tensor:
        return torch.from_numpy(dequantize(tensors[name].data, tensors[name].tensor_type).copy()).to(dtype)

    def block_weight(block: int, name: str) -> Tensor:
        return weight(f"blk.{block}.{name}.weight")

    shape = _shape(reader)
    embedding = weight("token_embd.weight")
    return LlamaWeights(
        shape=shape,
        embedding=embedding,
        layers=[_layer(shape, partial(block_weight, n)) for n in range(shape.layers)],
        norm=weight("output_norm.weight"),
        unembedding=weight("output.weight") if "output.weight" in tensors else embedding,
    )


def half_split_rows(weight: Tensor, heads: int) -> Tensor:
    """weight: (heads * d, n), the rows of a head in GGUF's interleaved RoPE order; returned with pairs i, i + d/2."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).transpose(1, 2).reshape(rows, columns)


def _layer(shape: LlamaShape, weight: Callable[[str], Tensor]) -> LlamaLayer:
    query = half_split_rows(weight("attn_q"), shape.heads)
    key = half_split_rows(weight("attn_k"), shape.kv_heads)
    return LlamaLayer(
        attention_norm=weight("attn_norm"),
        qkv=torch.cat([query, key, weight("attn_v")]),
        output=weight("attn_output"),
        mlp_norm=weight("ffn_norm"),
        gate=weight("ffn_gate"),
        up=weight("ffn_up"),
        down=weight("ffn_down"),
    )


def _shape(reader: GGUFReader) -> LlamaShape:
    heads = int(_field(reader, "llama.attention.head_count"))
    return LlamaShape(
        layers=int(_field(reader, "llama.block_count")),
        heads=heads,
        kv_heads=int(_field(reader, "llama.attention.head_count_kv")),
        head_dim=_head_dim(reader, heads),
        rope_theta=float(_field(reader, "llama.rope.freq_base")),
        norm_eps=float(_field(reader, "llama.attention.layer_norm_rms_epsilon")),
    )


def _head_dim(reader: GGUFReader, heads: int) -> int:
    if reader.get_field("llama.attention.key_length") is not None:
        return int(_field(reader, "llama.attention.key_length"))
    return int(_field(reader, "llama.embedding_length")) // heads


def _field(reader: GGUFReader, key: str) -> str | int | float:
    field = reader.get_field(key)
    if field is None:
        raise UnsupportedModelError(f"the file has no {key}")
    contents = field.contents()
    assert isinstance(contents, str | int | float)
    return contents
