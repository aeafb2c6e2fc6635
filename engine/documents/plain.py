"""Text and Markdown -> one page, exactly as it was written."""

from __future__ import annotations

from collections.abc import Iterator

from engine.documents.limits import LARGEST_TEXT
from engine.documents.page import Page
from engine.documents.reader import How, Parts, Reader, Unreadable
from engine.documents.source import Source
from engine.documents.text import decode


def open_text(source: Source, _: How) -> Reader:
    """Raises Unreadable: too_large, binary, no_text."""
    text = decoded(source)
    if not text.strip():
        raise Unreadable("no_text")

    def parts() -> Iterator[Page]:
        yield Page(1, "read", None, text)

    return Parts(parts)


def decoded(source: Source) -> str:
    """The text of a file that is to be text. Raises Unreadable: too_large, binary."""
    if source.size > LARGEST_TEXT:
        raise Unreadable("too_large")
    text = decode(source.read())
    if text is None:
        raise Unreadable("binary", kind="unknown")
    return text
