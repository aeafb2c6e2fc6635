"""A picture -> the lines of text in it, by the Tesseract inside PyMuPDF. It knows nothing of documents.

A picture on its side or on its head is turned until its text makes sense; one that is slightly askew is put straight,
so that columns and rows are told as in any other page.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import pymupdf
from PIL import Image

from engine.documents.line import Line
from engine.documents.ocr.plausible import is_plausible, plausible_share
from engine.documents.reader import Recognition

POINTS = 72.0
"""An inch."""
LARGEST_PICTURE = 10_000_000
"""Pixels that are looked at; more costs minutes and finds nothing more. An A4 page at 300 dpi has 9 million."""
GOOD = 0.65
"""From this share on a picture is turned no further."""
SPECKS = 0.001
"""Of a scan that shows nothing but the dust on the glass."""
_SURE = 2.0
_INK = 64
_PROFILE_EDGE = 800
_LEAST_WORDS = 4
_MOST_ASKEW = 0.2
# In degrees, against the clock, as Pillow turns.
_TURNS = {90: Image.Transpose.ROTATE_90, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_270}


@dataclass(frozen=True)
class Recognised:
    """lines: in the picture's pixels, of the picture as it is read. width, height: of it. share: how plausible the text
    is, from 0 to 1. ink: of the picture that differs from its ground, from 0 to 1.
    """

    lines: tuple[Line, ...]
    width: int
    height: int
    share: float
    ink: float

    def lines_at(self, resolution: float) -> list[Line]:
        """The lines in points, of a picture with so many pixels an inch."""
        return [_scaled(line, POINTS / resolution) for line in self.lines]

    @property
    def is_text(self) -> bool:
        """Whether it is more than noise."""
        return is_plausible("\n".join(line.text for line in self.lines))

    @property
    def characters(self) -> int:
        """Without blanks."""
        return sum(len("".join(line.text.split())) for line in self.lines)

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing in the picture that is text or might be."""
        return not self.lines or (not self.is_text and self.ink < SPECKS)


def recognise(picture: Image.Image, recognition: Recognition, turned: bool = True) -> Recognised:
    """The text of a picture. turned: whether it may stand on its side or on its head. Raises RuntimeError where
    Tesseract does not take the language data.
    """
    picture = picture.convert("RGB")
    if (pixels := picture.width * picture.height) > LARGEST_PICTURE:
        scale = (LARGEST_PICTURE / pixels) ** 0.5
        picture = picture.resize((max(1, int(picture.width * scale)), max(1, int(picture.height * scale))))
    ink = _ink(picture)
    best: Recognised | None = None
    for turn in _turns(ink) if turned else (0,):
        found = _recognised(picture.transpose(_TURNS[turn]) if turn else picture, recognition, float(ink.mean()))
        if best is None or found.share > best.share:
            best = found
        if best.share >= GOOD:
            break
    assert best is not None
    return best


def _ink(picture: Image.Image) -> Any:
    """[rows, columns] of a small copy: whether it differs from the picture's ground there."""
    small = picture.convert("L")
    small.thumbnail((_PROFILE_EDGE, _PROFILE_EDGE))
    grey = np.asarray(small, dtype=np.int16)
    return np.abs(grey - int(np.median(grey))) > _INK


def _turns(ink: Any) -> tuple[int, ...]:
    """The ways in which the text may run, likeliest first. Lines of text leave stripes: where the ink changes more from
    column to column than from row to row, they stand upright, or it is a ruled table.
    """
    rows, columns = (float((np.diff(ink.mean(axis=axis)) ** 2).mean()) for axis in (1, 0))
    if rows + columns == 0:
        return (0,)
    if columns > _SURE * rows:
        return (90, 270, 0, 180)
    if columns > rows:
        return (0, 90, 270, 180)
    return (0, 180) if rows >= _SURE * columns else (0, 180, 90, 270)


def _recognised(picture: Image.Image, recognition: Recognition, ink: float) -> Recognised:
    # Tesseract is given three colours: MuPDF hands it nothing of a grey picture.
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, picture.width, picture.height, picture.tobytes(), 0)
    languages = "+".join(recognition.languages)
    try:
        data = pixmap.pdfocr_tobytes(compress=False, language=languages, tessdata=recognition.data)
    except pymupdf.mupdf.FzErrorBase as error:
        raise RuntimeError(f"Tesseract does not take the data in {recognition.data}") from error
    with pymupdf.open(stream=data, filetype="pdf") as document:
        page = document[0]
        zoom = picture.width / page.rect.width
        found = [line for block in page.get_text("dict")["blocks"] for line in block.get("lines", ())]
    lines = _straight([_Words(line, zoom) for line in found])
    kept = tuple(line for line in lines if any(character.isalnum() for character in line.text))
    share = plausible_share("\n".join(line.text for line in kept))
    return Recognised(kept, picture.width, picture.height, share, ink)


def _scaled(line: Line, factor: float) -> Line:
    left, top, right, bottom = (edge * factor for edge in (line.left, line.top, line.right, line.bottom))
    return Line(line.text, left, top, right, bottom, line.horizontal)


class _Words:
    """A line as it was found: its text, and the boxes of its first and last word and of the whole, in pixels."""

    def __init__(self, line: Any, zoom: float) -> None:
        spans = [span for span in line["spans"] if span["text"].strip()]
        self.text = "".join(span["text"] for span in line["spans"]).strip()
        self.count = len(spans)
        self.horizontal = line["dir"][0] > abs(line["dir"][1])
        self.box = [edge * zoom for edge in line["bbox"]]
        ends = (spans[0], spans[-1]) if spans else (line, line)
        self.first, self.last = ([edge * zoom for edge in end["bbox"]] for end in ends)

    def slope(self) -> float:
        """How far the line falls on its way to the right."""
        across = self.last[2] - self.first[0]
        return (self.last[3] - self.first[3]) / across if across > 0 else 0.0


def _straight(lines: list[_Words]) -> list[Line]:
    """Turned about the upper left corner until long lines run level."""
    slopes = [line.slope() for line in lines if line.horizontal and line.count >= _LEAST_WORDS]
    slope = median(slopes) if slopes else 0.0
    if abs(slope) > _MOST_ASKEW:
        slope = 0.0
    straight: list[Line] = []
    for line in lines:
        if not line.horizontal:
            edges = line.box
            straight.append(Line(line.text, edges[0], edges[1], edges[2], edges[3], horizontal=False))
            continue
        left, right = line.box[0] + slope * line.first[3], line.box[2] + slope * line.first[3]
        top, bottom = line.first[1] - slope * line.box[0], line.first[3] - slope * line.box[0]
        straight.append(Line(line.text, left, top, right, bottom))
    return straight
