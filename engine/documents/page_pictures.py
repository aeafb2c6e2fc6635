"""The pictures on a page of a PDF that has text of its own -> the text in them and where it stands. It knows PyMuPDF's
pages and nothing of how text is recognised.

What is small on the page is no picture of text, and what stands on many pages is one picture. A scan whose text lies
under it or is not shown has been recognised by another program.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import pymupdf

from engine.documents.drawn import Drawn, upright
from engine.documents.flow import Flow
from engine.documents.inner_pictures import LEAST_EDGE, LEAST_PAGE_PIXELS, LEAST_PIXELS, LOOKING_SECONDS, InnerPictures
from engine.documents.limits import MOST_PIXELS, PAGE_PICTURES_SECONDS
from engine.documents.line import Line
from engine.documents.reader import LeftOut, Recognition, Unreadable

LEAST_AREA = 0.01
"""Of the page: logos in letterheads have less, a picture of one sentence more."""
CLIP_RESOLUTION = 200
PAGE_LOOKING_SECONDS = 5.0
"""Of a page without recognition, for telling photographs from pages of text."""


@dataclass(frozen=True)
class _Picture:
    """xref: its number in the file, 0 where it may be one of several. part: what tells it from others."""

    xref: int
    mask: int
    pixels: int
    box: Any
    part: str


class PagePictures:
    """Of one document of PyMuPDF. left_out: pictures that give no text are added. first: the number of the first page
    that is wanted.
    """

    def __init__(self, document: Any, recognition: Recognition | None, left_out: list[LeftOut], first: int = 1) -> None:
        self._document, self._first, self._recognises = document, first, recognition is not None
        self._began = self._spent = 0.0
        self._pictures = InnerPictures(recognition, left_out, first, PAGE_PICTURES_SECONDS)
        self._seen: set[str] = set()
        self._parts: dict[int, str] = {}

    def pass_over(self, page: Any) -> None:
        """The pictures of a page that needs none of them: they were looked at with it, or it is not wanted."""
        self._seen.update(self._part(image[0]) for image in _listed(page))

    def of(self, page: Any, number: int) -> list[Line]:
        """The text of each picture that comes here first, as one piece in its box, in the page's own points."""
        pictures = self._new(page)
        self.pass_over(page)
        if number < self._first or not pictures:
            return []
        self._pictures.begin(number)
        self._began = time.process_time()
        found: list[Line] = []
        for picture in pictures:
            flow, box = Flow(), picture.box
            self._pictures.add(flow, f"a picture on page {number}", picture.part, partial(self._read, page, picture))
            if flow:
                found.append(Line(flow.text(), box.x0, box.y0, box.x1, box.y1))
        return found

    def _new(self, page: Any) -> list[_Picture]:
        """Those that are large enough and were on no page before, once each; none where they were recognised before."""
        listed = [image for image in _listed(page) if self._part(image[0]) not in self._seen]
        drawn = Drawn(page) if listed else None
        if drawn is None or drawn.is_recognised:
            return []
        whole = upright(page)
        large = LEAST_AREA * whole.width * whole.height
        boxes = [box for box in drawn.boxes if box.width * box.height >= large]
        if len(listed) == len(boxes) == len(drawn.boxes) == 1:
            xref, mask = listed[0][:2]
            return [_Picture(xref, mask, listed[0][2] * listed[0][3], boxes[0], self._part(xref))]
        found: dict[str, _Picture] = {}
        for shown in page.get_image_info() if boxes else ():
            box = pymupdf.Rect(shown["bbox"]) & whole
            same = [image for image in listed if image[2:4] == (shown["width"], shown["height"])]
            if not same or box.is_empty or box.width * box.height < large:
                continue
            xref, mask = same[0][:2] if len(same) == 1 else (0, 0)
            part = self._part(xref) if xref else f"{page.number} {tuple(box)}"
            found.setdefault(part, _Picture(xref, mask, same[0][2] * same[0][3], box, part))
        return list(found.values())

    def _part(self, xref: int) -> str:
        """What tells a picture from others: how it is packed, since programs may write it anew for each page."""
        if xref not in self._parts:
            packed = self._document.xref_stream_raw(xref) or b""
            self._parts[xref] = hashlib.sha256(packed).hexdigest()
        return self._parts[xref]

    def _read(self, page: Any, picture: _Picture) -> bytes:
        """As a file of its own. Raises Unreadable, without recognition for all that are surely no page of text."""
        began = time.process_time()
        if not self._recognises and (picture.pixels < LEAST_PAGE_PIXELS or self._spent > LOOKING_SECONDS):
            raise Unreadable("no_text_layer")
        if began - self._began > (PAGE_PICTURES_SECONDS if self._recognises else PAGE_LOOKING_SECONDS):
            raise Unreadable("too_slow")
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
        finally:
            self._spent += time.process_time() - began


def _listed(page: Any) -> list[Any]:
    """(xref, xref of its mask, width, height, ...) of those that could hold more than a sign."""
    return [
        image
        for image in page.get_images()
        if image[2] * image[3] >= LEAST_PIXELS and min(image[2], image[3]) >= LEAST_EDGE
    ]
