"""Pictures that stand in a document of another kind -> the text in them, as far as it is worth the time.

What is small is an icon, what is a photograph is looked at once and briefly, and no picture twice. It knows no format:
where a picture stands and what it consists of is told.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from engine.documents.flow import Flow
from engine.documents.limits import (
    MOST_PICTURES,
    MOST_PICTURES_OF_A_PART,
    PICTURES_FILE_SECONDS,
    PICTURES_SECONDS,
)
from engine.documents.page import Page
from engine.documents.reader import LeftOut, Recognition, Unreadable

if TYPE_CHECKING:
    from PIL import Image

LEAST_PIXELS, LEAST_EDGE = 20_000, 20
"""Of a picture that may hold more than a sign: 128 by 128 are an icon, 600 by 40 may be a line of text."""
LEAST_PAGE_PIXELS, LEAST_PAGE_EDGE = 480_000, 500
"""Of a picture that may be a page of text or a screen: A4 at 72 points an inch has 500,000 pixels."""
LOOKING_SECONDS = 20.0
"""Of a document without recognition, for telling photographs from such pages."""
_LONGEST_NAME = 200
_SMALL = Page(1, "blank", None, "")
_UNREAD = Page(1, "needs_ocr", "no_text_layer", "")
_UNKNOWN = Page(1, "needs_ocr", "unreadable_picture", "")
_PASSED_OVER = Page(1, "failed", "too_slow", "")
_WORST = ("not_recognised", "no_text_layer", "unreadable_picture", "too_slow")


@dataclass
class _Spent:
    """pictures: that were recognised; seconds: of this process's own time."""

    pictures: int = 0
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        self.pictures, self.seconds = self.pictures + 1, self.seconds + seconds

    def is_over(self, most: int, seconds: float) -> bool:
        return self.pictures >= most or self.seconds >= seconds


class InnerPictures:
    """Of one document, from front to back. left_out: pictures that give no text are added, with a reason where they may
    be pages of text. first: the number of the first part that is wanted; in those before nothing is recognised.
    seconds: that the pictures of a part may take, if not PICTURES_SECONDS.
    """

    def __init__(
        self,
        recognition: Recognition | None,
        left_out: list[LeftOut],
        first: int = 1,
        seconds: float | None = None,
    ) -> None:
        self._recognition, self._left_out, self._first, self._seconds = recognition, left_out, first, seconds
        self._wanted = True
        self._digests: dict[str, bytes] = {}
        self._found: dict[bytes, Page] = {}
        self._said: set[bytes] = set()
        self._pages: set[bytes] = set()
        self._passed_over: set[bytes] = set()
        self._of_file, self._of_part = _Spent(), _Spent()
        self._outcomes: list[Page] = []

    def begin(self, number: int) -> None:
        """The part of this number begins."""
        self._wanted = number >= self._first
        self._of_part = _Spent()
        self._passed_over.clear()
        self._outcomes = []

    def add(self, flow: Flow, name: str, part: str | None, read: Callable[[], bytes]) -> None:
        """A picture that stands here. name: as the document calls it. part: what tells it from others; None where it is
        none of this document. read: its bytes, or it raises Unreadable. Text that was said before is not said again.
        """
        digest, found = self._picture(part, read)
        self._outcomes.append(found)
        if not found.text:
            is_missed = found.outcome == "failed" or digest in self._pages
            self._left_out.append(LeftOut("picture", name[:_LONGEST_NAME], found.reason if is_missed else None))
        elif digest not in self._said:
            flow.recognised(found.text)
        if found.text or not self._wanted:
            self._said.add(digest)

    def add_data(self, flow: Flow, name: str, data: bytes) -> None:
        """As `add`, where its bytes are all that is known of it."""
        self.add(flow, name, hashlib.sha256(data).hexdigest(), lambda: data)

    def page(
        self, number: int, flow: Flow, lost: str | None = None, label: str | None = None, section: str | None = None
    ) -> Page:
        """The part that ends here, with what was made of its pictures. lost: why its text is not whole, or None."""
        if flow:
            source = "ocr" if flow.only_recognised else "text"
            return Page(number, "read", lost, flow.text(), label, section, source)  # type: ignore[arg-type]
        if lost is not None:
            return Page(number, "failed", lost, "", label, section)
        worst = next((page for reason in _WORST for page in self._outcomes if page.reason == reason), _SMALL)
        return Page(number, worst.outcome if worst.reason else "blank", worst.reason, "", label, section)

    def _picture(self, part: str | None, read: Callable[[], bytes]) -> tuple[bytes, Page]:
        """(what is the same for the same picture, what it holds)"""
        if self._recognition is None:
            return b"" if part is None else self._unrecognised(part, read), _UNREAD
        if part is None:
            return b"", _UNKNOWN
        digest = self._digests.get(part, b"")
        if digest in self._found:
            return digest, self._found[digest]
        if digest and (digest in self._passed_over or not self._wanted):
            return digest, _PASSED_OVER
        data = _data(read)
        digest = self._digests[part] = hashlib.sha256(data).digest()
        if digest not in self._found:
            found = self._looked_at(data, digest, self._recognition)
            if found is _PASSED_OVER:  # in another part there may be time for it
                self._passed_over.add(digest)
                return digest, found
            self._found[digest] = found
        return digest, self._found[digest]

    def _unrecognised(self, part: str, read: Callable[[], bytes]) -> bytes:
        """What is the same for the same picture."""
        if part not in self._digests:
            began, data = time.process_time(), _data(read)
            digest = self._digests[part] = hashlib.sha256(data).digest()
            if not self._of_file.is_over(MOST_PICTURES, LOOKING_SECONDS) and _may_be_page(data):
                self._pages.add(digest)
            self._of_file.add(time.process_time() - began)
        return self._digests[part]

    def _looked_at(self, data: bytes, digest: bytes, recognition: Recognition) -> Page:
        from engine.documents.pictures import frame, opened, page_of

        if not self._wanted:
            return _PASSED_OVER
        try:
            picture = opened(BytesIO(data))
            if picture.width * picture.height < LEAST_PIXELS or min(picture.size) < LEAST_EDGE:
                return _SMALL
            if self._of_part.is_over(MOST_PICTURES_OF_A_PART, self._seconds or PICTURES_SECONDS):
                return _PASSED_OVER
            if self._of_file.is_over(MOST_PICTURES, PICTURES_FILE_SECONDS):
                return _PASSED_OVER
            began = time.process_time()
            shown = frame(picture, 1)
            found = page_of(shown, 1, recognition, briefly=True)
            if found.outcome == "needs_ocr" and _is_page(shown):
                self._pages.add(digest)
        except Unreadable:
            return _UNKNOWN
        for spent in (self._of_part, self._of_file):
            spent.add(time.process_time() - began)
        return found


def _data(read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except Unreadable:
        return b""


def _may_be_page(data: bytes) -> bool:
    from engine.documents.pictures import frame, opened

    try:
        picture = opened(BytesIO(data))
        return _is_large(picture) and _is_page(frame(picture, 1))
    except Unreadable:
        return False


def _is_page(picture: Image.Image) -> bool:
    """Whether it is as large as a page or a screen, and no photograph."""
    from engine.documents.ocr.photograph import is_photograph

    return _is_large(picture) and not is_photograph(picture)


def _is_large(picture: Image.Image) -> bool:
    return picture.width * picture.height >= LEAST_PAGE_PIXELS and min(picture.size) >= LEAST_PAGE_EDGE
