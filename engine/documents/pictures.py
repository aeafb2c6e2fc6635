"""Picture files -> pages of the text in them. It knows nothing of how text is recognised.

The frames of a TIFF are pages; of a moving picture only the first is looked at. A photograph is turned as its camera
says.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import numpy as np
from PIL import Image, ImageOps

from engine.documents.characters import readable
from engine.documents.layout import page_text
from engine.documents.limits import MOST_PIXELS
from engine.documents.page import Page
from engine.documents.reader import How, PartsFrom, Reader, Recognition, Unreadable
from engine.documents.source import Source

FORMATS = ("PNG", "JPEG", "GIF", "TIFF", "BMP", "WEBP")
MOST_FRAMES = 2000
SMALL, SMALL_RESOLUTION = 2_500_000, 150
"""Pixels, and pixels an inch where the file says so: below both, letters on a screen are small and the picture is
enlarged before it is looked at.
"""
PHOTOGRAPH_PIXELS = 2_000_000
"""Of a photograph that is looked at briefly: a page of print can be read in so many, and noise costs seconds a million.
"""
LEAST_DOUBTFUL = 12
"""Characters without which what is found in a photograph is no text: a leaf may look like a word, hardly like three."""
RESOLUTION = 200
"""Pixels an inch of a picture that is looked at, for want of better knowledge: what tells columns from cells."""

# The bound is our own, and is looked at before anything is unpacked.
Image.MAX_IMAGE_PIXELS = None


def open_picture(source: Source, how: How) -> Reader:
    """Raises Unreadable: damaged, too_large_unpacked."""
    file = source.open()
    try:
        picture = opened(file)
        frames = frame_count(picture)
    except BaseException:
        file.close()
        raise

    def pages(first: int) -> Iterator[Page]:
        for number in range(first, frames + 1):
            try:
                yield page_of(frame(picture, number), number, how.recognition)
            except Unreadable as unreadable:
                yield Page(number, "failed", unreadable.reason, "")

    return PartsFrom(pages, page_count=frames, close=file.close)


def opened(file: BinaryIO) -> Image.Image:
    """A picture of which nothing is unpacked yet. Raises Unreadable: damaged, too_large_unpacked."""
    with _damaged():
        picture = Image.open(file, formats=FORMATS)
    _check_size(picture)
    return picture


def frame_count(picture: Image.Image) -> int:
    """Pages of a TIFF file; 1 of all others. Raises Unreadable: damaged."""
    if picture.format != "TIFF":
        return 1
    with _damaged():
        return min(MOST_FRAMES, int(getattr(picture, "n_frames", 1)))


def frame(picture: Image.Image, number: int) -> Image.Image:
    """That page, from 1, the right way up, in RGB on white. Raises Unreadable: damaged, too_large_unpacked."""
    with _damaged():
        if frame_count(picture) > 1:
            picture.seek(number - 1)
        _check_size(picture)
        return _on_white(_upright(picture))


@contextmanager
def _damaged() -> Iterator[None]:
    """Pillow raises many types for a broken file, and warns of what it can do without."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except (Unreadable, MemoryError):
            raise
        except Exception as error:
            raise Unreadable("damaged") from error


def _check_size(picture: Image.Image) -> None:
    if picture.width * picture.height > MOST_PIXELS:
        raise Unreadable("too_large_unpacked")


def _upright(picture: Image.Image) -> Image.Image:
    picture.load()
    try:
        return ImageOps.exif_transpose(picture)
    except Exception:  # what the camera wrote beside the picture may be broken; the picture is not
        return picture.copy()


def _on_white(picture: Image.Image) -> Image.Image:
    if picture.mode.startswith(("I", "F")):  # sixteen bits and more for each pixel
        values = np.asarray(picture, dtype=np.float64)
        low, high = float(values.min()), float(values.max())
        return Image.fromarray(((values - low) * (255 / max(high - low, 1))).astype(np.uint8)).convert("RGB")
    if "A" in picture.getbands() or "transparency" in picture.info:
        clear = picture.convert("RGBA")
        white = Image.new("RGBA", clear.size, "white")
        return Image.alpha_composite(white, clear).convert("RGB")
    return picture.convert("RGB")


def page_of(picture: Image.Image, number: int, recognition: Recognition | None, briefly: bool = False) -> Page:
    """The text in a picture that `frame` gave. briefly: a photograph is looked at once, small and as it stands, and
    what is found in it is text only beyond doubt: it may be one of many between lines of text.
    """
    unread = Page(number, "needs_ocr", "no_text_layer", "")
    if recognition is None:
        return unread
    from engine.documents.ocr.photograph import is_photograph
    from engine.documents.ocr.tesseract import GOOD, recognise

    doubtful = briefly and is_photograph(picture)
    try:
        if doubtful:
            found = recognise(_within(picture, PHOTOGRAPH_PIXELS), recognition, turned=False)
        else:
            found = recognise(_enlarged(picture), recognition)
    except RuntimeError:  # Tesseract does not take the data that is here
        return unread
    if not found.is_text or (doubtful and (found.share < GOOD or found.characters < LEAST_DOUBTFUL)):
        return Page(number, "blank", None, "") if found.is_blank else Page(number, "needs_ocr", "not_recognised", "")
    return Page(number, "read", None, readable(page_text(found.lines_at(RESOLUTION))), source="ocr")


def _within(picture: Image.Image, pixels: int) -> Image.Image:
    small = picture.copy()
    if (scale := (pixels / (picture.width * picture.height)) ** 0.5) < 1:
        small.thumbnail((max(1, int(picture.width * scale)), max(1, int(picture.height * scale))))
    return small


def _enlarged(picture: Image.Image) -> Image.Image:
    resolution = picture.info.get("dpi", (0, 0))[0]
    if picture.width * picture.height >= SMALL or resolution >= SMALL_RESOLUTION:
        return picture
    return picture.resize((picture.width * 2, picture.height * 2), Image.Resampling.LANCZOS)
