"""Takes each layer's Q, K and V out of a running llama.cpp graph, as they leave the projections.

It knows the names that llama.cpp gives its tensors; what the features are for is the receiver's affair.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import torch
from torch import Tensor

from engine.backends import ggml

Receiver = Callable[[int, Tensor], None]


class FeatureCapture:
    """Hands `receive(layer, features)` each layer's features, float32 (n, width), once a graph.

    Separate projections are `Qcur-<l>`, `Kcur-<l>`, `Vcur-<l>`, a fused one is `wqkv-<l>`, and with a bias the name (or
    `wqkv_b-<l>`) comes again with the sum, so the last one seen counts. Views of them, and what is rotated or scaled
    head by head afterwards, bear the same names and are passed over. `features` is a buffer that the next layer
    overwrites.
    """

    def __init__(self, layers: int, heads: int, kv_heads: int, head_dim: int, tokens: int, receive: Receiver) -> None:
        queries, keys = heads * head_dim, kv_heads * head_dim
        width = queries + 2 * keys
        columns = {
            b"Qcur": (0, queries),
            b"Kcur": (queries, keys),
            b"Vcur": (queries + keys, keys),
            b"wqkv": (0, width),
            b"wqkv_b": (0, width),
        }
        self._wanted = {
            b"%s-%d" % (name, layer): (layer, *place) for name, place in columns.items() for layer in range(layers)
        }
        self._buffer = torch.empty(tokens, width)
        self._receive = receive
        self._layer: int | None = None
        self._tokens = 0

    def wants(self, address: int) -> bool:
        """Asked for every node of the graph, before it is computed: as little as possible happens here."""
        wanted = self._wanted.get(ctypes.string_at(address + ggml.NAME_OFFSET))
        if wanted is None:
            return False
        tensor = ggml.at(address)
        whole_rows = tensor.ne[0] == wanted[2] and tensor.ne[2] == 1
        return whole_rows and tensor.op != ggml.ROPE and tensor.view_src is None

    def take(self, address: int) -> None:
        """Copies a tensor that was wanted and has been computed."""
        layer, offset, _ = self._wanted[ctypes.string_at(address + ggml.NAME_OFFSET)]
        if layer != self._layer:
            self.finish()
        self._layer, self._tokens = layer, ggml.at(address).ne[1]
        row = self._buffer.stride(0) * self._buffer.element_size()
        ggml.read_rows(address, self._buffer.data_ptr() + offset * self._buffer.element_size(), row)

    def finish(self) -> None:
        """Hands over the layer that is complete; called once more at the end of each graph."""
        if self._layer is not None:
            layer, self._layer = self._layer, None
            self._receive(layer, self._buffer[: self._tokens])

    def drop(self) -> None:
        """Forgets a layer half seen: the graph was stopped."""
        self._layer = None
