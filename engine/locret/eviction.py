"""The choice of the units that stay (paper algorithm 1, lines 5-8), as pure functions on tensors.

Where heads keep different numbers of units, rows are aligned at their end: what a shorter head lacks is -1 in front.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

import torch
from torch import Tensor

from engine.locret.selection import Selection

# PyramidKV (arXiv 2406.02069, section 3.2): the last layer's share of the free budget is one part in so many.
STEEPNESS = 20
# Ada-KV (arXiv 2407.11550, section 3.2): the part of its even share that every head keeps whatever others offer.
SAFEGUARD = 0.2


def kept_slots(scores: Tensor, positions: Tensor, selection: Selection, protected: int, longest: int) -> Tensor:
    """The slots to keep by the selection's allocation, ascending; budget * layers * kv_heads of them in all.

    scores, positions: (layers, kv_heads, n), positions -1 where a head has no unit. protected: how many of the last
    units are kept in every head whatever their score. longest: the most that one head may keep, at least the budget.
    Returns int64 (layers, kv_heads, kept), kept being that of the longest head.
    """
    if selection.allocation == "uniform":
        return top_slots(scores, positions, selection, protected)
    ranked = _ranked(scores, positions, selection, protected)
    if ranked.shape[-1] > longest:
        ranked = torch.full_like(ranked, -torch.inf).scatter_(-1, *_best(ranked, longest))
    if selection.allocation == "pyramid":
        return _slots(_pyramid(ranked, selection, protected))
    safe = max(1, int(SAFEGUARD * selection.budget))
    indices, values = _best(ranked, safe)
    ranked.scatter_(-1, indices, torch.where(values == -torch.inf, values, torch.inf))
    shared = ranked.flatten(0 if selection.allocation == "model" else 1).view(-1, _heads_sharing(ranked, selection))
    best = shared.topk(selection.budget * shared.shape[-1] // ranked.shape[-1], dim=-1).indices
    return _slots(torch.zeros_like(shared, dtype=torch.bool).scatter_(-1, best, value=True).view(ranked.shape))


def top_slots(scores: Tensor, positions: Tensor, selection: Selection, protected: int) -> Tensor:
    """The slots to keep, ascending: the top b of the scores in each head (paper algorithm 1, lines 5-8).

    scores: (layers, kv_heads, n). positions: the same shape, original positions. protected: how many of the last units
    are kept whatever their score. Returns int64 (layers, kv_heads, min(b, n)).
    """
    units = scores.shape[-1]
    if units <= selection.budget:
        return torch.arange(units).expand(*scores.shape[:-1], units)
    return _ranked(scores, positions, selection, protected).topk(selection.budget, dim=-1).indices.sort(dim=-1).values


def pyramid_shares(selection: Selection, protected: int, available: list[int]) -> list[int]:
    """Units that each head of a layer keeps, layer by layer; the mean is the budget.

    Beyond sinks and protected units the shares fall linearly, from nearly twice their mean to one part in STEEPNESS of
    it, at least one unit. available: what a
    head of each layer has; what one cannot fill is handed to the others, evenly.
    """
    layers, always = len(available), protected + selection.sinks
    free = selection.budget - always
    last = max(free / STEEPNESS, min(free, 1))
    step = 2 * (free - last) / max(layers - 1, 1)
    ideal = [last + step * (layers - 1 - layer) if layers > 1 else free for layer in range(layers)]
    ends = [0, *(int(end + 0.5) for end in accumulate(ideal))]
    shares = [min(always + end - begin, most) for (begin, end), most in zip(pairwise(ends), available, strict=True)]
    while lacking := selection.budget * layers - sum(shares):
        open_layers = [layer for layer in range(layers) if shares[layer] < available[layer]]
        for layer in open_layers:
            more = min(-(-lacking // len(open_layers)), available[layer] - shares[layer], lacking)
            shares[layer] += more
            lacking -= more
    return shares


def _ranked(scores: Tensor, positions: Tensor, selection: Selection, protected: int) -> Tensor:
    """The scores, infinite for what is always kept, and minus infinite where there is no unit."""
    ranked = scores.clone()
    if selection.sinks:
        ranked[positions < selection.sinks] = torch.inf
    if protected:
        ranked[..., -protected:] = torch.inf
    if selection.allocation != "uniform":
        ranked[positions < 0] = -torch.inf
    return ranked


def _best(ranked: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Indices and values of each head's best."""
    best = ranked.topk(count, dim=-1)
    return best.indices, best.values


def _heads_sharing(ranked: Tensor, selection: Selection) -> int:
    """Units of all heads that share a budget."""
    layers, kv_heads, units = ranked.shape
    return kv_heads * units * (layers if selection.allocation == "model" else 1)


def _pyramid(ranked: Tensor, selection: Selection, protected: int) -> Tensor:
    available = (ranked > -torch.inf).sum(dim=-1).amin(dim=-1).tolist()
    kept = torch.zeros_like(ranked, dtype=torch.bool)
    for layer, share in enumerate(pyramid_shares(selection, protected, available)):
        kept[layer].scatter_(-1, ranked[layer].topk(share, dim=-1).indices, value=True)
    return kept


def _slots(kept: Tensor) -> Tensor:
    """kept: bool (layers, kv_heads, n)."""
    slots = torch.where(kept, torch.arange(kept.shape[-1]), -1).sort(dim=-1).values
    return slots[..., slots.shape[-1] - int(kept.sum(dim=-1).max()) :]
