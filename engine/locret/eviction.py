"""The choice of the units that stay (paper algorithm 1, lines 5-8), as a pure function on tensors."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.locret.selection import Selection


def top_slots(scores: Tensor, positions: Tensor, selection: Selection, protected: int) -> Tensor:
    """The slots to keep, ascending: the top b of the scores in each head (paper algorithm 1, lines 5-8).

    scores: (layers, kv_heads, n). positions: the same shape, original positions. protected: how many of the last units
    are kept whatever their score. Returns int64 (layers, kv_heads, min(b, n)).
    """
    units = scores.shape[-1]
    if units <= selection.budget:
        return torch.arange(units).expand(*scores.shape[:-1], units)
    ranked = scores.clone()
    if selection.sinks:
        ranked[positions < selection.sinks] = torch.inf
    if protected:
        ranked[..., -protected:] = torch.inf
    return ranked.topk(selection.budget, dim=-1).indices.sort(dim=-1).values
