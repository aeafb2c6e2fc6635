"""Retaining heads: one small FFN a layer that predicts the causal importance score (CIS) of a cache unit.

It knows nothing of the model that the features come from, only their width.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor, nn

from engine.locret.head_file import HeadFileError as HeadFileError  # noqa: PLC0414 (used from here, too)
from engine.locret.head_file import head_metadata as head_metadata  # noqa: PLC0414

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "silu": nn.functional.silu,
    "gelu": nn.functional.gelu,
    "relu": nn.functional.relu,
}
FORMAT_VERSION = "1"
HEAD_TENSOR = re.compile(r"(?:^|\.)layers\.(\d+)\.self_attn\.(fc[12]\.(?:weight|bias))$")


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

    def forward(self, features: Sequence[Tensor]) -> list[Tensor]:
        """features: (n, width) of each layer, in any precision. Returns the CIS of each, (kv_heads, n)."""
        return [self.score(layer, part.to(self.first[layer].dtype)) for layer, part in enumerate(features)]

    def score(self, layer: int, features: Tensor) -> Tensor:
        """features: (n, width). Returns the CIS, (kv_heads, n)."""
        act = ACTIVATIONS[self.activation]
        first: Tensor = self.first[layer]
        second: Tensor = self.second[layer]
        return (act(features @ first.T) @ second.T).T


def save_heads(
    heads: RetainingHeads, path: Path, metadata: Mapping[str, str], dtype: torch.dtype = torch.float16
) -> None:
    """Writes weights, calibration and metadata (model fingerprint, recipe, figures) to one safetensors file.

    The metadata's `heads_sha256` says what the heads are, whatever else is written about them. Raises OSError, and
    leaves nothing then.
    """
    header = {
        **metadata,
        "format": FORMAT_VERSION,
        "activation": heads.activation,
        "heads_sha256": heads_sha256(heads, dtype),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    try:
        # Written here, and not by safetensors: it keeps other users out, and says of a full disk only that it failed.
        partial.write_bytes(save(_state_dict(heads, dtype), metadata=header))
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise


def heads_sha256(heads: RetainingHeads, dtype: torch.dtype) -> str:
    """A digest of what decides the scores when they are saved in dtype: weights, activation, calibration."""
    digest = hashlib.sha256(heads.activation.encode())
    for name, tensor in _state_dict(heads, dtype).items():
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _state_dict(heads: RetainingHeads, dtype: torch.dtype) -> dict[str, Tensor]:
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
    return tensors


def load_heads(path: Path) -> RetainingHeads:
    """Reads a head file (weights become float32). Raises HeadFileError."""
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
            metadata = file.metadata() or {}
    except Exception as error:  # safetensors raises its own type, OSError or ValueError
        raise HeadFileError(f"{path.name} is no head file: {error}") from error
    return from_state_dict(tensors, metadata.get("activation", "silu"))


def head_width(path: Path) -> int:
    """d_R of a head file, by its header alone. Raises HeadFileError."""
    try:
        with safe_open(path, framework="pt") as file:
            return int(file.get_slice("model.layers.0.self_attn.fc1.weight").get_shape()[0])
    except Exception as error:
        raise HeadFileError(f"{path.name} is no head file: {error}") from error


def from_state_dict(tensors: Mapping[str, Tensor], activation: str = "silu") -> RetainingHeads:
    """Any state dict with `layers.<l>.self_attn.fc1.weight` and `fc2.weight`, whatever the names begin with.

    Raises HeadFileError.
    """
    weights = _by_layer(tensors)
    layers = len(weights) // 2
    first, second = weights[0, "fc1.weight"], weights[0, "fc2.weight"]
    if first.ndim != 2 or second.ndim != 2:
        raise HeadFileError("the retaining heads are no matrices")
    heads = RetainingHeads(layers, first.shape[1], first.shape[0], second.shape[0], activation)
    with torch.no_grad():
        for layer in range(layers):
            _copy(heads.first[layer], weights[layer, "fc1.weight"], f"fc1 of layer {layer}")
            _copy(heads.second[layer], weights[layer, "fc2.weight"], f"fc2 of layer {layer}")
    if "calibration.mean" in tensors:
        consensus = tensors["calibration.consensus"].tolist()
        heads.calibration = Calibration(tensors["calibration.mean"], tensors["calibration.std"], *consensus)
    return heads.requires_grad_(False)


def _by_layer(tensors: Mapping[str, Tensor]) -> dict[tuple[int, str], Tensor]:
    """The weights by layer and name, fc1 and fc2 of every layer from 0 on."""
    found: dict[tuple[int, str], Tensor] = {}
    for name, tensor in tensors.items():
        if match := HEAD_TENSOR.search(name):
            key = int(match[1]), match[2]
            if key in found:
                raise HeadFileError(f"there are two retaining heads for layer {key[0]}")
            found[key] = tensor
    if not found:
        raise HeadFileError("no retaining heads (self_attn.fc1.weight) in it")
    if any(name.endswith("bias") for _, name in found):
        raise HeadFileError("its retaining heads have a bias, which Locret's have not")
    layers = len({layer for layer, _ in found})
    for layer in range(layers):
        for name in ("fc1.weight", "fc2.weight"):
            if (layer, name) not in found:
                raise HeadFileError(f"a layer is missing: {name} of layer {layer} is not there")
    return found


def _copy(into: nn.Parameter, weight: Tensor, name: str) -> None:
    if weight.shape != into.shape:
        raise HeadFileError(f"{name} has the shape {tuple(weight.shape)}, not {tuple(into.shape)}")
    if not weight.is_floating_point() or not weight.isfinite().all():
        raise HeadFileError(f"{name} is damaged: it holds what is no number")
    into.copy_(weight)
