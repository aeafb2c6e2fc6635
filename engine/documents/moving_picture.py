"""A moving picture (GIF, WebP, APNG) -> a page a frame, of what no frame before it said. It recognises nothing itself.

A frame that looks like the last one that was looked at is blank, and so is one that only repeats it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from PIL import Image, ImageChops

from engine.documents.limits import PICTURES_SECONDS
from engine.documents.page import Page
from engine.documents.pictures import frame, page_of
from engine.documents.reader import LeftOut, Recognition, Unreadable

LEAST_LEVELS, LEAST_PIXELS = 64, 16
"""Of the 256 from black to white, and of pixels that changed by so much: less is no letter."""


class MovingPicture:
    """A Reader of one that is open. frames: how many of it are looked at."""

    def __init__(
        self,
        picture: Image.Image,
        frames: int,
        recognition: Recognition | None,
        left_out: Sequence[LeftOut],
        close: Callable[[], None],
    ) -> None:
        self._picture, self._recognition, self._close = picture, recognition, close
        self.page_count: int | None = frames
        self.left_out = left_out

    def pages(self, first: int = 1, lost: Collection[int] = ()) -> Iterator[Page]:
        """As of a `Reader`. Once PICTURES_SECONDS went into it, the other frames are passed over by their numbers."""
        frames = _Frames(self._picture, self._recognition)
        for number in range(1, (self.page_count or 0) + 1):
            if number not in lost:
                page = frames.page(number)
                if number >= first:
                    yield page

    def close(self) -> None:
        """Lets go of the file."""
        self._close()


class _Frames:
    """From the first on: what they looked like and said so far."""

    def __init__(self, picture: Image.Image, recognition: Recognition | None) -> None:
        self._picture, self._recognition = picture, recognition
        self._looked_at: Image.Image | None = None
        self._said: set[str] = set()
        self._seconds = 0.0
        self._is_too_large = False

    def page(self, number: int) -> Page:
        if self._is_too_large:  # a frame enlarges the picture for all after it
            return Page(number, "failed", "too_large_unpacked", "")
        if self._seconds > PICTURES_SECONDS:
            return Page(number, "failed", "too_slow", "")
        began = time.process_time()
        try:
            return self._new(self._page(number))
        except Unreadable as unreadable:
            self._is_too_large = unreadable.reason == "too_large_unpacked"
            return Page(number, "failed", unreadable.reason, "")
        finally:
            self._seconds += time.process_time() - began

    def _page(self, number: int) -> Page:
        shown = frame(self._picture, number)
        grey = shown.convert("L")
        if self._looked_at is not None and not differs(grey, self._looked_at):
            return Page(number, "blank", None, "")
        page = page_of(shown, number, self._recognition, briefly=self._looked_at is not None)
        is_between = self._looked_at is not None and page.reason == "not_recognised"
        self._looked_at = grey
        return Page(number, "blank", None, "") if is_between else page

    def _new(self, page: Page) -> Page:
        lines = [line for line in page.text.split("\n") if line not in self._said]
        self._said.update(lines)
        if page.outcome == "read" and not any(lines):
            return Page(page.number, "blank", None, "")
        return replace(page, text="\n".join(lines).strip("\n"))


def differs(grey: Image.Image, other: Image.Image) -> bool:
    """Whether something that may be a letter changed. Both "L", of one size."""
    return sum(ImageChops.difference(grey, other).histogram()[LEAST_LEVELS:]) >= LEAST_PIXELS
