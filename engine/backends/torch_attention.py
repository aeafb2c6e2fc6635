"""Attention for transformers models over a UnitCache: queries are rotated here, by position, keys in the cache.

The model itself is made to rotate nothing (`unrotated`), so keys reach the cache as they were before RoPE and after
any norm, whatever the architecture. It knows attention modules only by what transformers hands over.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention.bias import causal_lower_right
from transformers import AttentionInterface

from engine.backends.torch_cache import Rotation
from engine.torch_memory import QUERY_BLOCK

NAME = "keepsake"
_WIDEST_FUSED, _FUSED_SINCE = 256, (8, 0)


class Pass:
    """What the attention of one forward shares: the rotation of the queries and the causal mask.

    first: the position of the forward's first token.
    """

    def __init__(self, rotation: Rotation, first: int) -> None:
        self.rotation, self.first = rotation, first
        self._mask: Tensor | None = None

    def mask(self, tokens: int, units: int, device: torch.device) -> Tensor:
        """bool (tokens, units): a token sees every unit before it and itself. For fewer units rows begin later."""
        if self._mask is None or self._mask.device != device or self._mask.shape[1] < units:
            self._mask = torch.ones(tokens, units, dtype=torch.bool, device=device).tril(units - tokens)
        return self._mask[:, self._mask.shape[1] - units :]


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor | list[Tensor],
    value: Tensor | list[Tensor],
    attention_mask: Tensor | None,  # noqa: ARG001 (none is made for an attention of our own)
    scaling: float | None = None,
    keepsake_pass: Pass | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """query: unrotated (1, heads, n, d); key: rotated, value: (1, kv_heads, units, d), the last n of them the
    queries' own; of a ragged cache lists, (1, 1, units, d) for each KV head. Returns (1, n, heads, d).
    """
    assert keepsake_pass is not None
    if getattr(module, "use_rope", True):
        query = keepsake_pass.rotation.turn(query, keepsake_pass.first)
    if isinstance(key, Tensor) and isinstance(value, Tensor):
        attended = _attended(query, key, value, scaling, keepsake_pass)
    else:
        groups = zip(query.chunk(len(key), dim=1), key, value, strict=True)
        attended = torch.cat([_attended(*group, scaling, keepsake_pass) for group in groups], dim=1)
    return attended.transpose(1, 2), None


def _attended(query: Tensor, key: Tensor, value: Tensor, scaling: float | None, keepsake_pass: Pass) -> Tensor:
    """query: rotated, (1, heads, n, d); key, value: (1, kv_heads, units, d). Returns (1, heads, n, d)."""
    if query.shape[2] == 1:
        return _one(query, key, value, scaling)
    if _fused(query):
        bias: Any = causal_lower_right(query.shape[2], key.shape[2])
        return F.scaled_dot_product_attention(query, key, value, attn_mask=bias, scale=scaling, enable_gqa=True)
    if query.device.type == "cpu":
        mask = keepsake_pass.mask(query.shape[2], key.shape[2], query.device)
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scaling, enable_gqa=True)
    return in_blocks(query, key, value, scaling)


def _fused(query: Tensor) -> bool:
    """Whether CUDA has a kernel for causal attention over a cache, without a mask, for these queries."""
    if query.device.type != "cuda" or query.dtype == torch.float32 or query.shape[-1] > _WIDEST_FUSED:
        return False
    return torch.cuda.get_device_capability(query.device) >= _FUSED_SINCE


def in_blocks(query: Tensor, key: Tensor, value: Tensor, scaling: float | None) -> Tensor:
    """As `attend`, some queries at a time, each block over the units that it may see; (1, heads, n, d).

    The query heads of a group are rows of one product, so that kernels without grouped queries serve, and keys and
    values are not repeated.
    """
    _, heads, tokens, width = query.shape
    kv_heads, units = key.shape[1], key.shape[2]
    group, blocks = heads // kv_heads, []
    for first in range(0, tokens, QUERY_BLOCK):
        block = query[:, :, first : first + QUERY_BLOCK]
        rows = block.shape[2]
        visible = units - tokens + first + rows
        mask = torch.ones(rows, visible, dtype=torch.bool, device=query.device).tril(visible - rows).repeat(group, 1)
        attended = F.scaled_dot_product_attention(
            block.reshape(1, kv_heads, group * rows, width),
            key[:, :, :visible],
            value[:, :, :visible],
            attn_mask=mask,
            scale=scaling,
        )
        blocks.append(attended.view(1, heads, rows, value.shape[-1]))
    return torch.cat(blocks, dim=2)


def _one(query: Tensor, key: Tensor, value: Tensor, scaling: float | None) -> Tensor:
    """One token: the query heads of a group are the rows of one product, so that keys and values are not repeated."""
    _, heads, _, width = query.shape
    grouped = query.view(1, key.shape[1], heads // key.shape[1], width)
    return F.scaled_dot_product_attention(grouped, key, value, scale=scaling).view(1, heads, 1, value.shape[-1])


AttentionInterface.register(NAME, attend)


@contextmanager
def unrotated(rotary: nn.Module) -> Iterator[None]:
    """While it lasts, the model's rotary embedding turns nothing: every angle is 0, which changes no bit."""
    handle = rotary.register_forward_hook(_no_angles)
    try:
        yield
    finally:
        handle.remove()


def _no_angles(_module: nn.Module, _inputs: Any, angles: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    cos, sin = angles
    return torch.ones_like(cos), torch.zeros_like(sin)
