"""That text is being recognised, told to whoever waits: it takes many times as long as reading does.

It knows neither pictures nor who waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[bool], None]


def _nobody(_: bool) -> None:
    """Nobody waits."""


_listener: Listener = _nobody


def listen(listener: Listener) -> None:
    """Is called with True before text is recognised and with False after, instead of who was called before."""
    global _listener  # noqa: PLW0603 (a process does one job at a time)
    _listener = listener


@contextmanager
def recognising() -> Iterator[None]:
    """Around the work on one page or picture."""
    _listener(True)
    try:
        yield
    finally:
        _listener(False)
