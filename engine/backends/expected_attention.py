"""Expected Attention (arXiv 2510.00636): a unit is worth the attention that queries yet to come are expected to pay."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.backends.feature_layout import FeatureLayout, HeadVectors, turn_pairs

FUTURE_POSITIONS = 512


class ExpectedAttentionScorer:
    """score_i = |v_i| * mean over the group's query heads of n * softmax_i(k_i m / sqrt(d) + k_i C k_i / 2d), over the
    n units of one forward and head: m = R E[q], C = R Cov[q] R^T, R = RoPE averaged over the next 512 positions
    (section 3 of the paper; their code's settings, its epsilon 0).

    Where it differs from the paper, whose statistics and softmax are over everything in the cache:
    - a unit is scored once, when it is read, with the queries and units of its own forward (at most 512 tokens);
      positions are those in the forward, since a common rotation changes no logit;
    - `n *`, so that forwards of different lengths can be compared; a token read alone, in an answer, is worth |v_i|;
    - the first tokens of the stream are not left out of the statistics: they are read in a forward of their own with
      the chat's opening, and the selection keeps them as sinks.
    """

    def __init__(self, layout: FeatureLayout) -> None:
        self._vectors = HeadVectors(layout)
        self._group = layout.heads // layout.kv_heads
        self._scores: list[Tensor] = []
        self._turn: dict[bool, tuple[Tensor, Tensor]] = {}
        self._tokens = 0

    def take(self, layer: int, features: Tensor) -> None:
        """features: (n, width), of one layer; layers come in order."""
        queries, keys, values = self._vectors.split(features)
        norms = values.norm(dim=-1)
        self._scores.append(norms if len(features) == 1 else norms * self._attention(layer, queries, keys))

    def _attention(self, layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        """(kv_heads, n), 1 on average."""
        tokens, width = keys.shape[1:]
        cos, sin = self._mean_turn(layer, tokens)
        mean = queries.mean(dim=1, keepdim=True)
        centred = queries - mean
        covariance = centred.transpose(1, 2) @ centred / tokens
        mean = turn_pairs(mean, cos, sin)
        covariance = turn_pairs(turn_pairs(covariance, cos, sin).transpose(1, 2), cos, sin)
        grouped = self._vectors.turned(layer, keys)[:, None]
        mean = mean.view(len(keys), self._group, 1, width)
        covariance = covariance.view(len(keys), self._group, width, width)
        logits = (grouped * mean).sum(dim=-1) / width**0.5
        logits += ((grouped @ covariance) * grouped).sum(dim=-1) / (2 * width)
        attention: Tensor = logits.softmax(dim=-1).mean(dim=1)
        return attention * tokens

    def _mean_turn(self, layer: int, tokens: int) -> tuple[Tensor, Tensor]:
        """The same for all layers that are rotated, and for all that are not."""
        if tokens != self._tokens:
            self._tokens, self._turn = tokens, {}
        kind = self._vectors.layout.rotated[layer]
        if kind not in self._turn:
            self._turn[kind] = self._vectors.mean_turn(layer, tokens, FUTURE_POSITIONS)
        return self._turn[kind]

    def finish(self) -> Tensor:
        """The scores of what was taken since the last call, float32 (layers, kv_heads, n), on the CPU."""
        scores, self._scores = torch.stack(self._scores).cpu(), []
        return scores

    def drop(self) -> None:
        """Forgets what was taken: the forward was stopped."""
        self._scores = []
