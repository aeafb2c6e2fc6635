"""A backend without a model: units are their tokens, CIS a function of the token. For tests of who is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


class CountingBackend:
    """Implements `engine.locret.backend.Backend`."""

    def __init__(self, layers: int, kv_heads: int, scores: Callable[[int], float], position_limit: int = 1000) -> None:
        self.layers, self.kv_heads, self.scores = layers, kv_heads, scores
        self.position_limit = position_limit
        self.clear()

    @property
    def length(self) -> int:
        return self.tokens.shape[-1]

    @property
    def position(self) -> int:
        return self.length + self.dropped

    def clear(self) -> None:
        self.dropped = 0
        self.tokens = torch.empty(self.layers, self.kv_heads, 0, dtype=torch.long)

    def forward(self, tokens: Sequence[int]) -> Tensor:
        new = torch.as_tensor(list(tokens)).expand(self.layers, self.kv_heads, len(tokens))
        self.tokens = torch.cat([self.tokens, new], dim=-1)
        cis = torch.tensor([self.scores(token) for token in tokens], dtype=torch.float32)
        return cis.expand(self.layers, self.kv_heads, len(tokens))

    def keep(self, slots: Tensor, compact: bool = True) -> None:
        self.dropped = 0 if compact else self.dropped + self.length - slots.shape[-1]
        self.tokens = self.tokens.gather(-1, slots)

    def tokens_at(self, layer: int, head: int) -> list[int]:
        return self.tokens[layer, head].tolist()
