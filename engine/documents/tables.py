"""Ruled tables: the lines of text in their cells -> one line a row, "a | b | c". Pure geometry: it knows no PDF.

Where rules divide a page into rows and columns, cells say what belongs together, in whatever order the file wrote it
and however many lines a cell has. A frame, a form's boxes or a drawing without rows and columns of text is no table.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from engine.documents.flow import CELL, one_line
from engine.documents.layout import page_text
from engine.documents.line import Box, Line

THICKEST_RULE = 3.0
SHORTEST_RULE = 6.0
TOUCHING = 3.0
SAME_RULE = 3.0
MOST_SHAPES, MOST_RULES, MOST_CELLS = 4000, 8000, 50_000
"""On a page; a drawing has more. A box is four rules."""
LEAST_COLUMNS, LEAST_ROWS = 2, 2


@dataclass
class _Grid:
    """columns, rows: where rules stand, from left to right and from top to bottom. upright: the pieces of vertical rule
    as (x, top, bottom), from left to right. level: those of horizontal rule as (y, left, right).
    """

    columns: list[float]
    rows: list[float]
    upright: list[tuple[float, float, float]]
    level: list[tuple[float, float, float]]

    def __post_init__(self) -> None:
        """Which pieces stand at each of the columns."""
        self._at = {
            x: self.upright[
                bisect_left(self.upright, (x - SAME_RULE,)) : bisect_right(self.upright, (x + SAME_RULE, inf))
            ]
            for x in self.columns
        }

    def holds(self, line: Line) -> bool:
        """Whether the middle of a line lies in it."""
        across = (line.left + line.right) / 2
        return self.columns[0] <= across <= self.columns[-1] and self.rows[0] <= line.middle <= self.rows[-1]

    def row(self, line: Line) -> int:
        """The number of the row that a line stands in; of a cell over several rows, the first."""
        row = min(bisect_right(self.rows, line.middle), len(self.rows) - 1) - 1
        across = (line.left + line.right) / 2
        while row > 0 and not self._is_parted(self.rows[row], across):
            row -= 1
        return row

    def _is_parted(self, y: float, across: float) -> bool:
        return any(abs(own - y) <= SAME_RULE and left <= across <= right for own, left, right in self.level)

    def edges(self, row: int) -> list[float]:
        """Left edges of the cells of a row, and the right edge of the last: cells may be joined."""
        middle = (self.rows[row] + self.rows[row + 1]) / 2
        inner = [x for x in self.columns[1:-1] if self._is_ruled(x, middle)]
        return [self.columns[0], *inner, self.columns[-1]]

    def _is_ruled(self, x: float, height: float) -> bool:
        return any(top <= height <= bottom for _, top, bottom in self._at[x])


def with_rows(lines: Sequence[Line], shapes: Sequence[Box], words: Callable[[Line], list[Line]]) -> list[Line]:
    """The lines, with those of ruled tables as one line a row, where the first of them stood. shapes: boxes of what is
    drawn. words: those of a line that runs through several cells, each a line of its own.
    """
    if len(shapes) < LEAST_COLUMNS + LEAST_ROWS or len(shapes) > MOST_SHAPES:
        return list(lines)
    result = list(lines)
    for grid in _grids(shapes):
        inside = [place for place, line in enumerate(result) if line.horizontal and grid.holds(line)]
        rows = _rows(grid, [result[place] for place in inside], words)
        if rows is not None:
            before, after = result[: inside[0]], result[inside[0] :]
            others = set(range(len(after))) - {place - inside[0] for place in inside}
            result = [*before, *rows, *(after[place] for place in sorted(others))]
    return result


def _rows(grid: _Grid, lines: list[Line], words: Callable[[Line], list[Line]]) -> list[Line] | None:
    """One line a row, or None where the grid holds no table."""
    edges = [grid.edges(row) for row in range(len(grid.rows) - 1)]
    cells: list[list[list[Line]]] = [[[] for _ in row[1:]] for row in edges]
    for line in lines:
        row = grid.row(line)
        crossed = any(line.left + TOUCHING < x < line.right - TOUCHING for x in edges[row][1:-1])
        for piece in (words(line) or [line]) if crossed else [line]:
            across = min(max((piece.left + piece.right) / 2, edges[row][0]), edges[row][-1] - 1e-3)
            cells[row][min(bisect_right(edges[row], across), len(edges[row]) - 1) - 1].append(piece)
    filled = [sum(bool(cell) for cell in row) for row in cells]
    if sum(count >= LEAST_COLUMNS for count in filled) < LEAST_ROWS:
        return None
    return [
        Line(CELL.join(_cell_text(cell) for cell in row).rstrip(), grid.columns[0], top, grid.columns[-1], bottom)
        for row, top, bottom, count in zip(cells, grid.rows, grid.rows[1:], filled, strict=False)
        if count
    ]


def _cell_text(lines: list[Line]) -> str:
    return one_line(page_text(sorted(lines, key=lambda line: line.top)))


def _grids(shapes: Sequence[Box]) -> list[_Grid]:
    """Rules that touch make a grid, if there are enough of them both ways."""
    level: list[Box] = []
    upright: list[Box] = []
    for left, top, right, bottom in dict.fromkeys(shapes):
        wide, high = right - left, bottom - top
        if high <= THICKEST_RULE and wide >= SHORTEST_RULE:
            level.append((left, top, right, bottom))
        elif wide <= THICKEST_RULE and high >= SHORTEST_RULE:
            upright.append((left, top, right, bottom))
        elif wide >= SHORTEST_RULE and high >= SHORTEST_RULE:  # a box: the rules around it
            level += [(left, top, right, top), (left, bottom, right, bottom)]
            upright += [(left, top, left, bottom), (right, top, right, bottom)]
    level, upright = list(dict.fromkeys(level)), list(dict.fromkeys(upright))
    grids: list[_Grid] = []
    if (
        len(level) + len(upright) > MOST_RULES
        or len(_places([box[0] for box in upright])) <= LEAST_COLUMNS
        or len(_places([box[1] for box in level])) <= LEAST_ROWS
    ):
        return grids
    for members in _touching([*level, *upright]):
        rows = _places([(box[1] + box[3]) / 2 for box in members if box[2] - box[0] > box[3] - box[1]])
        standing = [box for box in members if box[2] - box[0] <= box[3] - box[1]]
        columns = _places([(box[0] + box[2]) / 2 for box in standing])
        if len(columns) > LEAST_COLUMNS and len(rows) > LEAST_ROWS and len(columns) * len(rows) <= MOST_CELLS:
            lying = [box for box in members if box[2] - box[0] > box[3] - box[1]]
            pieces = sorted(((box[0] + box[2]) / 2, box[1] - TOUCHING, box[3] + TOUCHING) for box in standing)
            level_pieces = [((box[1] + box[3]) / 2, box[0] - TOUCHING, box[2] + TOUCHING) for box in lying]
            grids.append(_Grid(columns, rows, pieces, level_pieces))
    return grids


def _touching(boxes: list[Box]) -> list[list[Box]]:
    """Groups of boxes that touch one another: from left to right, each with those that it still can touch."""
    group = list(range(len(boxes)))

    def first(place: int) -> int:
        while group[place] != place:
            group[place] = group[group[place]]
            place = group[place]
        return place

    order = sorted(range(len(boxes)), key=lambda place: boxes[place][0])
    reached: list[int] = []
    for place in order:
        left, top, _, bottom = boxes[place]
        reached = [other for other in reached if boxes[other][2] + TOUCHING >= left]
        for other in reached:
            if boxes[other][1] - TOUCHING <= bottom and top <= boxes[other][3] + TOUCHING:
                group[first(place)] = first(other)
        reached.append(place)
    groups: dict[int, list[Box]] = {}
    for place in range(len(boxes)):
        groups.setdefault(first(place), []).append(boxes[place])
    return list(groups.values())


def _places(values: list[float]) -> list[float]:
    """One for all that stand at the same place, from the smallest."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > SAME_RULE:
            places.append(value)
    return places
