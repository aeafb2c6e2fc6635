"""Picture files -> pages of the text in them. It knows nothing of how text is recognised.

The frames of a TIFF are pages, and so are those of a moving picture (`moving_picture`). A photograph is turned as its
camera says.
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
from engine.documents.ocr.under_way import recognising
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, PartsFrom, Reader, Recognition, Unreadable
from engine.documents.source import Source

FORMATS = ("PNG", "JPEG", "GIF", "TIFF", "BMP", "WEBP")
MOVING = ("GIF", "WEBP", "PNG")
MOST_FRAMES = 2000
"""That are looked at. The others are named."""
SMALL, SMALL_RESOLUTION = 2_500_000, 150
"""Pixels, and pixels an inch where the file says so: below both, letters on a screen are small and the picture is
enlarged before it is looked at.
"""
PHOTOGRAPH_PIXELS = 2_000_000
"""Of a photograph that is looked at briefly: a page of print can be read in so many, and noise costs seconds a million.
"""
LEAST_DOUBTFUL = 12
"""Characters without which what is found in a photograph is no text: a leaf may look like a word, hardly like three."""
LEAST_LIGHT = 200
"""Of 255, the darkest of a picture that nobody could read on white: it was drawn for a dark ground."""
RESOLUTION = 200
"""Pixels an inch of a picture that is looked at, for want of better knowledge: what tells columns from cells."""

# Pillow refuses what has more than twice that; frames within a file may claim to be larger than it.
Image.MAX_IMAGE_PIXELS = MOST_PIXELS // 2


def open_picture(source: Source, how: How) -> Reader:
    """Raises Unreadable: damaged, too_large_unpacked."""
    file = source.open()
    try:
        picture = opened(file)
        found = _frames(picture)
    except BaseException:
        file.close()
        raise
    frames = min(found, MOST_FRAMES)
    rest = [LeftOut("part", f"pages from {frames + 1} on", "some_parts_left_out")] if found > frames else []
    if frames > 1 and picture.format in MOVING:
        from engine.documents.moving_picture import MovingPicture

        return MovingPicture(picture, frames, how.recognition, rest, file.close)

    def pages(first: int) -> Iterator[Page]:
        for number in range(first, frames + 1):
            try:
                yield page_of(frame(picture, number), number, how.recognition)
            except Unreadable as unreadable:
                yield Page(number, "failed", unreadable.reason, "")

    return PartsFrom(pages, rest, frames, file.close)


def opened(file: BinaryIO) -> Image.Image:
    """A picture of which nothing is unpacked yet. Raises Unreadable: damaged, too_large_unpacked."""
    with _damaged():
        picture = Image.open(file, formats=FORMATS)
    _check_size(picture)
    return picture


def frame_count(picture: Image.Image) -> int:
    """Pages of a TIFF file, frames of a moving picture, at most MOST_FRAMES; else 1. Raises Unreadable: damaged."""
    return min(_frames(picture), MOST_FRAMES)


def _frames(picture: Image.Image) -> int:
    """Of a TIFF file at most one more than are looked at: those that are never reached may be counted for minutes."""
    with _damaged():
        if picture.format in MOVING:
            return max(1, int(getattr(picture, "n_frames", 1)))
        if picture.format != "TIFF":
            return 1
        number = 1
        try:
            while number <= MOST_FRAMES:
                picture.seek(number)
                number += 1
        except EOFError:
            pass
        except (OSError, ValueError, TypeError, SyntaxError, KeyError, IndexError):  # as Pillow meets a broken page
            number += 1  # it is there, and no page behind it can be found
        picture.seek(0)
        return number


def frame(picture: Image.Image, number: int) -> Image.Image:
    """That page, from 1, the right way up, in RGB on a ground that shows it. Raises Unreadable: damaged,
    too_large_unpacked.
    """
    with _damaged():
        if number - 1 != picture.tell():
            picture.seek(number - 1)
        _check_size(picture)
        return _on_a_ground(_upright(picture))


@contextmanager
def _damaged() -> Iterator[None]:
    """Pillow raises many types for a broken file, and warns of what it can do without."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except (Unreadable, MemoryError):
            raise
        except Image.DecompressionBombError as error:
            raise Unreadable("too_large_unpacked") from error
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


def _on_a_ground(picture: Image.Image) -> Image.Image:
    if picture.mode.startswith(("I", "F")):  # sixteen bits and more for each pixel
        values = np.asarray(picture, dtype=np.float64)
        low, high = float(values.min()), float(values.max())
        return Image.fromarray(((values - low) * (255 / max(high - low, 1))).astype(np.uint8)).convert("RGB")
    if "A" in picture.getbands() or "transparency" in picture.info:
        clear = picture.convert("RGBA")
        on_white = _composed(clear, "white")
        is_lost = np.asarray(on_white.convert("L")).min() >= LEAST_LIGHT and clear.getbbox() is not None
        return _composed(clear, "black") if is_lost else on_white
    return picture.convert("RGB")


def _composed(clear: Image.Image, ground: str) -> Image.Image:
    return Image.alpha_composite(Image.new("RGBA", clear.size, ground), clear).convert("RGB")


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
        with recognising():
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
