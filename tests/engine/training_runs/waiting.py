"""Waiting for what another process does, and ending what it leaves."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

STAND_IN = Path(__file__).parent / "stand_in.py"
PATIENCE = 30.0


def command(*options: str) -> list[str]:
    """Starts the stand-in with these options of its own."""
    return [sys.executable, str(STAND_IN), *options]


def until(look: Callable[[], dict[str, Any] | None], *states: str) -> dict[str, Any]:
    """The run once it is in one of the states."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        run = look()
        if run is not None and run["state"] in states:
            return run
        time.sleep(0.02)
    raise AssertionError(f"no run came to be {' or '.join(states)}: {look()}")
