"""A page of a document and what became of it. It knows nothing of file formats or of the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PageOutcome = Literal["read", "blank", "needs_ocr", "failed"]
PageSource = Literal["text", "ocr"]


@dataclass(frozen=True)
class Page:
    """`number` counts from 1: a page, a slide, a sheet, a chapter; a file without parts is one page.

    `reason`: a code of `reasons`, or None. A page that was read with a reason ("damaged") lacks a part of its text.
    label: what the part is called in the document, where it has a name of its own (a chapter's title, a sheet's name).
    section: the heading under which the page begins, as the document's outline or headings name it. source: whether the
    text was there or was recognised in a picture.
    """

    number: int
    outcome: PageOutcome
    reason: str | None
    text: str
    label: str | None = None
    section: str | None = None
    source: PageSource = "text"
