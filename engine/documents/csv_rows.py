"""A table kept as text (CSV, TSV) -> its rows. Nothing is calculated: a formula is the text that it is.

What parts the cells is found in the first rows. A file without quotation marks is one row a line already and stays as
it was written, and so does one whose lines are no rows of a table.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from engine.documents.flow import Flow
from engine.documents.limits import LARGEST_TEXT
from engine.documents.page import Page
from engine.documents.plain import decoded
from engine.documents.reader import How, Parts, Reader, Unreadable
from engine.documents.source import Source

DELIMITERS = ("\t", ";", ",", "|")
QUOTE = '"'
SAMPLE_LINES = 200
MOST_LINES = 500
"""In one row: with more, a quotation mark was never closed."""
LEAST_REGULAR = 0.6
"""Rows of one width among all, for the lines to be a table."""
_SAID = re.compile(r"sep=([^\w\s\"\\]|\t)\n", re.I)


@dataclass(frozen=True)
class Dialect:
    """How cells are written. quoted: whether a quotation mark keeps a cell together; escaped: whether a backslash
    stands before one within a cell, instead of a second one.
    """

    delimiter: str
    quoted: bool = True
    escaped: bool = False

    def rows(self, lines: Iterable[str], strict: bool = False) -> Iterator[tuple[list[str], int]]:
        """(cells, how many lines they took). Raises csv.Error where strict and a mark stands where none should."""
        csv.field_size_limit(max(LARGEST_TEXT, csv.field_size_limit()))
        reader = csv.reader(
            lines,
            delimiter=self.delimiter,
            quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE,
            escapechar="\\" if self.escaped else None,
            doublequote=not self.escaped,
            strict=strict,
        )
        before = 0
        for row in reader:
            yield row, reader.line_num - before
            before = reader.line_num


def open_csv(source: Source, _: How) -> Reader:
    """Raises Unreadable: too_large, binary, no_text."""
    text = decoded(source)
    if not text.strip():
        raise Unreadable("no_text")

    def parts() -> Iterator[Page]:
        yield Page(1, "read", None, (table_text(text) if QUOTE in text else None) or text)

    return Parts(parts)


def table_text(text: str) -> str | None:
    """The rows of a table, one a line; None: the text is no table."""
    said = _SAID.match(text)
    if said is not None:
        text = text[said.end() :]
    dialect = Dialect(said[1]) if said is not None else dialect_of(text)
    if dialect is None:
        return None
    rows = _rows(text, dialect)
    if rows is None:
        rows = _rows(text, Dialect(dialect.delimiter, quoted=False))
    return rows


def dialect_of(text: str) -> Dialect | None:
    """The way in which most of the first rows come out equally wide; None where there is none."""
    sample = list(islice(_lines(text), SAMPLE_LINES))
    joined = "".join(sample)
    escaped = '\\"' in joined and '""' not in joined.replace(',""', "").replace('"",', "")
    best, most = None, (False, 0, 0)
    for delimiter in DELIMITERS:
        dialect = Dialect(delimiter, escaped=escaped)
        widths = Counter(len(row) for row, _ in dialect.rows(sample) if any(row))
        times, width = max(((times, width) for width, times in widths.items() if width > 1), default=(0, 0))
        fit = (_is_clean(sample, dialect), times, width)
        if width and fit > most and times >= LEAST_REGULAR * widths.total():
            best, most = dialect, fit
    return best


def _is_clean(sample: list[str], dialect: Dialect) -> bool:
    """Whether every quotation mark that ends a cell stands at its end."""
    try:
        return all(True for _ in dialect.rows(sample, strict=True))
    except csv.Error:
        return False


def _rows(text: str, dialect: Dialect) -> str | None:
    """None: a quotation mark is never closed."""
    flow = Flow()
    lines = 0
    for row, lines in dialect.rows(_lines(text)):
        if dialect.quoted and lines > MOST_LINES:
            return None
        flow.row(row)
    if dialect.quoted and lines > 1 and not _is_clean(list(_last_lines(text, lines)), dialect):
        return None
    return flow.text()


def _last_lines(text: str, count: int) -> Iterator[str]:
    start = len(text)
    for _ in range(count):
        start = text.rfind("\n", 0, max(0, start - 1)) + 1
    return _lines(text[start:])


def _lines(text: str) -> Iterator[str]:
    """With their ends; a form feed and the like end none."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end
