"""The check at load (DESIGN section 4): whether our frequencies turn this model's keys as llama.cpp does.

It reads the rotary parameters from the graph's own ROPE nodes, so no file's metadata is interpreted here.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.backends import ggml
from engine.backends.rope import Rope, turn

# A key in the cache is one f16 rounding away from the rotated one: 2**-11 of each element at most.
_ROUNDING = 2.0**-11
_KEY = re.compile(rb"(?:Kcur|wqkv)[a-z_]*-(\d+)")
_INTERLEAVED, _NEOX = 0, 2


@dataclass
class RopeProbe:
    """Watches one graph: each layer's key just before its ROPE, and that ROPE's parameters.

    keys: float32 (n, kv_heads, head_dim) by layer. ropes: by layer.
    """

    keys: dict[int, Tensor] = field(default_factory=dict)
    ropes: dict[int, Rope] = field(default_factory=dict)
    _computed: dict[int, NDArray[np.float32]] = field(default_factory=dict)

    def wants(self, address: int) -> bool:
        layer = _layer(address)
        if layer is None:
            return False
        tensor = ggml.at(address)
        if tensor.op == ggml.ROPE:
            self.keys[layer] = self._before(tensor.src[0] or 0)
            self.ropes[layer] = _rope(tensor)
            return False
        return tensor.view_src is None

    def take(self, address: int) -> None:
        self._computed[address] = ggml.read(address)

    def finish(self) -> None:
        self._computed.clear()

    def drop(self) -> None:
        self._computed.clear()

    def _before(self, address: int) -> Tensor:
        """What a ROPE is about to rotate: a tensor that was computed, or a view of one."""
        tensor = ggml.at(address)
        base = self._computed[tensor.view_src or address]
        heads = np.ndarray(tuple(tensor.ne)[::-1], np.float32, base, tensor.view_offs, tuple(tensor.nb)[::-1])
        return torch.from_numpy(heads[0].copy())


def _layer(address: int) -> int | None:
    match = _KEY.fullmatch(ctypes.string_at(address + ggml.NAME_OFFSET))
    return int(match[1]) if match else None


def _rope(tensor: ggml.Tensor) -> Rope:
    """Parameters as ggml_rope_ext packs them (ggml.c): integers, then floats from the fifth on."""
    integers = tuple(tensor.op_params)
    floats = np.frombuffer(bytes(tensor.op_params), np.float32)
    mode = integers[2]
    if mode not in (_INTERLEAVED, _NEOX):
        raise ValueError(f"rotary mode {mode}")
    factors = tuple(ggml.read(tensor.src[2]).ravel().tolist()) if tensor.src[2] else ()
    base, scale, extrapolation, attention, beta_fast, beta_slow = floats[5:11].tolist()
    return Rope(
        integers[1],
        mode == _INTERLEAVED,
        integers[4],
        base,
        scale,
        extrapolation,
        attention,
        beta_fast,
        beta_slow,
        factors,
    )


def disagreement(probe: RopeProbe, cached: Tensor, first: int) -> float:
    """The largest difference between our rotated keys and the cache's, in float16 roundings of the key's size.

    cached: float16 (layers, n, kv_heads * head_dim), positions first, first+1, ... About 1 or less where we agree.
    """
    worst = 0.0
    for layer, keys in probe.keys.items():
        ours = rotate_forward(probe.ropes[layer], keys, first)
        theirs = cached[layer].double().view(ours.shape)
        size = ours.abs().amax(dim=-1, keepdim=True).clamp_min(2.0**-14)
        worst = max(worst, float(((ours - theirs).abs() / size).max()) / _ROUNDING)
    return worst


def rotate_forward(rope: Rope, keys: Tensor, first: int) -> Tensor:
    """keys: (n, heads, head_dim) at positions first, first+1, ... Returns them as the model rotates them, float64."""
    angles = torch.arange(first, first + len(keys), dtype=torch.float64).outer(rope.frequencies())[:, None]
    return turn(rope, keys.double(), angles.cos() * rope.magnitude, angles.sin() * rope.magnitude)
