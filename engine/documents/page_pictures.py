"""The pictures on a page of a PDF that has text of its own -> the text in them and where it stands. It knows PyMuPDF's
pages and nothing of how text is recognised.

What is small on the page is no picture of text, and what stands on many pages is one picture. A scan whose text lies
under it or is not shown has been recognised by another program.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pymupdf

from engine.documents.drawn import Drawn
from engine.documents.flow import Flow
from engine.documents.inner_pictures import LEAST_EDGE, LEAST_PIXELS, InnerPictures
from engine.documents.limits import MOST_PIXELS, PAGE_PICTURES_SECONDS
from engine.documents.line import Line
from engine.documents.reader import LeftOut, Recognition, Unreadable

LEAST_AREA = 0.01
"""Of the page: logos in letterheads have less, a picture of one sentence more."""
CLIP_RESOLUTION = 200


@dataclass(frozen=True)
class _Picture:
    """xref: its number in the file, 0 for one that is written into the page. part: what tells it from others."""

    xref: int
    mask: int
    box: Any
    part: str


class PagePictures:
    """Of one document of PyMuPDF. left_out: pictures that give no text are added. first: the number of the first page
    that is wanted.
    """

    def __init__(self, document: Any, recognition: Recognition | None, left_out: list[LeftOut], first: int = 1) -> None:
        self._document, self._first = document, first
        self._pictures = InnerPictures(recognition, left_out, first, PAGE_PICTURES_SECONDS)
        self._seen: set[str] = set()

    def pass_over(self, page: Any) -> None:
        """The pictures of a page that needs none of them: they were looked at with it, or it is not wanted."""
        self._seen.update(picture.part for picture in self._new(page))

    def of(self, page: Any, number: int) -> list[Line]:
        """The text of each picture that comes here first, as one piece in its box, in the page's own points."""
        found: list[Line] = []
        pictures = list(self._new(page))
        self._seen.update(picture.part for picture in pictures)
        if number < self._first or not pictures or Drawn(page).is_recognised:
            return found
        self._pictures.begin(number)
        for picture in pictures:
            flow = Flow()
            name = f"a picture on page {number}"
            self._pictures.add(flow, name, picture.part, partial(self._read, page, picture))
            if flow:
                found.append(Line(flow.text(), picture.box.x0, picture.box.y0, picture.box.x1, picture.box.y1))
        return found

    def _new(self, page: Any) -> Iterator[_Picture]:
        """Those that are large enough and were on no page before, once each."""
        listed = page.get_images()
        if not listed:
            return
        here: set[str] = set()
        whole = pymupdf.Rect(0, 0, page.cropbox.width, page.cropbox.height)
        for shown in page.get_image_info():
            pixels = shown["width"] * shown["height"]
            if pixels < LEAST_PIXELS or min(shown["width"], shown["height"]) < LEAST_EDGE:
                continue
            box = pymupdf.Rect(shown["bbox"]) & whole
            if box.is_empty or box.width * box.height < LEAST_AREA * whole.width * whole.height:
                continue
            same = [image for image in listed if image[2:4] == (shown["width"], shown["height"])]
            xref, mask = same[0][:2] if len(same) == 1 else (0, 0)
            part = self._digest(xref) if xref else f"{page.number} {tuple(box)}"
            if part not in self._seen and part not in here:
                here.add(part)
                yield _Picture(xref, mask, box, part)

    def _digest(self, xref: int) -> str:
        """Of the picture as it is packed: programs may write it anew for each page."""
        return hashlib.sha256(self._document.xref_stream_raw(xref) or b"").hexdigest()

    def _read(self, page: Any, picture: _Picture) -> bytes:
        """As a file of its own. Raises Unreadable."""
        try:
            if not picture.xref:
                clip = picture.box * page.rotation_matrix
                return bytes(page.get_pixmap(clip=clip, dpi=CLIP_RESOLUTION, alpha=False).tobytes("png"))
            shown = pymupdf.Pixmap(self._document, picture.xref)
            if shown.width * shown.height > MOST_PIXELS:
                raise Unreadable("too_large_unpacked")
            if shown.colorspace is None or shown.colorspace.n != pymupdf.csRGB.n:
                shown = pymupdf.Pixmap(pymupdf.csRGB, shown)
            mask = pymupdf.Pixmap(self._document, picture.mask) if picture.mask else None
            if mask is not None and not shown.alpha and (mask.width, mask.height) == (shown.width, shown.height):
                shown = pymupdf.Pixmap(shown, mask)
            return bytes(shown.tobytes("png"))
        except Unreadable:
            raise
        except Exception as error:  # PyMuPDF raises several types for a broken picture
            raise Unreadable("damaged") from error
