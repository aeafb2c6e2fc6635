"""The frozen model that heads are trained for: a context read once, branches after it, features layer by layer.

Any model that the torch runtime loads. It knows nothing of text, labels or heads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from engine.backends.torch_attention import unrotated
from engine.backends.torch_errors import in_sentences
from engine.backends.torch_features import FeatureCapture
from engine.backends.torch_model import Placement, TorchModel
from engine.training import branch_attention
from engine.training.branch_attention import BranchPass


@dataclass(frozen=True)
class LayerFeatures:
    """What one layer computed of a context of n tokens and of m branch tokens.

    features: (n, width), concat(Q, K, V) of the context before any norm or RoPE. keys: (kv_heads, n, head_dim), after
    RoPE. queries: (heads, m, head_dim) of all branches' tokens, after RoPE.
    """

    features: Tensor
    keys: Tensor
    queries: Tensor


Receiver = Callable[[int, LayerFeatures], None]


class Backbone:
    """A model, its shape and its vocabulary. Raises UserError("model_missing" or "model_broken")."""

    def __init__(self, path: Path, placement: Placement | None = None) -> None:
        self._model = model = TorchModel(path, placement or Placement(), branch_attention.NAME)
        self.layers, self.heads, self.kv_heads = model.layers, model.heads, model.kv_heads
        self.head_dim, self.context_length = model.head_dim, model.context_length
        self.device, self.dtype, self.vocabulary = model.device, model.dtype, model.vocabulary

    @property
    def feature_width(self) -> int:
        """Width of concat(Q, K, V) of a token."""
        return (self.heads + 2 * self.kv_heads) * self.head_dim

    @torch.no_grad()
    def run(self, context: Sequence[int], branches: Sequence[Sequence[int]], receive: Receiver) -> Tensor:
        """Runs the tokens through the model; receive(layer, features) is called for each layer as it is computed.

        Each branch sees the context and itself; its positions go on after the context. What was handed over lives on
        only as long as the receiver keeps it. Returns the last hidden states, (n + m, hidden).
        """
        parts: dict[int, list[Tensor]] = {}

        def complete(layer: int, keys: Tensor, queries: Tensor) -> None:
            features = torch.cat([part[: len(context)] for part in parts.pop(layer)], dim=-1)
            receive(layer, LayerFeatures(features, keys, queries))

        model, lengths = self._model, [len(branch) for branch in branches]
        shared = BranchPass(len(context), lengths, model.frequencies, model.magnitude, complete)
        tokens = [*context, *(token for branch in branches for token in branch)]
        with ExitStack() as hooks:
            hooks.enter_context(unrotated(model.rotary))
            hooks.enter_context(FeatureCapture(parts.__setitem__).on(model.attentions))
            with in_sentences(model.device):
                return model.run_at(tokens, shared.positions, branch_pass=shared)

    def close(self) -> None:
        """Frees the weights."""
        self._model.close()
