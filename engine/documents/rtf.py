"""RTF (Microsoft's Rich Text Format, specification 1.9.1) -> one page of text, as a reader sees it.

Notes and comments stand behind their paragraph, text boxes too; headers and footers once at the end. Deleted and hidden
text is left out, the latter is said. What the file says about itself, fonts, styles and pictures are no text.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.documents.inner_pictures import InnerPictures
from engine.documents.limits import LARGEST_TEXT
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Parts, Reader, Unreadable
from engine.documents.rtf_reading import RtfReading
from engine.documents.source import Source


def open_rtf(source: Source, how: How) -> Reader:
    """Raises Unreadable: too_large."""
    if source.size > LARGEST_TEXT:
        raise Unreadable("too_large")
    left_out: list[LeftOut] = []

    def parts() -> Iterator[Page]:
        left_out.clear()
        pictures = InnerPictures(how.recognition, left_out)
        reading = RtfReading(left_out, pictures)
        lost = reading.read(source.read())
        if lost is not None and not reading.body.flow:
            raise Unreadable(lost)
        yield pictures.page(1, reading.body.flow, lost)

    return Parts(parts, left_out)
