"""In which order boxes on a slide are read: from the top, and in columns where they stand in columns (the recursive
X-Y cut of Nagy and Seth, 1984, in which rows of the same columns are not parted).

Cards side by side, each of a heading and a text, are thus read card by card. It knows no file format.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.documents.line import Box

MOST_BOXES = 200
_OVERLAP = 0.02


def reading_order(boxes: Sequence[Box | None]) -> list[int]:
    """The boxes' numbers in order. Where a place is not known, or there are more than a person would read, they stay
    as they are given.
    """
    known = [box for box in boxes if box is not None]
    if len(known) < len(boxes) or len(known) > MOST_BOXES:
        return list(range(len(boxes)))
    return _cut(known, list(range(len(known))))


def _cut(boxes: list[Box], numbers: list[int]) -> list[int]:
    bands = _bands(boxes, numbers)
    columns = [column for band in bands for column in _groups(boxes, band, 0)]
    if len(columns) < 2:
        return numbers
    return [number for column in columns for number in _cut(boxes, column)]


def _bands(boxes: list[Box], numbers: list[int]) -> list[list[int]]:
    """From the top, where rows of the same columns are one: headings and what stands under them."""
    bands: list[list[int]] = []
    before = False
    for row in _groups(boxes, numbers, 1):
        in_columns = len(_groups(boxes, row, 0)) > 1
        if before and in_columns and len(_groups(boxes, bands[-1] + row, 0)) > 1:
            bands[-1] += row
        else:
            bands.append(row)
        before = in_columns
    return bands


def _groups(boxes: list[Box], numbers: list[int], axis: int) -> list[list[int]]:
    """Parted where nothing lies between; boxes that touch or overlap a little are parted too."""
    if len(numbers) < 2:
        return [numbers]
    by_place = sorted(numbers, key=lambda number: boxes[number][axis])
    extent = max(boxes[number][axis + 2] for number in numbers) - boxes[by_place[0]][axis]
    groups: list[list[int]] = []
    end = float("-inf")
    for number in by_place:
        box = boxes[number]
        if not groups or box[axis] >= end - _OVERLAP * extent:
            groups.append([])
        groups[-1].append(number)
        end = max(end, box[axis + 2])
    order = {number: place for place, number in enumerate(numbers)}
    return [sorted(group, key=order.__getitem__) for group in groups]
