"""Paragraphs, tables and notes of an RTF file, as its control words part them -> a Flow. It knows no tokens."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.documents.flow import LONGEST_HEADING, Flow
from engine.documents.list_marks import BULLET
from engine.documents.scripts import PLAIN, Look, written

_BULLETS = "\u2022\u00b7\u25aa\u25cf\u25cb\u25a0\u25a1\u27a2o-\u2013"
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HALVES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f]")


class Story:
    """A body, a note, a header: what has paragraphs of its own."""

    def __init__(self) -> None:
        self.flow = Flow()
        self._pieces: list[tuple[str, Look]] = []
        self._cells: list[str] = []
        self._nested: list[str] = []
        self._later: list[Callable[[Flow], None]] = []
        self.mark = ""

    def say(self, text: str, look: Look = PLAIN) -> None:
        """Part of a paragraph; "\\n" between its lines."""
        self._pieces.append((text, look))

    def later(self, kind: str, text: str) -> None:
        """A note or, with the kind "", a text box: after the paragraph or row."""
        if text:
            self.afterwards(lambda flow: flow.note(kind, text) if kind else flow.paragraph(text))

    def afterwards(self, say: Callable[[Flow], None]) -> None:
        """What is to be said after the paragraph or row."""
        self._later.append(say)

    def paragraph(self, outline: int | None = None, depth: int = 0, in_table: bool = False) -> None:
        """It ends here. outline: its level from 0, if it is a heading; depth: of the list that it is in."""
        if in_table:
            self._pieces.append((" ", PLAIN))
            return
        self._end_row(self._cells)
        text, mark = self._taken(), self._taken_mark()
        if outline is not None and len(text) <= LONGEST_HEADING:
            self.flow.heading(f"{mark} {text}" if mark and mark not in _BULLETS and text.strip() else text, outline + 1)
        elif mark:
            self.flow.item(text, depth, BULLET if mark in _BULLETS else mark)
        else:
            self.flow.paragraph(text)
        self._say_later()

    def cell(self, nested: bool = False) -> None:
        """A cell of a table, or of one within a cell, ends here."""
        mark, text = self._taken_mark(), self._taken()
        (self._nested if nested else self._cells).append(f"{mark} {text}" if mark else text)

    def row(self, nested: bool = False) -> None:
        """A row ends here. One of a table within a cell stands before the row that the cell is in."""
        self._end_row(self._nested if nested else self._cells)
        if not nested:
            self._say_later()

    def end(self) -> str:
        """The whole text."""
        self.paragraph()
        return self.flow.text()

    def _end_row(self, cells: list[str]) -> None:
        if cells:
            self.flow.row(cells)
            cells.clear()

    def _taken(self) -> str:
        text = whole_characters(written(self._pieces))
        self._pieces.clear()
        return text

    def _taken_mark(self) -> str:
        mark, self.mark = whole_characters(self.mark).strip(), ""
        return mark

    def _say_later(self) -> None:
        later, self._later = self._later, []
        for say in later:
            say(self.flow)


def whole_characters(text: str) -> str:
    """Characters beyond U+FFFF come in halves, one after the other; a half alone becomes U+FFFD. Controls are none."""
    text = _SURROGATES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _CONTROLS.sub("", _HALVES.sub("\ufffd", text))
