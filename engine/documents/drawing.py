"""Text in shapes and tables of DrawingML (ISO/IEC 29500-1, section 21.1) -> a Flow. It knows no slides."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from engine.documents.flow import Flow
from engine.documents.list_marks import BULLET, spelled
from engine.documents.office_math import formula
from engine.documents.office_names import whole
from engine.documents.scripts import LEVEL, LOWERED, PLAIN, RAISED, Look, written

_DEEPEST_LEVEL = 8
_NOT_STRUCK = "noStrike"
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}


def paragraph_text(paragraph: Element) -> str:
    """Of an {a}p; "\\n" between lines."""
    pieces: list[tuple[str, Look]] = []
    for child in paragraph:
        if child.tag in ("{a}r", "{a}fld"):
            look = _look(child.find("{a}rPr"))
            pieces.extend((text.text or "", look) for text in child.findall("{a}t"))
        elif child.tag == "{a}br":
            pieces.append(("\n", PLAIN))
        else:
            pieces.extend((formula(found), PLAIN) for found in child.iter("{m}oMath"))
    return written(pieces)


def _look(properties: Element | None) -> Look:
    if properties is None:
        return PLAIN
    above = properties.get("baseline", "0").rstrip("0%")
    height = LEVEL if not above else LOWERED if above.startswith("-") else RAISED
    return Look(height, properties.get("strike", _NOT_STRUCK) != _NOT_STRUCK)


def body_text(body: Element | None) -> str:
    """Of a text body; a line each paragraph."""
    return "" if body is None else "\n".join(paragraph_text(line) for line in body.findall("{a}p")).strip()


def add_body(flow: Flow, body: Element | None, bulleted: bool) -> None:
    """bulleted: whether its paragraphs have bullets where they do not say otherwise."""
    flow.apart()
    counts: dict[int, int] = {}
    for paragraph in () if body is None else body.findall("{a}p"):
        text = paragraph_text(paragraph)
        properties = paragraph.find("{a}pPr")
        level = 0 if properties is None else max(0, min(whole(properties.get("lvl")), _DEEPEST_LEVEL))
        mark = _mark(properties, bulleted, counts, level) if text.strip() else None
        if mark is None:
            flow.paragraph(text)
        else:
            flow.item(text, level, mark)


def add_table(flow: Flow, table: Element) -> None:
    """Merged cells stand in the first place that they cover."""
    flow.apart()
    for row in table.findall("{a}tr"):
        flow.row(_cells(row))
    flow.apart()


def _cells(row: Element) -> Iterator[str]:
    for cell in row.findall("{a}tc"):
        covered = cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")
        yield "" if covered else body_text(cell.find("{a}txBody"))


def _mark(properties: Element | None, bulleted: bool, counts: dict[int, int], level: int) -> str | None:
    numbered = properties.find("{a}buAutoNum") if properties is not None else None
    for deeper in [known for known in counts if known > level or (known == level and numbered is None)]:
        del counts[deeper]
    if numbered is None:
        drawn = properties is not None and (
            properties.find("{a}buChar") is not None or properties.find("{a}buBlip") is not None
        )
        plain = properties is not None and properties.find("{a}buNone") is not None
        return BULLET if drawn or (bulleted and not plain) else None
    counts[level] = counts.get(level, whole(numbered.get("startAt"), 1) - 1) + 1
    form = numbered.get("type", "arabicPeriod")
    number = spelled(counts[level], next((to for begin, to in _FORMS.items() if form.startswith(begin)), "decimal"))
    return f"({number})" if form.endswith("ParenBoth") else f"{number})" if form.endswith("ParenR") else f"{number}."
