"""Retaining heads: one small FFN a layer that predicts the causal importance score (CIS) of a cache unit.

It knows nothing of the model that the features come from, only their width.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "silu": nn.functional.silu,
    "gelu": nn.functional.gelu,
    "relu": nn.functional.relu,
}
FORMAT_VERSION = "1"


class HeadFileError(ValueError):
    """A file that holds no usable retaining heads; the text says what is wrong."""


@dataclass(frozen=True)
class Calibration:
    """Means and deviations of the CIS over a calibration text, for consensus (DESIGN section 10).

    mean, std: (layers, kv_heads). consensus_mean, consensus_std: of the average z-score over layers and heads.
    """

    mean: Tensor
    std: Tensor
    consensus_mean: float
    consensus_std: float


class RetainingHeads(nn.Module):
    """CIS = act(f W1) W2 for each layer (paper section 3.2), without bias.

    first[l]: (d_R, width), second[l]: (kv_heads, d_R), as in the authors' `fc1.weight` and `fc2.weight`;
    width = (heads + 2 * kv_heads) * head_dim, the features concat(Q, K, V) before any norm or RoPE.
    """

    def __init__(self, layers: int, width: int, hidden: int, kv_heads: int, activation: str = "silu") -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise HeadFileError(f"unknown activation {activation!r}; known: {', '.join(ACTIVATIONS)}")
        self.layers, self.width, self.hidden, self.kv_heads = layers, width, hidden, kv_heads
        self.activation = activation
        self.calibration: Calibration | None = None
        self.first = nn.ParameterList(nn.Parameter(torch.empty(hidden, width)) for _ in range(layers))
        self.second = nn.ParameterList(nn.Parameter(torch.empty(kv_heads, hidden)) for _ in range(layers))
        for weight in (*self.first, *self.second):
            nn.init.xavier_uniform_(weight)

    def score(self, layer: int, features: Tensor) -> Tensor:
        """features: (n, width). Returns the CIS, (kv_heads, n)."""
        act = ACTIVATIONS[self.activation]
        first: Tensor = self.first[layer]
        second: Tensor = self.second[layer]
        return (act(features @ first.T) @ second.T).T


def save_heads(
    heads: RetainingHeads, path: Path, metadata: Mapping[str, str], dtype: torch.dtype = torch.float16
) -> None:
    """Writes weights, calibration and metadata (model fingerprint, recipe, figures) to one safetensors file."""
    tensors = {}
    for layer in range(heads.layers):
        prefix = f"model.layers.{layer}.self_attn"
        tensors[f"{prefix}.fc1.weight"] = heads.first[layer].detach().to(dtype).contiguous()
        tensors[f"{prefix}.fc2.weight"] = heads.second[layer].detach().to(dtype).contiguous()
    if heads.calibration is not None:
        tensors["calibration.mean"] = heads.calibration.mean.float().contiguous()
        tensors["calibration.std"] = heads.calibration.std.float().contiguous()
        consensus = [heads.calibration.consensus_mean, heads.calibration.consensus_std]
        tensors["calibration.consensus"] = torch.tensor(consensus)
    header = {**metadata, "format": FORMAT_VERSION, "activation": heads.activation}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    save_file(tensors, partial, metadata=header)
    partial.replace(path)


def load_heads(path: Path) -> RetainingHeads:
    """Reads a head file (weights become float32). Raises HeadFileError."""
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
            metadata = file.metadata() or {}
    except Exception as error:  # safetensors raises its own type, OSError or ValueError
        raise HeadFileError(f"{path.name} is no head file: {error}") from error
    return from_state_dict(tensors, metadata.get("activation", "silu"))


def head_metadata(path: Path) -> dict[str, str]:
    """The metadata of a head file alone, without its weights."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    return dict(header.get("__metadata__", {}))


def from_state_dict(tensors: Mapping[str, Tensor], activation: str = "silu") -> RetainingHeads:
    """Any state dict with `model.layers.<l>.self_attn.fc1.weight` and `fc2.weight`. Raises HeadFileError."""
    layers = sum(1 for name in tensors if name.endswith(".self_attn.fc1.weight"))
    if layers == 0:
        raise HeadFileError("no retaining heads (self_attn.fc1.weight) in it")
    try:
        first = [tensors[f"model.layers.{layer}.self_attn.fc1.weight"].float() for layer in range(layers)]
        second = [tensors[f"model.layers.{layer}.self_attn.fc2.weight"].float() for layer in range(layers)]
    except KeyError as error:
        raise HeadFileError(f"a layer is missing: {error}") from error
    heads = RetainingHeads(layers, first[0].shape[1], first[0].shape[0], second[0].shape[0], activation)
    with torch.no_grad():
        for layer in range(layers):
            if first[layer].shape != heads.first[layer].shape or second[layer].shape != heads.second[layer].shape:
                raise HeadFileError(f"layer {layer} has another shape than layer 0")
            heads.first[layer].copy_(first[layer])
            heads.second[layer].copy_(second[layer])
    if "calibration.mean" in tensors:
        consensus = tensors["calibration.consensus"].tolist()
        heads.calibration = Calibration(tensors["calibration.mean"], tensors["calibration.std"], *consensus)
    return heads.requires_grad_(False)
