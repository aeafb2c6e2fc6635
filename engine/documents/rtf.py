"""RTF (Microsoft's Rich Text Format, specification 1.9.1) -> one page of text, as a reader sees it.

Notes and comments stand behind their paragraph, text boxes too; headers and footers once at the end. Deleted and hidden
text is left out, the latter is said. What the file says about itself, fonts, styles and pictures are no text.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.documents.limits import LARGEST_TEXT
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Parts, Reader, Unreadable
from engine.documents.rtf_reading import RtfReading
from engine.documents.source import Source


def open_rtf(source: Source, _: How) -> Reader:
    """Raises Unreadable: too_large."""
    if source.size > LARGEST_TEXT:
        raise Unreadable("too_large")
    left_out: list[LeftOut] = []

    def parts() -> Iterator[Page]:
        left_out.clear()
        reading = RtfReading(left_out)
        lost = reading.read(source.read())
        text = reading.body.flow.text()
        pictures = any(part.what == "picture" for part in left_out)
        if text:
            yield Page(1, "read", lost, text)
        elif lost is not None:
            raise Unreadable(lost)
        else:
            yield Page(1, "needs_ocr", "no_text_layer", "") if pictures else Page(1, "blank", None, "")

    return Parts(parts, left_out)
