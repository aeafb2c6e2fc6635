"""A page of a PDF, through PyMuPDF -> its lines of text and its ruled lines, the way round in which it is read.

A page on its side, or one that is written downwards as Chinese and Japanese may be, is turned, so that whoever comes
after sees lines that run from left to right. It puts nothing in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pymupdf

from engine.documents.arabic import RIGHT_TO_LEFT, Letter, in_order
from engine.documents.characters import DINGBATS
from engine.documents.layout import Line

TEXT_FLAGS = (
    pymupdf.TEXTFLAGS_DICT
    & ~pymupdf.TEXT_PRESERVE_IMAGES
    & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    & ~pymupdf.TEXT_USE_CID_FOR_UNKNOWN_UNICODE
    & ~pymupdf.TEXT_USE_GID_FOR_UNKNOWN_UNICODE
) | pymupdf.TEXT_COLLECT_VECTORS
Box = tuple[float, float, float, float]
"""left, top, right, bottom, in points from the upper left corner"""
_TEXT, _VECTOR = 0, 3
# As shares of the letters' size, as MuPDF has them.
LEAST_BLANK, MOST_BLANK, MOST_OVERLAP, SAME_BASELINE, UNDERSCORE = 0.15, 0.8, 0.3, 0.1, 0.12


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
    if any(RIGHT_TO_LEFT.search(text) for _, text in written):
        written = _written(found.extractRAWDICT()["blocks"])
    width, height = page.cropbox.width, page.cropbox.height
    direction = _direction([(line["dir"], len(text)) for line, text in written])
    turned = _TURNS[direction]
    if direction[0] == 0:
        width, height = height, width

    def boxed(box: Any) -> Box:
        return turned(tuple(box), width, height)

    lines = [Line(text, *boxed(line["bbox"]), horizontal=_quarter(line["dir"]) == direction) for line, text in written]
    shapes = [boxed(block["bbox"]) for block in blocks if block["type"] == _VECTOR]

    def words(line: Line) -> list[Line]:
        every = (Line(word[4], *boxed(word[:4])) for word in found.extractWORDS())
        return [
            word for word in every if line.left - 1 <= word.left and word.right <= line.right + 1 and _holds(line, word)
        ]

    return PageLines(lines, shapes, width, height, words)


def _written(blocks: list[Any]) -> list[tuple[Any, str]]:
    """Lines with text in them."""
    return [(line, text) for line in _whole(blocks) if (text := _text(line)).strip()]


def _whole(blocks: list[Any]) -> Iterator[Any]:
    """The lines; one that was parted because something was drawn between its words is whole again."""
    before: Any = None
    drawn: list[Any] = []
    for block in blocks:
        if block["type"] == _VECTOR:
            drawn.append(block["bbox"])
            continue
        for line in block["lines"] if block["type"] == _TEXT else ():
            joint = _joint(before, line, drawn) if before is not None and drawn else None
            if joint is not None:
                before = _joined(before, joint, line)
            else:
                if before is not None:
                    yield before
                before = line
            drawn = []
    if before is not None:
        yield before


def _joint(first: Any, second: Any, drawn: list[Any]) -> str | None:
    """What stands between two pieces of one line: nothing, a blank, or a short rule that is meant as "_"; None for two
    lines, or two cells with a rule between them.
    """
    if first["dir"] != second["dir"] or second["dir"][0] < 0.99 or not (first["spans"] and second["spans"]):
        return None
    left, size = first["bbox"][2], first["spans"][-1]["size"]
    gap = second["bbox"][0] - left
    if abs(first["spans"][-1]["origin"][1] - second["spans"][0]["origin"][1]) > SAME_BASELINE * size:
        return None
    if not -MOST_OVERLAP * size < gap < MOST_BLANK * size:
        return None
    between = [box for box in drawn if left - 1 <= (box[0] + box[2]) / 2 <= second["bbox"][0] + 1]
    if any(box[3] - box[1] >= size and box[2] - box[0] < size for box in between):
        return None
    if any(box[2] - box[0] < MOST_BLANK * size and box[3] - box[1] < UNDERSCORE * size for box in between):
        return "_"
    blank = gap > LEAST_BLANK * size and not first["spans"][-1].get("text", "").endswith(" ")
    return " " if blank else ""


def _joined(first: Any, joint: str, second: Any) -> Any:
    (left, top, *_), (_, other_top, right, bottom) = first["bbox"], second["bbox"]
    box = (left, min(top, other_top), right, max(bottom, first["bbox"][3]))
    end = first["spans"][-1]
    if "chars" in end:
        letter = {"c": joint, "bbox": (first["bbox"][2], top, second["bbox"][0], bottom)}
        between = {**end, "chars": [letter] if joint else []}
    else:
        between = {**end, "text": joint}
    return {**first, "bbox": box, "spans": [*first["spans"], between, *second["spans"]]}


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
