"""The section under which each page of a PDF begins: from its outline, or from the links of its table of contents.

Pages are shown to it in order. Where links lead outside the document, it does not look.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

import pymupdf

from engine.documents.characters import readable
from engine.documents.flow import one_line
from engine.documents.line import Line

DEEPEST = 2
"""Level of headings that name a section; deeper ones change too often to help."""
MOST_ENTRIES = 20_000
LONGEST = 120
FIRST_LINES = 4
PAGES_OF_CONTENTS = 20
LEAST_LINKS = 3
# What follows a title in a table of contents: dots and the page's number.
_LEADER = re.compile(r"[\s.·…_]*(?:\d+|[ivxlc]+)?\s*$", re.I)
_NUMBERING = re.compile(r"^[\W\d_]+")


class Sections:
    """Of one document of PyMuPDF."""

    def __init__(self, document: Any) -> None:
        self._pages: list[int] = []
        self._titles: list[str] = []
        self._has_outline = False
        for level, title, page, *_ in document.get_toc(simple=True)[:MOST_ENTRIES]:
            if level <= DEEPEST and page > 0:
                self._add(page, title)
        self._has_outline = bool(self._pages)

    def learns_from(self, number: int) -> bool:
        """Whether the sections depend on what this page holds: it may be one of a table of contents."""
        return not self._has_outline and number <= PAGES_OF_CONTENTS

    def of(self, page: Any, number: int, lines: list[Line]) -> str | None:
        """What the page begins in, or None; a section that begins further down the page names the next one. page: of
        PyMuPDF. number: from 1. lines: the page's, from the top.
        """
        if self.learns_from(number):
            self._learn(page, number, lines)
        first = bisect_right(self._pages, number - 1)
        if first < len(self._pages) and self._pages[first] == number and _begins(self._titles[first], lines):
            return self._titles[first]
        return self._titles[first - 1] if first else None

    def _learn(self, page: Any, number: int, lines: list[Line]) -> None:
        """Three links and more that lead further and further into the document make a table of contents."""
        links = [link for link in page.get_links() if link["kind"] == pymupdf.LINK_GOTO and link["page"] >= number]
        found: dict[int, str] = {}
        for link in links:
            box = link["from"]
            inside = [
                line for line in lines if box.y0 <= line.middle <= box.y1 and line.right > box.x0 and line.left < box.x1
            ]
            title = _LEADER.sub("", " ".join(line.text for line in inside))
            if re.search(r"[^\W\d_]{2}", title):
                found.setdefault(link["page"] + 1, title)
        if (
            len(found) >= LEAST_LINKS
            and list(found) == sorted(found)
            and (not self._pages or min(found) >= self._pages[-1])
        ):
            for target, title in found.items():
                self._add(target, title)

    def _add(self, page: int, title: str) -> None:
        named = one_line(readable(str(title)))[:LONGEST].rstrip()
        if named:
            place = bisect_right(self._pages, page)
            self._pages.insert(place, page)
            self._titles.insert(place, named)


def _begins(title: str, lines: list[Line]) -> bool:
    """Whether a title stands among the first lines; its number may be set apart."""
    top = _plain(" ".join(line.text for line in lines[:FIRST_LINES]))
    return bool(bare := _plain(_NUMBERING.sub("", title))) and bare in top


def _plain(text: str) -> str:
    return re.sub(r"\W+", "", readable(text)).casefold()
