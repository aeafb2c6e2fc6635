"""llama.cpp's own log: warnings and errors go to Python's, as warnings, since what fails for us raises as well."""

from __future__ import annotations

import ctypes
import logging
from collections import deque

from llama_cpp import llama_cpp as lib

logger = logging.getLogger(__name__)
_WARNING, _ERROR = 3, 4  # ggml_log_level

last_errors: deque[str] = deque(maxlen=8)
"""The newest error lines: the cause of a load that failed."""


def _log(level: int, text: bytes | None, _data: ctypes.c_void_p) -> None:
    line = (text or b"").decode("utf-8", "replace").rstrip()
    if level == _ERROR:
        last_errors.append(line)
    if level in (_WARNING, _ERROR):
        logger.warning("%s", line)


_callback = lib.llama_log_callback(_log)  # kept: ctypes frees a callback that nothing holds, and llama.cpp calls on


def capture_log() -> None:
    """Takes over llama.cpp's log for the whole process."""
    lib.llama_log_set(_callback, ctypes.c_void_p(0))
