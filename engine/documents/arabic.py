"""Lines of right-to-left writing whose letters MuPDF gives in a slightly wrong order. Letters and places; no PDF.

MuPDF turns right-to-left runs into reading order character by character. Three things go wrong on the way: the letters
of a lam-alef, one sign on the page, change places; a blank beside a number is lost or lands at the line's beginning;
and brackets stay as they are drawn, the first of two as the closing one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.documents.line import RIGHT_TO_LEFT, runs_from_right

ALEFS, LAM = "\u0622\u0623\u0625\u0627", "\u0644"
_NO_WIDTH = 0.01
_LEAST_BLANK = 0.12
_MIRRORED = str.maketrans("()[]{}", ")(][}{")
# A closing bracket before a word, and an opening one behind it: the wrong way round.
_TURNED = re.compile(r"(?<!\S)[)\]}](?=\w)|[(\[{](?![^\s.,;:!?\u060c\u061b\u061f])")
_NUMBER = re.compile(r"\d(?:[\d.,:/\u066b\u066c-]*\d)?")


@dataclass(frozen=True)
class Letter:
    """A character and where it stands along the line, in points; size: of its font."""

    text: str
    left: float
    right: float
    size: float


def in_order(letters: Sequence[Letter]) -> str:
    """The text of a line in the order in which it is read."""
    text = _with_blanks(_with_lam_alef(list(letters)))
    return (
        _TURNED.sub(lambda bracket: bracket[0].translate(_MIRRORED), text).lstrip() if runs_from_right(text) else text
    )


def _with_lam_alef(letters: list[Letter]) -> list[Letter]:
    """An alef that takes no room of its own before the lam that it is written with comes after it."""
    for place, (first, second) in enumerate(pairwise(letters)):
        if (
            first.text in ALEFS
            and second.text == LAM
            and first.right - first.left < _NO_WIDTH < second.right - second.left
        ):
            letters[place], letters[place + 1] = second, first
    return letters


def _with_blanks(letters: list[Letter]) -> str:
    """A blank between a number and a right-to-left word wherever the page shows room between them."""
    text = "".join(letter.text for letter in letters)
    if len(text) != len(letters):
        return text
    gaps: list[int] = []
    for number in _NUMBER.finditer(text):
        first, last = number.start(), number.end()
        inside = letters[first:last]
        left, right = min(letter.left for letter in inside), max(letter.right for letter in inside)
        if first and RIGHT_TO_LEFT.match(text[first - 1]) and _is_room(right, letters[first - 1].left, inside[0].size):
            gaps.append(first)
        if last < len(text) and RIGHT_TO_LEFT.match(text[last]) and _is_room(letters[last].right, left, inside[0].size):
            gaps.append(last)
    for place in reversed(gaps):
        text = f"{text[:place]} {text[place:]}"
    return text


def _is_room(left: float, right: float, size: float) -> bool:
    return right - left >= _LEAST_BLANK * size
