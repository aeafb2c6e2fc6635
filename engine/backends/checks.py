"""What every runtime refuses: heads of another model, and slots that no cache can keep."""

from __future__ import annotations

from torch import Tensor

from engine.errors import UserError
from engine.locret.heads import RetainingHeads


def check_heads(heads: RetainingHeads, layers: int, width: int, kv_heads: int) -> None:
    """width: of concat(Q, K, V). Raises UserError("model_broken")."""
    if (heads.layers, heads.width, heads.kv_heads) != (layers, width, kv_heads):
        raise UserError("model_broken", "These retaining heads were trained for a model of another shape.")


def check_ragged_slots(slots: Tensor, lengths: Tensor) -> None:
    """slots: (layers, kv_heads, kept), ascending within what each head has, aligned at the end, -1 in front. lengths:
    (layers, kv_heads), units that each head has. Raises ValueError.
    """
    if slots.shape[:2] != lengths.shape or slots.shape[-1] == 0 or (slots[..., -1] < 0).any():
        raise ValueError(f"slots of shape {tuple(slots.shape)} for heads of shape {tuple(lengths.shape)}")
    width = int(lengths.max())
    outside = (slots >= 0) & (slots < width - lengths[..., None])
    if outside.any() or slots.max() >= width or not ((slots.diff(dim=-1) > 0) | (slots[..., :-1] < 0)).all():
        raise ValueError("slots must ascend within what each head holds")


def check_slots(slots: Tensor, layers: int, kv_heads: int, length: int) -> None:
    """slots: (layers, kv_heads, kept), ascending within 0..length-1 in each head. Raises ValueError."""
    if slots.shape[:2] != (layers, kv_heads) or slots.shape[-1] == 0:
        raise ValueError(f"slots of shape {tuple(slots.shape)} for {layers} layers of {kv_heads} KV heads")
    if slots.min() < 0 or slots.max() >= length or not (slots.diff(dim=-1) > 0).all():
        raise ValueError(f"slots must ascend within 0..{length - 1} in each head")
