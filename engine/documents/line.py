"""A line of text and where it stands: what readers of pages give and what is put in order. It knows no order."""

from __future__ import annotations

import re
from dataclasses import dataclass

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
Box = tuple[float, float, float, float]
"""(left, top, right, bottom), in any unit."""


@dataclass(frozen=True)
class Line:
    """One line of text; left, top, right, bottom in points from the page's upper left corner."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    horizontal: bool = True

    @property
    def middle(self) -> float:
        """The height at which it stands."""
        return (self.top + self.bottom) / 2


def runs_from_right(text: str) -> bool:
    """Whether letters of Hebrew, Arabic or another script that is written from right to left are in it."""
    return not text.isascii() and RIGHT_TO_LEFT.search(text) is not None
