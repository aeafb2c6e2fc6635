"""Lines on a page, with where they stand, -> text in reading order. Pure geometry: it knows nothing of PDF.

Columns are read one after the other wherever the file wrote them, the right one first where the text runs from right to
left; what stands side by side but is no column (a table's row) stays together, even if the file wrote a table column by
column; words broken at a line's end are whole again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

LEAST_LINES = 4
LEAST_CHARACTERS = 15
LEAST_FILL = 0.6
LEAST_GUTTER = 5.0
SAME_EDGE = 2.0
SAME_ROW = 0.6
# Rows of cells that stand at the same height: fewer are two blocks side by side.
LEAST_ROWS, LEAST_ROWS_OF_MANY, MANY_CELLS = 4, 3, 3
LINE_SPACING = 0.8
CELL_GAP = "  "
HYPHENS = "-\u2010\u00ad"
BROKEN_WORD = re.compile(rf"([^\W\d_]+)[{HYPHENS}]$")
CONTINUED_WORD = re.compile(r"([^\W\d_]+)")
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


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


def page_text(lines: Sequence[Line]) -> str:
    """The text of a page. Text that does not run from left to right along the page comes last."""
    level = [line for line in lines if line.horizontal]
    from_right = 2 * sum(RIGHT_TO_LEFT.search(line.text) is not None for line in level) > len(level)
    ordered = _in_order([_mirrored(line) for line in level] if from_right else level)
    return _joined([*ordered, *(line for line in lines if not line.horizontal)])


def _mirrored(line: Line) -> Line:
    """As it stands in a looking glass: text that runs from right to left is put in order as if it ran the other way."""
    return Line(line.text, -line.right, line.top, -line.left, line.bottom)


def _in_order(lines: list[Line]) -> list[Line]:
    """Columns from left to right between the lines that run across them; without columns, the order
    given, but for tables that were written column by column.
    """
    edge = _second_column(lines)
    if edge is None:
        return _row_by_row(lines)
    across = sorted((line for line in lines if line.left < edge - SAME_EDGE < line.right), key=lambda line: line.middle)
    ordered: list[Line] = []
    bounds = [float("-inf"), *(line.middle for line in across), float("inf")]
    for number, (upper, lower) in enumerate(pairwise(bounds)):
        band = [line for line in lines if upper < line.middle <= lower and line not in across]
        ordered += _in_order([line for line in band if line.right <= edge - SAME_EDGE])
        ordered += _in_order([line for line in band if line.left >= edge - SAME_EDGE])
        ordered += across[number : number + 1]
    return ordered


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


def _row_by_row(lines: list[Line]) -> list[Line]:
    """The order given, but each table's lines row by row, where its first one stood."""
    if all(line.bottom > before.top for before, line in pairwise(lines)):
        return lines  # written from the top to the bottom
    place = {id(line): number for number, line in enumerate(lines)}
    for table in _tables(lines):
        written = [line for row in table for cell in row for line in cell]
        places = sorted(place[id(line)] for line in written)
        if [place[id(line)] for line in written] != places and places[-1] - places[0] == len(places) - 1:
            lines = [*lines[: places[0]], *written, *lines[places[-1] + 1 :]]
            place = {id(line): number for number, line in enumerate(lines)}
    return lines


def _tables(lines: list[Line]) -> list[list[list[list[Line]]]]:
    """Tables without rules: rows of cells of lines. A line alone, close under a cell, belongs to it."""
    tables: list[list[list[list[Line]]]] = [[]]
    heights: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.middle):
        if heights and abs(heights[-1][0].middle - line.middle) <= SAME_EDGE:
            heights[-1].append(line)
        else:
            heights.append([line])
    for level in heights:
        level.sort(key=lambda line: line.left)
        apart = all(before.right <= line.left for before, line in pairwise(level))
        over = _cell_over(tables[-1][-1], level[0]) if len(level) == 1 and tables[-1] else None
        if over is not None:
            over.append(level[0])
        elif len(level) > 1 and apart:
            tables[-1].append([[line] for line in level])
        elif tables[-1]:
            tables.append([])
    return [table for table in tables if _is_table(table)]


def _cell_over(row: list[list[Line]], line: Line) -> list[Line] | None:
    for cell in row:
        gap = line.top - cell[-1].bottom
        if abs(cell[-1].left - line.left) <= SAME_EDGE and gap <= LINE_SPACING * (line.bottom - line.top):
            return cell
    return None


def _is_table(rows: list[list[list[Line]]]) -> bool:
    many = sum(len(row) >= MANY_CELLS for row in rows)
    return len(rows) >= LEAST_ROWS or many >= LEAST_ROWS_OF_MANY


def _joined(lines: list[Line]) -> str:
    """One line of text a line, but a row's cells on one, and a broken word's halves together."""
    text = "\n".join(line.text for line in lines)
    pieces: list[str] = []
    for before, line in zip([None, *lines], lines, strict=False):
        if before is None:
            pieces.append(line.text)
        elif _same_row(before, line):
            pieces.append(CELL_GAP + line.text)
        else:
            broken, continued = BROKEN_WORD.search(before.text.rstrip()), CONTINUED_WORD.match(line.text)
            if broken and continued and _one_word(broken[1], continued[1], text):
                pieces[-1] = pieces[-1].rstrip().rstrip(HYPHENS)
                pieces.append(line.text)
            else:
                pieces.append("\n" + line.text)
    return "".join(pieces).replace("\u00ad", "")


def _same_row(before: Line, line: Line) -> bool:
    shared = min(before.bottom, line.bottom) - max(before.top, line.top)
    lowest = min(before.bottom - before.top, line.bottom - line.top)
    return before.horizontal and line.horizontal and line.left >= before.right and shared >= SAME_ROW * lowest


def _one_word(first: str, second: str, text: str) -> bool:
    """Whether a hyphen at a line's end only breaks the word; a compound seen whole elsewhere on the page keeps it."""
    return second[0].islower() and re.search(rf"\b{first}[-\u2010]{second}\b", text) is None
