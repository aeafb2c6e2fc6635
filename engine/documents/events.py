"""Reading a document, as it is told: it is open, a page is there, it is through. It knows no kind and no process.

The order is Opened, GotPage any number of times, Through. Opened comes again for each page that is looked at once more.
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from dataclasses import dataclass

from engine.documents.opening import open_document
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut
from engine.documents.source import Source


@dataclass(frozen=True)
class Opened:
    """page_count: physical pages, as far as they are known now; None where the kind has none."""

    kind: str
    page_count: int | None


@dataclass(frozen=True)
class GotPage:
    """page_count: as it is known now."""

    page: Page
    page_count: int | None


@dataclass(frozen=True)
class Through:
    """left_out: what lies in the document and gave no text."""

    page_count: int | None
    left_out: tuple[LeftOut, ...]


Event = Opened | GotPage | Through


def read_here(source: Source, how: How, first: int = 1, lost: Collection[int] = ()) -> Generator[Event, None, None]:
    """In this process, from page `first` on. lost: as of `Reader.pages`. Raises Unreadable and OSError."""
    kind, reader = open_document(source, how)
    try:
        yield Opened(kind, reader.page_count)
        for page in reader.pages(first, lost):
            yield GotPage(page, reader.page_count) if page.number >= first else Opened(kind, reader.page_count)
        yield Through(reader.page_count, tuple(reader.left_out))
    finally:
        reader.close()
