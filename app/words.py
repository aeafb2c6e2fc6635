"""Numbers, sizes and times as they stand on screen. LOOK: numbers with units, times as "about 3 min"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

LONGEST = 60


def number(value: float) -> str:
    """A whole number with its thousands marked."""
    return f"{round(value):,}"


def count(value: int, thing: str) -> str:
    """A count and its noun."""
    return f"{number(value)} {thing}" if value == 1 else f"{number(value)} {thing}s"


def megabytes(value: float) -> str:
    """A size in MB, or in GB from 1,000 MB on."""
    return f"{value / 1000:.1f} GB" if value >= 1000 else f"{number(value)} MB"


def duration(seconds: float) -> str:
    """A time to wait, as nobody can promise it more exactly."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 60:
        return f"about {round(seconds / 10) * 10} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {minutes} min"
    hours, rest = divmod(5 * round(minutes / 5), 60)
    return f"about {hours} h {rest} min" if rest else f"about {hours} h"


def when(timestamp: float, now: datetime) -> str:
    """A moment as people name it: the time today, then yesterday, then the date."""
    moment = datetime.fromtimestamp(timestamp)
    days = (now.date() - moment.date()).days
    if days == 0:
        return f"{moment:%H:%M}"
    if days == 1:
        return "Yesterday"
    date = f"{moment.day} {moment:%b}"
    return date if moment.year == now.year else f"{date} {moment.year}"


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def shortened(name: str) -> str:
    """A title or a file's name that fits a sentence; its end tells files apart."""
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[:half].rstrip()}\u2026{name[-half:].lstrip()}"
