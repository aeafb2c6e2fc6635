"""From logits to the next token: greedy at temperature 0, else nucleus sampling with a seed."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

TOP_P = 0.95


def chooser(temperature: float, seed: int) -> Callable[[Tensor], int]:
    """A function from logits, float32 (vocab,), to a token. The same seed chooses the same tokens."""
    if temperature <= 0:
        return lambda logits: int(logits.argmax())
    generator = torch.Generator().manual_seed(seed)

    def choose(logits: Tensor) -> int:
        probabilities, tokens = torch.softmax(logits / temperature, dim=-1).sort(descending=True)
        nucleus = probabilities.cumsum(0) - probabilities < TOP_P
        pick = torch.multinomial(probabilities * nucleus, 1, generator=generator)
        return int(tokens[pick])

    return choose
