"""A page of a PDF, through PyMuPDF -> its lines of text and its ruled lines, the way round in which it is read.

A page on its side, or one that is written downwards as Chinese and Japanese may be, is turned, so that whoever comes
after sees lines that run from left to right. It puts nothing in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pymupdf

from engine.documents.arabic import Letter, in_order
from engine.documents.characters import DINGBATS
from engine.documents.line import Box, Line, runs_from_right
from engine.documents.whole_lines import VECTOR, whole_lines

TEXT_FLAGS = (
    pymupdf.TEXTFLAGS_DICT
    & ~pymupdf.TEXT_PRESERVE_IMAGES
    & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    & ~pymupdf.TEXT_USE_CID_FOR_UNKNOWN_UNICODE
    & ~pymupdf.TEXT_USE_GID_FOR_UNKNOWN_UNICODE
) | pymupdf.TEXT_COLLECT_VECTORS
"""left, top, right, bottom, in points from the upper left corner"""


@dataclass(frozen=True)
class PageLines:
    """lines: in the order of the file. shapes: boxes of what is drawn: rules, frames. width, height: in points.
    words: those of a line, each a line of its own.
    """

    lines: list[Line]
    shapes: list[Box]
    width: float
    height: float
    words: Callable[[Line], list[Line]]


def page_lines(page: Any) -> PageLines:
    """page: of PyMuPDF."""
    found = page.get_textpage(flags=TEXT_FLAGS)
    blocks = found.extractDICT()["blocks"]
    written = _written(blocks)
    if any(runs_from_right(text) for _, text in written):
        written = _written(found.extractRAWDICT()["blocks"])
    width, height = page.cropbox.width, page.cropbox.height
    direction = _direction([(line["dir"], len(text)) for line, text in written])
    turned = _TURNS[direction]
    if direction[0] == 0:
        width, height = height, width

    def boxed(box: Any) -> Box:
        return turned(tuple(box), width, height)

    lines = [Line(text, *boxed(line["bbox"]), horizontal=_quarter(line["dir"]) == direction) for line, text in written]
    shapes = [boxed(block["bbox"]) for block in blocks if block["type"] == VECTOR]

    @cache
    def every_word() -> list[Line]:
        return [Line(word[4], *boxed(word[:4])) for word in found.extractWORDS()]

    def words(line: Line) -> list[Line]:
        return [
            word
            for word in every_word()
            if line.left - 1 <= word.left and word.right <= line.right + 1 and _holds(line, word)
        ]

    return PageLines(lines, shapes, width, height, words)


def _written(blocks: list[Any]) -> list[tuple[Any, str]]:
    """Lines with text in them."""
    return [(line, text) for line in whole_lines(blocks) if (text := _text(line)).strip()]


def _text(line: Any) -> str:
    if line["spans"] and "chars" in line["spans"][0]:
        letters = [
            Letter(char["c"], char["bbox"][0], char["bbox"][2], span["size"])
            for span in line["spans"]
            for char in span["chars"]
        ]
        return in_order(letters)
    return "".join(_signs(span) for span in line["spans"])


def _signs(span: Any) -> str:
    text: str = span["text"]
    return text.translate(DINGBATS) if "Dingbats" in span["font"] and text.isascii() else text


def _holds(line: Line, word: Line) -> bool:
    return line.top <= word.middle <= line.bottom


def _quarter(direction: tuple[float, float]) -> tuple[int, int]:
    """To the right, down, to the left or up; (0, 0) for what runs askew."""
    across, down = (round(part) if abs(part) > 0.99 else 0 for part in direction)
    return across, down


def _direction(written: list[tuple[tuple[float, float], int]]) -> tuple[int, int]:
    """In which most of the page's characters run."""
    count: Counter[tuple[int, int]] = Counter()
    for direction, characters in written:
        count[_quarter(direction)] += characters
    del count[0, 0]
    return count.most_common(1)[0][0] if count else (1, 0)


def _upright(box: Box, _width: float, _height: float) -> Box:
    return box


def _from_downwards(box: Box, _width: float, height: float) -> Box:
    left, top, right, bottom = box
    return top, height - right, bottom, height - left


def _from_left(box: Box, width: float, height: float) -> Box:
    left, top, right, bottom = box
    return width - right, height - bottom, width - left, height - top


def _from_upwards(box: Box, width: float, _height: float) -> Box:
    left, top, right, bottom = box
    return width - bottom, left, width - top, right


# width and height are those of the page after it was turned.
_TURNS: dict[tuple[int, int], Callable[[Box, float, float], Box]] = {
    (1, 0): _upright,
    (0, 1): _from_downwards,
    (-1, 0): _from_left,
    (0, -1): _from_upwards,
}
