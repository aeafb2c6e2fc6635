"""Raised, lowered and struck text, as it is written in a line that has none of that: "10\u2076", "101\u2082" and
"~~old~~". One rule for all kinds of documents; it knows none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

RAISED, LEVEL, LOWERED = 1, 0, -1
_SIGNS = "0123456789+-\u2212=()n"
_RAISED_SIGNS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u207b\u207c\u207d\u207e\u207f"
_LETTERS = "abcdefghijklmoprstuvwxyz"
_RAISED_LETTERS = (
    "\u1d43\u1d47\u1d9c\u1d48\u1d49\u1da0\u1d4d\u02b0\u2071\u02b2\u1d4f\u02e1\u1d50\u1d52\u1d56\u02b3\u02e2\u1d57\u1d58"
    "\u1d5b\u02b7\u02e3\u02b8\u1dbb"
)
_RAISED = str.maketrans(_SIGNS, _RAISED_SIGNS)
_RAISED_LETTER = str.maketrans(_LETTERS, _RAISED_LETTERS)
_LOWERED = str.maketrans("0123456789", "\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089")
_LONGEST = 12
"""Characters of what can be an exponent."""
_NUMBER = re.compile(r"[0-9+\-\u2212=()n][0-9+\-\u2212=()n.,*\s]*")


@dataclass(frozen=True)
class Look:
    """How a run of text stands. height: RAISED, LEVEL or LOWERED."""

    height: int = LEVEL
    struck: bool = False


PLAIN = Look()


def written(runs: Iterable[tuple[str, Look]]) -> str:
    """The runs of a line, one after another. What looks the same is one run, however it was cut."""
    text = ""
    for look, same in groupby((run for run in runs if run[0]), key=lambda run: run[1]):
        said = "".join(piece for piece, _ in same)
        if look.height != LEVEL:
            said = raised(said) if look.height == RAISED else lowered(said, text)
        text += struck(said) if look.struck else said
    return text


def raised(text: str) -> str:
    """Numbers stay apart from what is before them, and so does a single letter: "10\u00b2", not "102". Of two letters
    and more none changes: "1st".
    """
    said = text.strip()
    if _NUMBER.fullmatch(said):
        return text.translate(_RAISED)
    if len(said) == 1:
        return text.translate(_RAISED_LETTER)
    is_number = 0 < len(said) <= _LONGEST and any(sign.isdigit() for sign in said) and not said.startswith("[")
    return f"^({said})" if is_number else text


def lowered(text: str, before: str) -> str:
    """before: what it follows. "101\u2082", not "1012"; H2O stays as one would type it."""
    return text.translate(_LOWERED) if before[-1:].isdigit() else text


def struck(text: str) -> str:
    """As Markdown has it: an old price beside the new one."""
    return f" ~~{text.strip()}~~ " if text.strip() else text
