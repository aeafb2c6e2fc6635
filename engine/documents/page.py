"""A page of a document and what became of it. It knows nothing of file formats or of the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PageOutcome = Literal["read", "blank", "needs_ocr", "failed"]


@dataclass(frozen=True)
class Page:
    """`number` counts from 1; a file without pages is one page.

    `reason`: a code of `reasons`, or None. A page that was read with a reason ("damaged") lacks a part of its text.
    """

    number: int
    outcome: PageOutcome
    reason: str | None
    text: str
