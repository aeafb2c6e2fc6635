"""What a torch backend's cache takes, for the tests."""

from __future__ import annotations

from engine.backends.torch_backend import TorchBackend
from engine.backends.torch_ragged import RaggedCache


def bytes_held(backend: TorchBackend) -> int:
    """Bytes of all buffers, filled or not."""
    cache = backend._cache
    if isinstance(cache, RaggedCache):
        heads = [head for layer in cache.units for head in layer.heads]
        buffers = [b for head in heads for b in (head.keys, head.values, head.turned)]
    else:
        buffers = [b for layer in cache.units for b in (layer._keys, layer._values, layer._turned)]
    return sum({buffer.data_ptr(): buffer.nbytes for buffer in buffers}.values())
