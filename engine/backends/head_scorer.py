"""The CIS of what a runtime is reading: retaining heads over features in the runtime's own row order."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.locret.heads import ACTIVATIONS, RetainingHeads

_FEW = 8  # tokens up to which one product over all layers beats one a layer


class HeadScorer:
    """Scores a forward layer by layer; `columns` says where the heads' columns go (None: they are in order).

    device, dtype: of the features and of the products; the CIS are float32 on the CPU.
    """

    def __init__(
        self,
        heads: RetainingHeads,
        columns: Tensor | None,
        device: torch.device | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self._first = torch.empty(heads.layers, heads.width, heads.hidden, device=device, dtype=dtype)
        self._second = torch.empty(heads.layers, heads.hidden, heads.kv_heads, device=device, dtype=dtype)
        for layer in range(heads.layers):
            first = heads.first[layer].detach()
            self._first[layer] = (first if columns is None else first[:, columns]).T
            self._second[layer] = heads.second[layer].detach().T
        self._activation = ACTIVATIONS[heads.activation]
        self._few = torch.empty(heads.layers, _FEW, heads.width, device=device, dtype=dtype)
        self._scores: list[Tensor] = []
        self._tokens = 0

    def take(self, layer: int, features: Tensor) -> None:
        """features: (n, width), of one layer; layers come in order. They are read now or copied."""
        self._tokens = len(features)
        if self._tokens <= _FEW:
            self._few[layer, : self._tokens] = features
        else:
            hidden = self._activation(features @ self._first[layer])
            self._scores.append((hidden @ self._second[layer]).T)

    def finish(self) -> Tensor:
        """The CIS of what was taken since the last call, float32 (layers, kv_heads, n)."""
        if self._tokens <= _FEW:
            hidden = self._activation(self._few[:, : self._tokens] @ self._first)
            return (hidden @ self._second).transpose(1, 2).contiguous().float().cpu()
        scores, self._scores = torch.stack(self._scores).float().cpu(), []
        return scores

    def drop(self) -> None:
        """Forgets what was taken: the forward was stopped."""
        self._scores, self._tokens = [], 0
