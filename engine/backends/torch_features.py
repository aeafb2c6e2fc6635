"""Takes each layer's Q, K and V out of a running transformers model, as they leave the projections.

Forward hooks on q_proj, k_proj and v_proj, or on qkv_proj where they are fused; the model's own code is untouched. It
knows the names of the projections; what the features are for is the receiver's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

Receiver = Callable[[int, list[Tensor]], None]
SEPARATE, FUSED = ("q_proj", "k_proj", "v_proj"), "qkv_proj"


class FeatureCapture:
    """Hands `receive(layer, parts)` each layer's Q, K and V, in one tensor or three, (n, width) together."""

    def __init__(self, receive: Receiver) -> None:
        self._receive = receive
        self._parts: list[Tensor] = []

    @contextmanager
    def on(self, attentions: Sequence[nn.Module]) -> Iterator[None]:
        """Watches these attention modules, one a layer, as long as it lasts."""
        handles = [handle for layer, module in enumerate(attentions) for handle in self._watch(layer, module)]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def drop(self) -> None:
        """Forgets a layer half seen: the forward was stopped."""
        self._parts = []

    def _watch(self, layer: int, attention: nn.Module) -> Iterator[Any]:
        if hasattr(attention, FUSED):
            yield attention.get_submodule(FUSED).register_forward_hook(
                lambda _module, _inputs, output: self._receive(layer, [output[0]])
            )
            return
        *first, last = SEPARATE
        for name in first:
            yield attention.get_submodule(name).register_forward_hook(
                lambda _module, _inputs, output: self._parts.append(output[0])
            )
        yield attention.get_submodule(last).register_forward_hook(
            lambda _module, _inputs, output: self._complete(layer, output[0])
        )

    def _complete(self, layer: int, values: Tensor) -> None:
        parts, self._parts = self._parts, []
        self._receive(layer, [*parts, values])
