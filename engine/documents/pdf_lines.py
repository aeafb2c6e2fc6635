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
from engine.documents.scripts import LEVEL, LOWERED, RAISED, Look, written
from engine.documents.whole_lines import VECTOR, whole_lines

TEXT_FLAGS = (
    pymupdf.TEXTFLAGS_DICT
    & ~pymupdf.TEXT_PRESERVE_IMAGES
    & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    & ~pymupdf.TEXT_USE_CID_FOR_UNKNOWN_UNICODE
    & ~pymupdf.TEXT_USE_GID_FOR_UNKNOWN_UNICODE
) | pymupdf.TEXT_COLLECT_VECTORS
"""left, top, right, bottom, in points from the upper left corner"""

SAME_PLACE = 0.15
"""Of the size of the letters; lines of the same text that are nearer are one."""
MOST_SMALL, LEAST_RAISED = 0.9, 0.08
"""Of the size of a line's letters: how large raised ones may be, and how far they stand above its foot."""


@dataclass(frozen=True)
class PageLines:
    """lines: in the order of the file. shapes: boxes of what is drawn: rules, frames. width, height: in points.
    words: those of a line, each a line of its own. placed: a line of the page as the file has it, turned as these are.
    """

    lines: list[Line]
    shapes: list[Box]
    width: float
    height: float
    words: Callable[[Line], list[Line]]
    placed: Callable[[Line], Line]


def page_lines(page: Any) -> PageLines:
    """page: of PyMuPDF."""
    found = page.get_textpage(flags=TEXT_FLAGS)
    blocks = found.extractDICT()["blocks"]
    found_lines = _written(blocks)
    if any(runs_from_right(text) for _, text in found_lines):
        found_lines = _written(found.extractRAWDICT()["blocks"])
    width, height = page.cropbox.width, page.cropbox.height
    direction = _direction([(line["dir"], len(text)) for line, text in found_lines])
    turned = _TURNS[direction]
    if direction[0] == 0:
        width, height = height, width

    def boxed(box: Any) -> Box:
        return turned(tuple(box), width, height)

    lines = [
        Line(text, *boxed(line["bbox"]), horizontal=_quarter(line["dir"]) == direction) for line, text in found_lines
    ]
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

    def placed(line: Line) -> Line:
        return Line(line.text, *boxed((line.left, line.top, line.right, line.bottom)), line.horizontal)

    return PageLines(lines, shapes, width, height, words, placed)


def _written(blocks: list[Any]) -> list[tuple[Any, str]]:
    """Lines with text in them. What is drawn twice to look bold, or to have a shadow, is there once."""
    found: list[tuple[Any, str]] = []
    places: dict[str, list[tuple[float, float]]] = {}
    for line in whole_lines(blocks):
        if not (text := _text(line)).strip():
            continue
        left, top = line["bbox"][:2]
        near = SAME_PLACE * line["spans"][0]["size"]
        same = places.setdefault(text.strip(), [])
        if not any(abs(left - x) <= near and abs(top - y) <= near for x, y in same):
            found.append((line, text))
            same.append((left, top))
    return found


def _text(line: Any) -> str:
    if line["spans"] and "chars" in line["spans"][0]:
        letters = [
            Letter(char["c"], char["bbox"][0], char["bbox"][2], span["size"])
            for span in line["spans"]
            for char in span["chars"]
        ]
        return in_order(letters)
    spans = line["spans"]
    if len(spans) > 1 and line["dir"] == (1, 0) and len({span["size"] for span in spans}) > 1:
        base = max(spans, key=lambda span: (round(span["size"], 1), len(span["text"])))
        return written((_signs(span), Look(_height(span, base))) for span in spans)
    return "".join(_signs(span) for span in spans)


def _height(span: Any, base: Any) -> int:
    """Whether it stands above or below the line's foot, in smaller letters. base: a span of the line's own letters."""
    up = (base["origin"][1] - span["origin"][1]) / base["size"]
    if span["size"] > MOST_SMALL * base["size"] or abs(up) < LEAST_RAISED:
        return LEVEL
    return RAISED if up > 0 else LOWERED


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
