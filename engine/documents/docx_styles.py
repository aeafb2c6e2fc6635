"""What a Word document's styles say about text: which paragraphs are headings, which are in lists, which runs are
hidden, raised or struck (ISO/IEC 29500-1, section 17.7). It knows nothing of how anything looks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from engine.documents.office_names import BODY_TEXT, is_on, whole
from engine.documents.scripts import LEVEL, LOWERED, RAISED

_HEADING = re.compile(r"heading ([1-9])", re.I)
_DEEPEST_CHAIN = 20
_MOVED = {1: "superscript", -1: "subscript", 0: "baseline"}
_HEIGHTS = {"superscript": RAISED, "subscript": LOWERED}


@dataclass(frozen=True)
class Style:
    """outline: level from 0, or None where the text is body text. list_id, list_level: of its numbering, or None.
    hidden, height, struck: of its text, height as in `scripts`; None where it does not say.
    """

    outline: int | None = None
    list_id: str | None = None
    list_level: int | None = None
    hidden: bool | None = None
    height: int | None = None
    struck: bool | None = None


class Styles:
    """root: of the styles part, or None."""

    def __init__(self, root: Element | None) -> None:
        found = [] if root is None else root.findall("{w}style")
        self._elements = {style.get("{w}styleId", ""): style for style in found}
        self._styles: dict[str, Style] = {}

    def style(self, style_id: str | None) -> Style:
        """With what it takes from the styles that it is based on."""
        if style_id is None:
            return Style()
        if style_id not in self._styles:
            self._styles[style_id] = self._resolved(style_id)
        return self._styles[style_id]

    def _resolved(self, style_id: str) -> Style:
        outline, list_id, list_level, hidden, height, struck = None, None, None, None, None, None
        for _ in range(_DEEPEST_CHAIN):
            element = self._elements.get(style_id)
            if element is None:
                break
            own = _own(element)
            outline = own.outline if outline is None else outline
            list_id = own.list_id if list_id is None else list_id
            list_level = own.list_level if list_level is None else list_level
            hidden = own.hidden if hidden is None else hidden
            height = own.height if height is None else height
            struck = own.struck if struck is None else struck
            style_id = value(element, "{w}basedOn") or ""
        return Style(None if outline == BODY_TEXT else outline, list_id, list_level, hidden, height, struck)


def value(element: Element | None, path: str) -> str | None:
    """The w:val of what lies at the path."""
    found = element.find(path) if element is not None else None
    return None if found is None else found.get("{w}val")


def text_style(run_properties: Element | None) -> Style:
    """What the properties of a run, or of a style's runs, say themselves."""
    if run_properties is None:
        return Style()
    height = value(run_properties, "{w}vertAlign")
    moved = value(run_properties, "{w}position")  # in half points
    if height is None and moved is not None:
        height = _MOVED.get((whole(moved) > 0) - (whole(moved) < 0))
    struck = [said for name in ("strike", "dstrike") if (said := _toggled(run_properties, name)) is not None]
    return Style(
        hidden=_toggled(run_properties, "vanish"),
        height=None if height is None else _HEIGHTS.get(height, LEVEL),
        struck=any(struck) if struck else None,
    )


def _toggled(run_properties: Element, name: str) -> bool | None:
    found = run_properties.find(f"{{w}}{name}")
    return None if found is None else is_on(found.get("{w}val"), True)


def _own(element: Element) -> Style:
    level, name = value(element, "{w}pPr/{w}outlineLvl"), value(element, "{w}name") or ""
    heading = _HEADING.fullmatch(name.strip())
    outline = min(whole(level), BODY_TEXT) if level is not None else None
    if outline is None and heading:
        outline = int(heading[1]) - 1
    elif outline is None and name.lower() == "title":
        outline = 0
    list_level = value(element, "{w}pPr/{w}numPr/{w}ilvl")
    return replace(
        text_style(element.find("{w}rPr")),
        outline=outline,
        list_id=value(element, "{w}pPr/{w}numPr/{w}numId"),
        list_level=None if list_level is None else whole(list_level),
    )
