"""What the C library does with memory that torch frees: on Linux it may be told to keep it for the next tensor."""

from __future__ import annotations

import ctypes
import sys

# mallopt's parameters, from glibc's malloc.h.
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4
_MOST = 2**31 - 1


def keep_freed_memory() -> None:
    """For a process of its own that computes and ends: its memory stays at its peak until then.

    By default glibc gives the blocks of large tensors back to the system when they are freed, and every page of the
    next one is asked for and zeroed anew, which was half of the processor's time (decision 0019). Elsewhere than with
    glibc it does nothing.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_MAX, 0)
        mallopt(_TRIM_THRESHOLD, _MOST)
