"""What a torch backend's cache takes, for the tests."""

from __future__ import annotations

from engine.backends.torch_backend import TorchBackend


def bytes_held(backend: TorchBackend) -> int:
    """Bytes of all buffers, filled or not."""
    buffers = [b for layer in backend._cache.units for b in (layer._keys, layer._values, layer._turned)]
    return sum({buffer.data_ptr(): buffer.nbytes for buffer in buffers}.values())
