"""The one way in which reading documents is stopped by the person."""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import UserError

Cancelled = Callable[[], bool]


def never() -> bool:
    """For work that nobody can stop."""
    return False


def stop_if(cancelled: Cancelled) -> None:
    """Raises UserError("cancelled") once that is so."""
    if cancelled():
        raise UserError("cancelled", "Stopped. What was read so far is kept.")
