"""Loading a GGUF file with transformers without parsing it twice.

transformers reads the whole header for the configuration and again for the weights, and makes gguf's table of tensor
names anew for each of the model's modules. While this lasts, both are made once. It knows no model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import gguf

_REMEMBERED = ("GGUFReader", "get_tensor_name_map")


@contextmanager
def parsed_once() -> Iterator[None]:
    """gguf's reader and name table, remembered by their arguments until the end of the block."""
    own = {name: getattr(gguf, name) for name in _REMEMBERED}
    try:
        for name, make in own.items():
            setattr(gguf, name, cache(make))
        yield
    finally:
        for name, make in own.items():
            setattr(gguf, name, make)
