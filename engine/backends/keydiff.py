"""KeyDiff (arXiv 2504.15364): a unit is worth as much as its key is unlike the others."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from engine.backends.feature_layout import FeatureLayout, HeadVectors


class KeyDiffScorer:
    """score_i = mean_j cos(k_j, a) - cos(k_i, a), a = mean_j k_j / |k_j|, over the keys of one forward and head, after
    RoPE (section 3 of the paper).

    Where it differs from the paper, whose anchor `a` is of all keys in the cache at an eviction, new scores for all:
    - a unit is scored once, when it is read, against the keys of its own forward (at most 512 tokens; their block-wise
      variant without the cache). Positions are those in the forward: a common rotation changes no cosine;
    - the forward's mean is taken off, since the anchor of few keys lies nearer to each of them: forwards of different
      lengths can be compared, and a token read alone, in an answer, is worth 0, as much as the average;
    - keys are taken before the norm that some architectures (qwen3) apply to them.
    """

    def __init__(self, layout: FeatureLayout) -> None:
        self._vectors = HeadVectors(layout)
        self._scores: list[Tensor] = []

    def take(self, layer: int, features: Tensor) -> None:
        """features: (n, width), of one layer; layers come in order."""
        _, keys, _ = self._vectors.split(features)
        keys = F.normalize(self._vectors.turned(layer, keys), dim=-1)
        likeness = F.cosine_similarity(keys, keys.mean(dim=1, keepdim=True), dim=-1)
        self._scores.append(likeness.mean(dim=1, keepdim=True) - likeness)

    def finish(self) -> Tensor:
        """The scores of what was taken since the last call, float32 (layers, kv_heads, n), on the CPU."""
        scores, self._scores = torch.stack(self._scores).cpu(), []
        return scores

    def drop(self) -> None:
        """Forgets what was taken: the forward was stopped."""
        self._scores = []
