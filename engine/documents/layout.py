"""Lines on a page, with where they stand, -> text in reading order. Pure geometry: it knows nothing of PDF.

Columns are read one after the other wherever the file wrote them, the right one first where the text runs from right to
left; what stands side by side but is no column (a table's row) stays together, even if the file wrote a table column by
column; words broken at a line's end are whole again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from engine.documents.line import Line, runs_from_right
from engine.documents.row_by_row import row_by_row

LEAST_LINES = 4
LEAST_CHARACTERS = 15
LEAST_FILL = 0.6
LEAST_GUTTER = 5.0
SAME_EDGE = 2.0
SAME_ROW = 0.6
APART = 1.5
CELL_GAP = "  "
CLOSE, NEAR = 0.1, 0.3
"""Of its height: how far a sign behind a word, and a piece of a line, may be from what is before and are no cells."""
HYPHENS = "-\u2010\u00ad"
BROKEN_WORD = re.compile(rf"([^\W\d_]+)[{HYPHENS}]$")
CHAIN = re.compile(r"[^\W\d_][-\u2010][^\W\d_]+[-\u2010]$")
# Of English, where these make compounds: "self-evident", but "selfish"; "well-known"; "twenty-one".
HYPHENATED, DERIVED = frozenset({"self", "well"}), frozenset({"ish", "ishly", "ishness", "less", "lessly", "ness"})
TENS = frozenset(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
UNITS = frozenset([*ONES, "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"])
CONTINUED_WORD = re.compile(r"([^\W\d_]+)")


def page_text(lines: Sequence[Line], pictures: Sequence[Line] = ()) -> str:
    """The text of a page. Text that does not run from left to right along the page comes last. pictures: text in
    pictures, each one piece, that stands behind what is above it.
    """
    level = [line for line in lines if line.horizontal]
    from_right = 2 * sum(runs_from_right(line.text) for line in level) > len(level)
    ordered = _in_order([_mirrored(line) for line in level] if from_right else level)
    for picture in pictures:
        at = _mirrored(picture) if from_right else picture
        ordered.insert(_place(at, ordered), replace(at, horizontal=False))
    return _joined([*ordered, *(line for line in lines if not line.horizontal)])


def _mirrored(line: Line) -> Line:
    """As it stands in a looking glass: text that runs from right to left is put in order as if it ran the other way."""
    return Line(line.text, -line.right, line.top, -line.left, line.bottom)


def _place(picture: Line, ordered: list[Line]) -> int:
    """Behind the last line above it in its column, or before the first one below."""
    beside = [place for place, line in enumerate(ordered) if line.left < picture.right and picture.left < line.right]
    above = [place for place in beside if ordered[place].middle <= picture.top]
    return max(above) + 1 if above else min(beside, default=len(ordered))


def _in_order(lines: list[Line]) -> list[Line]:
    """Columns from left to right between the lines that run across them; without columns, the order
    given, but for tables that were written column by column.
    """
    edge = _second_column(lines)
    if edge is None:
        return row_by_row(lines)
    apart = _apart(lines)
    across = [line for line in lines if line.left < edge - SAME_EDGE < line.right or line in apart]
    across.sort(key=lambda line: line.middle)
    ordered: list[Line] = []
    bounds = [float("-inf"), *(line.middle for line in across), float("inf")]
    for number, (upper, lower) in enumerate(pairwise(bounds)):
        band = [line for line in lines if upper < line.middle <= lower and line not in across]
        ordered += _in_order([line for line in band if line.right <= edge - SAME_EDGE])
        ordered += _in_order([line for line in band if line.left >= edge - SAME_EDGE])
        ordered += across[number : number + 1]
    return ordered


def _apart(lines: list[Line]) -> list[Line]:
    """A line above or below all others, with empty space between: a page number belongs to no column."""
    found: list[Line] = []
    for turned in (False, True):
        first, *others = sorted(lines, key=lambda line: -line.bottom if turned else line.top)
        nearest = max(line.bottom for line in others) if turned else min(line.top for line in others)
        gap = first.top - nearest if turned else nearest - first.bottom
        if gap >= APART * (first.bottom - first.top):
            found.append(first)
    return found


def _second_column(lines: list[Line]) -> float | None:
    """The left edge of the leftmost column that stands beside another one, or None.

    Columns are told from a table's cells by their lines: several, long, filling the column, side by side.
    """
    for edge in sorted({round(line.left, 1) for line in lines}):
        starting = [line for line in lines if abs(line.left - edge) <= SAME_EDGE]
        if len(starting) < LEAST_LINES:
            continue
        left = [line for line in lines if line.right <= edge - LEAST_GUTTER]
        right = [line for line in lines if line.left >= edge - SAME_EDGE]
        across = len(lines) - len(left) - len(right)
        if across < len(lines) / 2 and _is_column(left) and _is_column(starting) and _side_by_side(left, starting):
            return edge
    return None


def _is_column(lines: list[Line]) -> bool:
    if len(lines) < LEAST_LINES:
        return False
    width = max(line.right for line in lines) - min(line.left for line in lines)
    fill = median(line.right - line.left for line in lines)
    return fill >= LEAST_FILL * width and median(len(line.text) for line in lines) >= LEAST_CHARACTERS


def _side_by_side(left: list[Line], right: list[Line]) -> bool:
    (top, bottom), (other_top, other_bottom) = _span(left), _span(right)
    shared = min(bottom, other_bottom) - max(top, other_top)
    return shared >= 0.5 * min(bottom - top, other_bottom - other_top)


def _span(lines: list[Line]) -> tuple[float, float]:
    return min(line.top for line in lines), max(line.bottom for line in lines)


def _joined(lines: list[Line]) -> str:
    """One line of text a line, but a row's cells on one, and a broken word's halves together."""
    text = "\n".join(line.text for line in lines)
    pieces: list[str] = []
    for before, line in zip([None, *lines], lines, strict=False):
        if before is None:
            pieces.append(line.text)
        elif _same_row(before, line):
            pieces[-1] = pieces[-1].rstrip(" ")
            pieces.append(_between(before, line) + line.text.strip(" "))
        else:
            broken, continued = BROKEN_WORD.search(before.text.rstrip()), CONTINUED_WORD.match(line.text)
            if broken and continued and continued[1][0].islower():
                if _is_compound(before.text, broken[1], continued[1], text):
                    pieces[-1] = pieces[-1].rstrip()
                else:
                    pieces[-1] = pieces[-1].rstrip().rstrip(HYPHENS)
                pieces.append(line.text)
            else:
                pieces.append("\n" + line.text)
    return "".join(pieces).replace("\u00ad", "")


def _between(before: Line, line: Line) -> str:
    gap, height = line.left - before.right, line.bottom - line.top
    if gap > NEAR * height:
        return CELL_GAP
    is_apart = gap > CLOSE * height or before.text.endswith(" ") or line.text[:1].isspace()
    return " " if is_apart or line.text[:1].isalnum() else ""


def _same_row(before: Line, line: Line) -> bool:
    shared = min(before.bottom, line.bottom) - max(before.top, line.top)
    lowest = min(before.bottom - before.top, line.bottom - line.top)
    return before.horizontal and line.horizontal and line.left >= before.right and shared >= SAME_ROW * lowest


def _is_compound(before: str, first: str, second: str, text: str) -> bool:
    """Whether a hyphen at a line's end is the word's own: it has others, is seen whole elsewhere on the page, or is a
    number or of a kind that always has one. before: the line that ends there.
    """
    if CHAIN.search(before.rstrip()) or re.search(rf"\b{first}[-\u2010]{second}\b", text):
        return True
    return (first.lower() in HYPHENATED and second not in DERIVED) or (first.lower() in TENS and second in UNITS)
