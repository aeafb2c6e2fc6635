"""A table of a page -> rows, and whether it is one: many tables only put things beside one another."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from engine.documents.html_tags import tag_names

MOST_COLUMNS = 64
MOST_ROWS = 1000
"""That a cell reaches over."""
LONGEST_REPEATED = 200
"""Signs of a cell that stands again in each row that it reaches over; a longer one stands once."""
_STRUCTURE = tag_names("table h1 h2 h3 h4 h5 h6 ul ol dl pre blockquote hr")
_MOST_BREAKS = 5


class Table:
    """Takes the cells of a table as they come; a cell over several rows stands in each of them."""

    def __init__(self) -> None:
        self._row: list[str] = []
        self._below: dict[int, tuple[int, str]] = {}
        """Column -> how many more rows, and the text there."""

    def cell(self, text: str, columns: int, rows: int) -> None:
        """columns, rows: that it reaches over."""
        self._from_above()
        if rows > 1 and len(self._below) < MOST_COLUMNS:
            self._below[len(self._row)] = (rows - 1, text if len(text) <= LONGEST_REPEATED else "")
        self._row += [text] + [""] * (columns - 1)

    def end_row(self) -> list[str]:
        """The cells of the row that ends."""
        self._from_above(last=True)
        row, self._row = self._row, []
        return row

    def _from_above(self, last: bool = False) -> None:
        while (left := self._below.get(len(self._row))) is not None:
            self._put(left)
        while last and any(column >= len(self._row) for column in self._below):
            left = self._below.get(len(self._row))
            if left is None:
                self._row.append("")
            else:
                self._put(left)
        if last:
            self._below = {column: left for column, left in self._below.items() if left[0] > 0}

    def _put(self, left: tuple[int, str]) -> None:
        rows, text = left
        self._below[len(self._row)] = (rows - 1, text)
        self._row.append(text)


def is_table(table: LexborNode) -> bool:
    """Whether its rows say something. Looks no deeper than to the first table in it."""
    if (table.attributes.get("role") or "").lower() in ("presentation", "none"):
        return False
    cells = widest = breaks = paragraphs = 0
    for tag in _tags_within(table):
        if tag in ("th", "caption", "thead"):
            return True
        if tag in _STRUCTURE:
            return False
        if tag == "tr":
            cells = 0
        elif tag == "td":
            cells, breaks, paragraphs = cells + 1, 0, 0
            widest = max(widest, cells)
        breaks, paragraphs = breaks + (tag == "br"), paragraphs + (tag == "p")
        if breaks > _MOST_BREAKS or paragraphs > 1:
            return False
    return widest > 1


def span(attributes: dict[str, str | None], name: str, most: int) -> int:
    """The number of columns or rows that a cell reaches over, at least 1."""
    value = (attributes.get(name) or "").strip()
    return max(1, min(int(value), most)) if value.isascii() and value.isdigit() and len(value) < 9 else 1


def _tags_within(table: LexborNode) -> Iterator[str]:
    """In the order of the page."""
    pending = [table.first_child]
    while pending:
        node = pending.pop()
        if node is not None:
            yield node.tag or ""
            pending += (node.next, node.first_child)
