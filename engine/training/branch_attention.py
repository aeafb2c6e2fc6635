"""Attention of one pass over a context and what comes after it, for transformers models that rotate nothing.

The context is causal; a branch sees the context and itself, and its positions go on after the context. It knows no
weights: keys and queries are handed on, layer by layer, as they are rotated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import AttentionInterface

from engine.backends.torch_attention import in_blocks

NAME = "keepsake-branches"
# Rows of branches that attend in one product: bounds the mask, whatever the branches' length together.
_ROWS = 512

Receive = Callable[[int, Tensor, Tensor], None]


class BranchPass:
    """What the layers of one pass share: positions, rotation, masks, and who is told of keys and queries.

    context: its tokens. lengths: of the branches, which follow it in the pass, one after the other. receive(layer,
    keys (kv_heads, context, d), queries (heads, branch tokens, d)): both after RoPE.
    """

    def __init__(
        self, context: int, lengths: Sequence[int], frequencies: Tensor, magnitude: float, receive: Receive
    ) -> None:
        self.context, self.receive = context, receive
        self.positions = torch.cat([torch.arange(context), *(context + torch.arange(n) for n in lengths)])
        angles = self.positions.double().outer(frequencies.double().cpu())
        cos, sin = angles.cos() * magnitude, angles.sin() * magnitude
        self._cos, self._sin = torch.cat([cos, cos], dim=1).float(), torch.cat([-sin, sin], dim=1).float()
        self._bundles = list(_bundles(context, lengths))
        self._masks: list[Tensor] = []

    def rotate(self, vectors: Tensor) -> Tensor:
        """vectors: (1, heads, n, d) of all tokens. Computed in float32 and rounded once, like the runtime's own."""
        if self._cos.device != vectors.device:
            self._cos, self._sin = self._cos.to(vectors.device), self._sin.to(vectors.device)
        width = self._cos.shape[1]
        exact = vectors[..., :width].float()
        swapped = torch.cat([exact[..., width // 2 :], exact[..., : width // 2]], dim=-1)
        turned = (exact * self._cos).addcmul_(swapped, self._sin).to(vectors.dtype)
        return turned if width == vectors.shape[-1] else torch.cat([turned, vectors[..., width:]], dim=-1)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, scaling: float | None) -> Tensor:
        """Rotated queries and keys and the values of all tokens, (1, heads or kv_heads, n, d); (1, heads, n, d)."""
        alone = slice(0, self.context)
        parts = [_causal(query[:, :, alone], key[:, :, alone], value[:, :, alone], scaling)]
        for (first, last), mask in zip(self._bundles, self._masks_like(query), strict=True):
            seen_keys, seen_values = (self._seen(part, first, last) for part in (key, value))
            parts.append(_masked(query[:, :, first:last], seen_keys, seen_values, mask, scaling))
        return torch.cat(parts, dim=2)

    def _seen(self, part: Tensor, first: int, last: int) -> Tensor:
        return torch.cat([part[:, :, : self.context], part[:, :, first:last]], dim=2)

    def _masks_like(self, query: Tensor) -> list[Tensor]:
        """Additive masks (rows, context + rows) of each bundle, made once a pass and device."""
        if len(self._masks) != len(self._bundles) or (self._masks and self._masks[0].device != query.device):
            self._masks = [self._mask(*bundle).to(query) for bundle in self._bundles]
        return self._masks

    def _mask(self, first: int, last: int) -> Tensor:
        """0 where a token sees the context and its own branch up to itself, minus infinity elsewhere."""
        branch = (self.positions[first:last] == self.context).cumsum(0)
        own = (branch[:, None] == branch[None, :]).tril()
        visible = torch.cat([torch.ones(last - first, self.context, dtype=torch.bool), own], dim=1)
        return torch.zeros(visible.shape).masked_fill_(~visible, -torch.inf)


def _bundles(context: int, lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Whole branches that attend together, as the first and one past the last of their tokens in the pass."""
    ends = list(accumulate(lengths, initial=context))
    first = context
    for last, following in pairwise([*ends, ends[-1] + _ROWS + 1]):
        if following - first > _ROWS and last > first:
            yield first, last
            first = last


def _causal(query: Tensor, key: Tensor, value: Tensor, scaling: float | None) -> Tensor:
    if query.device.type in ("cpu", "cuda"):
        return F.scaled_dot_product_attention(query, key, value, is_causal=True, scale=scaling, enable_gqa=True)
    return in_blocks(query, key, value, scaling)


def _masked(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scaling: float | None) -> Tensor:
    """The query heads of a group are rows of one product, so that kernels without grouped queries serve."""
    _, heads, rows, width = query.shape
    kv_heads = key.shape[1]
    grouped = query.reshape(1, kv_heads, heads // kv_heads * rows, width)
    repeated = mask.repeat(heads // kv_heads, 1)
    attended = F.scaled_dot_product_attention(grouped, key, value, attn_mask=repeated, scale=scaling)
    return attended.view(1, heads, rows, value.shape[-1])


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,  # noqa: ARG001 (none is made for an attention of our own)
    scaling: float | None = None,
    branch_pass: BranchPass | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """What transformers calls in each layer: all unrotated, (1, heads or kv_heads, n, d). Returns (1, n, heads, d)."""
    assert branch_pass is not None
    if getattr(module, "use_rope", True):
        query, key = branch_pass.rotate(query), branch_pass.rotate(key)
    layer: Any = module.layer_idx
    branch_pass.receive(layer, key[0, :, : branch_pass.context], query[0, :, branch_pass.context :])
    return branch_pass.attend(query, key, value, scaling).transpose(1, 2), None


AttentionInterface.register(NAME, attend)
