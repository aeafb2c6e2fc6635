"""SirLLM (arXiv 2405.12528): a token is worth its surprisal, -log p(token | those before it), in every head.

It wraps a runtime for the reading loop and knows nothing else of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from engine.backends.base import Runtime

_ROWS = 128  # whose probabilities are computed at once


class SurprisalBackend:
    """The runtime with surprisals for CIS, the same in all layers and heads; all else is the runtime's own.

    The paper calls -log p the token entropy (its equation 1) and lets it decay from turn to turn of a dialogue; a
    document is one turn. What is predicted is predicted by the cache as it is then, evicted units missing. The first
    token of the stream, which nothing predicts, is worth 0: it is a sink.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._following: Tensor | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runtime, name)

    def forward(self, tokens: Sequence[int]) -> Tensor:
        """Runs the tokens. Returns their surprisals, float32 (layers, kv_heads, n), in nats."""
        logits = self._runtime.every_logits(tokens)
        surprisals = torch.zeros(len(tokens))
        if self._following is not None:
            surprisals[:1] = _surprisals(self._following[None], tokens[:1])
        surprisals[1:] = _surprisals(logits[:-1], tokens[1:])
        self._following = logits[-1].clone()
        return surprisals.expand(self._runtime.layers, self._runtime.kv_heads, -1).clone()

    def clear(self) -> None:
        """Empties the cache; the next token begins a stream."""
        self._runtime.clear()
        self._following = None


def _surprisals(logits: Tensor, tokens: Sequence[int]) -> Tensor:
    """logits: (n, vocabulary), before each token. Returns -log p of the tokens, float32 (n,)."""
    given = torch.tensor(tokens, dtype=torch.int64)
    rows = range(0, len(tokens), _ROWS)
    normalisers = [torch.logsumexp(logits[first : first + _ROWS], dim=-1) for first in rows]
    chosen = logits.gather(1, given[:, None])[:, 0]
    return torch.cat([*normalisers, torch.empty(0)]) - chosen


def mean_surprisal(logits: Tensor, tokens: Sequence[int]) -> float:
    """The mean over the tokens, each predicted by the row of logits, (n, vocabulary), at its place: an NLL in nats."""
    return float(_surprisals(logits, tokens).mean())
