"""From logits to the next token: greedy at temperature 0, else nucleus sampling with a seed; and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

TOP_P = 0.95
# A small model may say the same for ever. Lists and tables repeat themselves less than this.
LONGEST_PERIOD = 96
TIMES = 4
LEAST_REPEATED = 48


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


def is_looping(tokens: Sequence[int]) -> bool:
    """Whether the last tokens are one passage said over and over: four times, and at least 48 tokens of it."""
    for period in range(1, min(LONGEST_PERIOD, len(tokens) // TIMES) + 1):
        repeated = max(TIMES * period, LEAST_REPEATED)
        if len(tokens) >= repeated and all(tokens[-i] == tokens[-i - period] for i in range(1, repeated - period + 1)):
            return True
    return False
