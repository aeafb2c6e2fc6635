"""Lines of text that MuPDF gives in pieces, whole again. It knows the form of PyMuPDF's blocks and nothing of order.

MuPDF ends a line where something is drawn between its words: the mark under a link, a rule that stands for "_". What is
written downwards it gives letter by letter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

TEXT, VECTOR = 0, 3
"""Kinds of blocks."""
# As shares of the letters' size, as MuPDF has them.
LEAST_BLANK, MOST_BLANK, MOST_OVERLAP, SAME_BASELINE, UNDERSCORE = 0.15, 0.8, 0.3, 0.1, 0.12


def whole_lines(blocks: list[Any]) -> Iterator[Any]:
    """blocks: of PyMuPDF's "dict" or "rawdict", with the boxes of what is drawn among them."""
    before: Any = None
    drawn: list[Any] = []
    for block in blocks:
        if block["type"] == VECTOR:
            drawn.append(block["bbox"])
            continue
        for line in block["lines"] if block["type"] == TEXT else ():
            joint = _joint(before, line, drawn) if before is not None else None
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
    """What stands between two pieces of one line: nothing, a blank, or "_"; None for two lines."""
    if not (first["spans"] and second["spans"]):
        return None
    if first["wmode"] == second["wmode"] == 1:
        return _joint_downwards(first, second)
    is_level = first["dir"] == second["dir"] and second["dir"][0] > 0.99
    return _joint_across(first, second, drawn) if drawn and is_level else None


def _joint_downwards(first: Any, second: Any) -> str | None:
    size, gap = first["spans"][-1]["size"], second["bbox"][1] - first["bbox"][3]
    is_below = abs(first["bbox"][0] - second["bbox"][0]) <= SAME_BASELINE * size
    return "" if is_below and -MOST_OVERLAP * size < gap < MOST_BLANK * size else None


def _joint_across(first: Any, second: Any, drawn: list[Any]) -> str | None:
    before, after = first["spans"][-1], second["spans"][0]
    left, right, size = first["bbox"][2], second["bbox"][0], before["size"]
    shift, gap = abs(before["origin"][1] - after["origin"][1]), right - left
    if shift > SAME_BASELINE * size or not -MOST_OVERLAP * size < gap < MOST_BLANK * size:
        return None
    between = [box for box in drawn if left - 1 <= (box[0] + box[2]) / 2 <= right + 1]
    if any(box[3] - box[1] >= size and box[2] - box[0] < size for box in between):
        return None  # a rule between two cells
    if any(box[2] - box[0] < MOST_BLANK * size and box[3] - box[1] < UNDERSCORE * size for box in between):
        return "_"
    return " " if gap > LEAST_BLANK * size and not before.get("text", "").endswith(" ") else ""


def _joined(first: Any, joint: str, second: Any) -> Any:
    ends = list(zip(first["bbox"], second["bbox"], strict=True))
    top, bottom = first["bbox"][1], first["bbox"][3]
    box = (*(min(pair) for pair in ends[:2]), *(max(pair) for pair in ends[2:]))
    end = first["spans"][-1]
    if "chars" in end:
        letter = {"c": joint, "bbox": (first["bbox"][2], top, second["bbox"][0], bottom)}
        between = {**end, "chars": [letter] if joint else []}
    else:
        between = {**end, "text": joint}
    return {**first, "bbox": box, "spans": [*first["spans"], between, *second["spans"]]}
