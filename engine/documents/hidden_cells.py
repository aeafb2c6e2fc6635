"""Rows and columns of a sheet that it does not show: they are read, and said to be hidden, since a filter that was left
on or a group that is folded up hides what sums are made of. It knows no format.
"""

from __future__ import annotations

_ROW, _COLUMN = "[hidden row]", "[hidden column]"


class HiddenColumns:
    """Of a sheet, counted from 1. Each is said to be hidden once, at the first text in it: mostly its heading."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []
        self._said: set[int] = set()

    def add(self, first: int, last: int) -> None:
        """Those from the first to the last are hidden."""
        self._ranges.append((first, last))

    def marked(self, column: int, text: str) -> str:
        """The text of a cell."""
        if not self._ranges or column in self._said or not any(first <= column <= last for first, last in self._ranges):
            return text
        self._said.add(column)
        return f"{_COLUMN} {text}"


def hidden_row(cells: list[str]) -> list[str]:
    """The texts of a row that is hidden."""
    return [f"{_ROW} {cells[0]}".rstrip(), *cells[1:]] if any(cells) else cells
