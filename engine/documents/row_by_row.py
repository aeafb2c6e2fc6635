"""Tables without rules that a file wrote column by column -> their lines row by row. Pure geometry; it reads no text.

Cells that stand at the same heights, several rows of them, are a table; two blocks side by side, an address and a date,
are none. What was written from the top to the bottom stays as it is.
"""

from __future__ import annotations

from itertools import pairwise

from engine.documents.line import Line

# Rows of cells: fewer are blocks side by side.
LEAST_ROWS, LEAST_ROWS_OF_MANY, MANY_CELLS = 4, 3, 3
SAME_HEIGHT = SAME_LEFT = 2.0
LINE_SPACING = 0.8


def row_by_row(lines: list[Line]) -> list[Line]:
    """The lines in the order given, but each such table's row by row, where its first one stood."""
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
    """Tables without rules: rows of cells of lines. A line alone belongs to the cell that it is close to, mostly the
    one above it.
    """
    tables: list[list[list[list[Line]]]] = [[]]
    heights: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.middle):
        if heights and abs(heights[-1][0].middle - line.middle) <= SAME_HEIGHT:
            heights[-1].append(line)
        else:
            heights.append([line])
    waiting: list[Line] = []
    for level, below in zip(heights, [*heights[1:], []], strict=True):
        level.sort(key=lambda line: line.left)
        apart = all(before.right <= line.left for before, line in pairwise(level))
        over = _cell_over(tables[-1][-1], level[0]) if len(level) == 1 and tables[-1] else None
        if over is not None and not _is_nearer(level[0], over[-1], below):
            over.append(level[0])
        elif over is not None:
            waiting.append(level[0])
        elif len(level) > 1 and apart:
            tables[-1].append([_with_those_above(line, waiting) for line in level])
            waiting = []
        elif tables[-1]:
            tables.append([])
            waiting = []
    return [table for table in tables if _is_table(table)]


def _is_nearer(line: Line, above: Line, below: list[Line]) -> bool:
    """Whether one of a row below, in its column, is nearer than the one above: cells may be aligned at their feet."""
    gaps = [other.top - line.bottom for other in below if abs(other.left - line.left) <= SAME_LEFT]
    return len(below) > 1 and bool(gaps) and min(gaps) < line.top - above.bottom - SAME_HEIGHT


def _with_those_above(line: Line, waiting: list[Line]) -> list[Line]:
    return [*(other for other in waiting if abs(other.left - line.left) <= SAME_LEFT), line]


def _cell_over(row: list[list[Line]], line: Line) -> list[Line] | None:
    for cell in row:
        gap = line.top - cell[-1].bottom
        if abs(cell[-1].left - line.left) <= SAME_LEFT and gap <= LINE_SPACING * (line.bottom - line.top):
            return cell
    return None


def _is_table(rows: list[list[list[Line]]]) -> bool:
    many = sum(len(row) >= MANY_CELLS for row in rows)
    tall = sum(any(len(cell) > 1 for cell in row) for row in rows)
    return len(rows) >= LEAST_ROWS or many >= LEAST_ROWS_OF_MANY or (len(rows) >= LEAST_ROWS_OF_MANY and tall > 1)
