"""Lines that come again at the top or foot of pages: titles, page numbers. Pages are shown to it in order.

A line goes only if one of the few pages before has it at the same height, so that its first occurrence stays and
nothing is lost that is not on an earlier page. A line with a number that counts the pages goes once two pages before
have it. Headings, in larger letters than the page's, stay: slides may share a title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from engine.documents.line import Line

EDGE = 0.12
"""Of the page's height, at the top and at the foot."""
PAGES_BEFORE = 4
"""That are compared: left and right pages may differ, and a chapter's first page often has none."""
MOST_LINES = 4
"""At each edge."""
LONGEST = 200
"""In characters."""
SAME_HEIGHT = 3.0
MOST_OFFSET = 50
"""Between a page's own number and its number in the file, where the line has words too."""
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN_NUMBER = re.compile(r"(?=[ivxlcdm])m*(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.I)
_DIGITS = re.compile(r"\d{1,9}")
# Where the page's number stands in a running head: first, last, or before how many there are.
_PLACES = re.compile(r"\W*#\s(?:.*\D)?|(?:.*\s)?\W*#\W*|(?:.*\s)?\W*#(?:\s*[/|]\s*|\s[^\W\d]{1,4}\s)#\W*")
LARGE = 1.1
"""Times the height of the page's lines: headings."""


@dataclass(frozen=True)
class _Edge:
    """A line at an edge: its text with "#" for numbers, the numbers, where it stands, and whether it is a heading."""

    shape: str
    numbers: tuple[int, ...]
    at_top: bool
    height: float
    large: bool


class RunningHeads:
    """Of one document."""

    def __init__(self) -> None:
        self._before: dict[int, list[_Edge]] = {}

    def without(self, lines: Sequence[Line], height: float, number: int) -> list[Line]:
        """The lines that are no running heads, in the order given; all of them where nothing else would be left.
        height: of the page; number: the page's in the file. A page may be shown again as recognition sees it. Only the
        PAGES_BEFORE numbers before count: whoever begins further on shows these first.
        """
        self._before = {page: edges for page, edges in self._before.items() if page >= number - PAGES_BEFORE}
        usual = median(line.bottom - line.top for line in lines) if lines else 0.0
        edges = {place: _edge(lines[place], at_top, usual) for place, at_top in _at_the_edges(lines, height)}
        again = {place for place, edge in edges.items() if self._is_running(edge, number)}
        self._before.setdefault(number, []).extend(edges.values())
        kept = [line for place, line in enumerate(lines) if place not in again]
        return kept or list(lines)

    def _is_running(self, edge: _Edge, number: int) -> bool:
        same, counted = 0, 0
        for page, edges in self._before.items():
            if page == number:
                continue
            alike = [other for other in edges if _is_alike(edge, other)]
            same += any(other.numbers == edge.numbers for other in alike)
            counted += any(_counts(other, edge, number - page) for other in alike)
        has_words = any(character.isalpha() for character in edge.shape)
        near = not has_words or any(abs(own - number) <= MOST_OFFSET for own in edge.numbers)
        return not edge.large and (same >= 1 or (counted >= 2 and near))


def _at_the_edges(lines: Sequence[Line], height: float) -> list[tuple[int, bool]]:
    """(place in the lines, whether at the top), the outermost few of each edge."""
    places = sorted(
        (place for place, line in enumerate(lines) if line.horizontal), key=lambda place: lines[place].middle
    )
    places = [place for place in places if len(lines[place].text) <= LONGEST]
    top = [place for place in places[:MOST_LINES] if lines[place].bottom <= EDGE * height]
    foot = [place for place in places[-MOST_LINES:] if lines[place].top >= (1 - EDGE) * height]
    return [(place, True) for place in top] + [(place, False) for place in foot]


def _edge(line: Line, at_top: bool, usual: float) -> _Edge:
    large = line.bottom - line.top > LARGE * usual
    text = " ".join(line.text.split())
    if (bare := text.strip("-\u2013\u2014 ")) and _ROMAN_NUMBER.fullmatch(bare):
        return _Edge("#", (_roman(bare.lower()),), at_top, line.middle, large)
    numbers = tuple(int(digits) for digits in _DIGITS.findall(text))
    return _Edge(_DIGITS.sub("#", text), numbers, at_top, line.middle, large)


def _is_alike(edge: _Edge, other: _Edge) -> bool:
    same_place = edge.at_top == other.at_top and abs(edge.height - other.height) <= SAME_HEIGHT
    return same_place and edge.shape == other.shape and len(edge.numbers) == len(other.numbers)


def _counts(before: _Edge, edge: _Edge, pages: int) -> bool:
    """Whether the line holds a page's number, which differs by the pages between; no other number differs."""
    steps = [after - first for first, after in zip(before.numbers, edge.numbers, strict=True)]
    return sorted(steps) == [0] * (len(steps) - 1) + [pages] and _PLACES.fullmatch(edge.shape) is not None


def _roman(text: str) -> int:
    values = [_ROMAN[letter] for letter in text]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))
