"""Memory that was freed, given back to the system. It knows nothing of who freed it."""

from __future__ import annotations

import ctypes
import gc
import sys


def give_back() -> None:
    """glibc keeps freed memory for later; a model that was unloaded, or unpacked while it loaded, leaves much of it."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
