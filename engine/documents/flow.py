"""Headings, paragraphs, rows and notes, in order -> text. One place for how they look to the model; it knows no format.

Headings stand as in Markdown, the cells of a row with " | " between them; a blank line parts what belongs apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.documents.limits import LARGEST_TEXT
from engine.documents.reader import Unreadable

CELL = " | "
DEEPEST_HEADING = 6
LONGEST_HEADING = 400
"""Characters; a longer paragraph only looks like one."""
# Not the single blanks, which stay: a text is mostly these.
_BLANKS = re.compile(r"[\t\r\n\f\v\u00a0][ \t\r\n\f\v\u00a0]*| [ \t\r\n\f\v\u00a0]+")


class Flow:
    """Takes a document's pieces in the order in which they are read. Its methods raise Unreadable, too_large_unpacked:
    a small file can name the same long text over and over.
    """

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._last = ""
        self._left = LARGEST_TEXT
        self._own = 0

    def __bool__(self) -> bool:
        return bool(self._blocks)

    def heading(self, text: str, level: int = 1) -> None:
        """level: from 1."""
        if line := one_line(text):
            self._add("heading", f"{'#' * max(1, min(level, DEEPEST_HEADING))} {line}")

    def paragraph(self, text: str) -> None:
        """Line breaks in it stay."""
        lines = [one_line(line) for line in text.split("\n")]
        if kept := "\n".join(line for line in lines if line):
            self._add("paragraph", kept)

    def item(self, text: str, depth: int = 0, mark: str = "-") -> None:
        """Of a list; depth: of lists within lists. mark: "-", or its number."""
        if line := one_line(text):
            self._add("item", f"{'  ' * depth}{mark} {line}")

    def row(self, cells: Iterable[str]) -> None:
        """Of a table. A row without text is left out."""
        found = [one_line(cell) for cell in cells]
        if any(found):
            self._add("row", CELL.join(found).rstrip())

    def exact(self, text: str) -> None:
        """Blanks and line breaks stay: source code."""
        if text.strip():
            self._add("exact", text.strip("\n"))

    def note(self, mark: str, text: str) -> None:
        """A footnote or comment, after the paragraph that it belongs to."""
        if line := one_line(text):
            self._add("note", f"[{mark}: {line}]")

    def recognised(self, text: str) -> None:
        """What was made out in a picture, line by line."""
        if text.strip():
            self._add("recognised", text.strip("\n"))
            self._own -= 1

    @property
    def only_recognised(self) -> bool:
        """Whether nothing else was taken."""
        return self._own == 0

    def apart(self) -> None:
        """What comes next belongs to another table or list."""
        self._last = ""

    def text(self) -> str:
        """Everything, without blank lines at the ends."""
        return "".join(self._blocks)

    def _add(self, what: str, text: str) -> None:
        self._left -= len(text) + 2
        if self._left < 0:
            raise Unreadable("too_large_unpacked")
        if self._blocks:
            close = what == self._last and what in ("item", "row", "note")
            self._blocks.append("\n" if close else "\n\n")
        self._blocks.append(text)
        self._own += 1
        self._last = what


def one_line(text: str) -> str:
    """With single blanks between the words."""
    return _BLANKS.sub(" ", text).strip()
