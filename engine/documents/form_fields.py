"""What is typed and ticked in a PDF's form -> the labels that it stands beside. PyMuPDF gives it behind the page's own
text, and of boxes only those that are ticked.

A box is drawn with its tick or without one. Whatever has no label stays where it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pymupdf import mupdf

from engine.documents.line import Box, Line

TICKED, EMPTY = "\u2611", "\u2610"
MOST_FIELDS = 2000
"""On a page."""
GAP = "  "
# In points, between a field and its label.
_TOUCHING, _FARTHEST_BOX, _FARTHEST_ABOVE, _NEAR = 2.0, 40.0, 10.0, 20.0
_NOT_SHOWN = 1 | 2 | 32
"""Flags of annotations: invisible, hidden, no view."""


@dataclass(frozen=True)
class Field:
    """box: in the page's points. ticked: None for what is typed into."""

    box: Box
    ticked: bool | None


def fields(page: Any) -> list[Field]:
    """page: of PyMuPDF. None where they cannot be told, as on pages that are turned."""
    if page.rotation or page.first_widget is None:
        return []
    found: list[Field] = []
    try:
        for widget in page.widgets():
            state = page.parent.xref_get_key(widget.xref, "F")[1]
            if len(found) == MOST_FIELDS or (state.isdigit() and int(state) & _NOT_SHOWN):
                continue
            is_box = widget.field_type in (mupdf.PDF_WIDGET_TYPE_CHECKBOX, mupdf.PDF_WIDGET_TYPE_RADIOBUTTON)
            shown = page.parent.xref_get_key(widget.xref, "AS")[1]
            found.append(Field(tuple(widget.rect), shown not in ("/Off", "null") if is_box else None))
    except Exception:  # a broken form costs no page
        return []
    return found


def with_boxes(lines: Sequence[Line], fields: Sequence[Field]) -> tuple[list[Line], list[Line]]:
    """(the lines with a sign for each box, those of them that are in fields)"""
    boxes = [field for field in fields if field.ticked is not None]
    signs = [Line(TICKED if field.ticked else EMPTY, *field.box) for field in boxes]
    kept = [line for line in lines if len(line.text.strip()) > 1 or not any(_lies_in(line, box.box) for box in boxes)]
    typed = [line for line in kept if any(field.ticked is None and _lies_in(line, field.box) for field in fields)]
    return [*kept, *signs], [*typed, *signs]


def beside_labels(lines: Sequence[Line], filled: Sequence[Line]) -> list[Line]:
    """The lines with those of fields behind their labels, on one line; boxes before theirs. lines: without those of
    fields that have become part of a table's row, it may be. filled: those in fields.
    """
    result = list(lines)
    for value in sorted(filled, key=lambda line: (line.left, line.top)):
        if value not in result:
            continue
        others = [line for line in result if line is not value and line.horizontal]
        found = _box_label(value, others) if value.text in (TICKED, EMPTY) else _label(value, others)
        if found is None:
            continue
        pair = (value, found) if found.left > value.left and found.top < value.bottom else (found, value)
        joined = replace(
            found,
            text=GAP.join(line.text.strip() for line in pair),
            left=min(found.left, value.left),
            right=max(found.right, value.right),
        )
        result[result.index(found)] = joined
        result.remove(value)
    return result


def _lies_in(line: Line, box: Box) -> bool:
    left, top, right, bottom = box
    return left <= (line.left + line.right) / 2 <= right and top <= line.middle <= bottom


def _box_label(box: Line, others: list[Line]) -> Line | None:
    """The nearer one of both sides; failing that, what begins its row."""
    row = [line for line in others if _is_level(line, box) and line.text not in (TICKED, EMPTY)]
    sides = [(_gap(box, line), line.left < box.left, line) for line in row]
    near = [side for side in sides if -_TOUCHING <= side[0] <= _FARTHEST_BOX]
    if near:
        return min(near, key=lambda side: side[:2])[2]
    return max((line for _, is_before, line in sides if is_before), key=lambda line: line.right, default=None)


def _label(value: Line, others: list[Line]) -> Line | None:
    """To its left, or close above it."""
    before = [line for line in others if _is_level(line, value) and line.right <= value.left + _TOUCHING]
    nearest = max(before, key=lambda line: line.right, default=None)
    if nearest is not None and value.left - nearest.right <= _NEAR:
        return nearest
    above = [line for line in others if 0 <= value.middle - line.bottom <= _FARTHEST_ABOVE]
    over = [line for line in above if line.left < value.right and abs(line.left - value.left) <= _FARTHEST_ABOVE]
    return max(over, key=lambda line: line.bottom, default=nearest)


def _is_level(line: Line, other: Line) -> bool:
    return (
        min(line.bottom, other.bottom) - max(line.top, other.top)
        >= min(line.bottom - line.top, other.bottom - other.top) / 2
    )


def _gap(line: Line, other: Line) -> float:
    return max(other.left - line.right, line.left - other.right)
