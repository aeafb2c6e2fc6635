"""Lines that come again at the top or foot of pages: titles, page numbers. Pages are shown to it in order.

A line goes only if two of the few pages before have it at the same height, with or without a number that counts the
pages, so that nothing is lost that is not on an earlier page. What may be content stays: headings, in larger letters
than the page's, since slides may share a title; what stands in one block with other text, as the answers of a form or
the rows of a list do; "Risk: high"; a line that gave way to another and is back; a number that a colon announces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
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
APART = 1.2
"""Times the usual distance of the page's rows: where a block of them ends."""
FEW_ROWS = 4
BEFORE_IT_GOES = 2
"""Pages that have the line."""
_ANSWER = re.compile(r"\W*[^\W\d][^\s:\uff1a]*(?: [^\s:\uff1a]+){0,2} ?(?::\s|\uff1a).*\w")
_COLONS = (":", "\uff1a")


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
        times = {place: self._times(edge, number) for place, edge in edges.items()}
        again = {place for place, edge in edges.items() if max(times[place]) >= BEFORE_IT_GOES and not edge.large}
        again = {place for place in again if not _ANSWER.match(" ".join(lines[place].text.split()))}
        if again:
            known = {place for place in times if any(times[place])}
            text = {place for place, line in enumerate(lines) if _has_words(line.text)} - known
            numbers = {place for place in again if not times[place][0] and not _has_words(lines[place].text)}
            again -= _beside(lines, text) - numbers
            again -= _announced(lines, numbers)
        self._before.setdefault(number, []).extend(edges.values())
        kept = [line for place, line in enumerate(lines) if place not in again]
        return kept or list(lines)

    def _times(self, edge: _Edge, number: int) -> tuple[int, int]:
        """On how many pages before it stands as it is, and with a number that counts the pages."""
        same: set[int] = set()
        other: set[int] = set()
        counted = 0
        for page, edges in self._before.items():
            if page == number:
                continue
            there = [before for before in edges if _is_there(edge, before)]
            alike = [before for before in there if _is_alike(edge, before)]
            if any(before.numbers == edge.numbers for before in alike):
                same.add(page)
            elif any(_has_words(before.shape) for before in there):
                other.add(page)
            counted += any(_counts(before, edge, number - page) for before in alike)
        near = not _has_words(edge.shape) or any(abs(own - number) <= MOST_OFFSET for own in edge.numbers)
        return 0 if _is_back(same, other, number) else len(same), counted if near else 0


def _is_back(same: set[int], other: set[int], number: int) -> bool:
    """Whether another line took its place in between, and not only on every other page."""
    takes_turns = all((number - page) % 2 == 0 for page in same) and all((number - page) % 2 for page in other)
    return bool(same and other) and min(same) < max(other) and not takes_turns


def _announced(lines: Sequence[Line], numbers: set[int]) -> set[int]:
    """The numbers below a line that ends with a colon."""
    found: set[int] = set()
    for place in numbers:
        above = [line for line in lines if line.horizontal and line.bottom <= lines[place].top]
        if above and max(above, key=lambda line: line.bottom).text.rstrip().endswith(_COLONS):
            found.add(place)
    return found


def _beside(lines: Sequence[Line], text: set[int]) -> set[int]:
    """The lines in blocks that hold one of `text`, at the same height or a usual distance from row to row."""
    places = sorted((at for at, line in enumerate(lines) if line.horizontal), key=lambda at: lines[at].middle)
    rows: list[list[int]] = []
    for place in places:
        if rows and lines[place].middle < lines[rows[-1][0]].bottom:
            rows[-1].append(place)
        else:
            rows.append([place])
    steps = [lines[after[0]].middle - lines[row[0]].middle for row, after in pairwise(rows)]
    usual = median(steps) if len(rows) >= FEW_ROWS else 2 * median(lines[at].bottom - lines[at].top for at in places)
    blocks = [rows[0]] if rows else []
    for row, step in zip(rows[1:], steps, strict=True):
        if step <= APART * usual:
            blocks[-1] = [*blocks[-1], *row]
        else:
            blocks.append(row)
    return {place for block in blocks if text.intersection(block) for place in block}


def _has_words(text: str) -> bool:
    return any(character.isalpha() for character in text)


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


def _is_there(edge: _Edge, other: _Edge) -> bool:
    return edge.at_top == other.at_top and abs(edge.height - other.height) <= SAME_HEIGHT


def _is_alike(edge: _Edge, other: _Edge) -> bool:
    return edge.shape == other.shape and len(edge.numbers) == len(other.numbers)


def _counts(before: _Edge, edge: _Edge, pages: int) -> bool:
    """Whether the line holds a page's number, which differs by the pages between; no other number differs."""
    steps = [after - first for first, after in zip(before.numbers, edge.numbers, strict=True)]
    return sorted(steps) == [0] * (len(steps) - 1) + [pages] and _PLACES.fullmatch(edge.shape) is not None


def _roman(text: str) -> int:
    values = [_ROMAN[letter] for letter in text]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))
