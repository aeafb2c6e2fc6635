"""The numbers of a Word document's lists and headings, which stand nowhere in its text: they are counted (ISO/IEC
29500-1, section 17.9).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from engine.documents.docx_styles import value
from engine.documents.list_marks import BULLET, spelled
from engine.documents.office_names import is_on, whole

_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True)
class _Level:
    form: str = "decimal"
    text: str = ""
    start: int = 1
    legal: bool = False
    restarts: bool = True


@dataclass
class _List:
    """counts: of each level, None before its first item."""

    levels: dict[int, _Level]
    styles: dict[str, int]
    counts: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


class Numbering:
    """root: of the numbering part, or None."""

    def __init__(self, root: Element | None) -> None:
        self._lists: dict[str, _List] = {}
        self._of: dict[str, tuple[_List, dict[int, int]]] = {}
        self._begun: set[tuple[str, int]] = set()
        if root is None:
            return
        for element in root.findall("{w}abstractNum"):
            levels = element.findall("{w}lvl")
            self._lists[element.get("{w}abstractNumId", "")] = _List(
                {whole(level.get("{w}ilvl")): _level(level) for level in levels},
                {style: whole(level.get("{w}ilvl")) for level in levels if (style := value(level, "{w}pStyle"))},
            )
        for element in root.findall("{w}num"):
            found = self._lists.get(value(element, "{w}abstractNumId") or "")
            if found is not None:
                overrides = {
                    whole(override.get("{w}ilvl")): whole(start)
                    for override in element.findall("{w}lvlOverride")
                    if (start := value(override, "{w}startOverride")) is not None
                }
                self._of[element.get("{w}numId", "")] = found, overrides

    def level(self, list_id: str, style_id: str | None, level: int | None) -> int:
        """At which level of a list a paragraph is, from 0: its own, or else the one that its style is for."""
        if level is None:
            level = self._of[list_id][0].styles.get(style_id or "", 0) if list_id in self._of else 0
        return max(0, min(level, _LEVELS - 1))

    def next(self, list_id: str, level: int) -> str | None:
        """What stands before the list's next item: "2.1.", BULLET, or None for no list or a mark without text."""
        if list_id not in self._of:
            return None
        found, overrides = self._of[list_id]
        form = found.levels.get(level, _Level())
        if form.form == "bullet":
            return BULLET
        count = found.counts[level]
        if level in overrides and (list_id, level) not in self._begun:
            self._begun.add((list_id, level))
            count = overrides[level] - 1
        found.counts[level] = form.start if count is None else count + 1
        for deeper in range(level + 1, _LEVELS):
            if found.levels.get(deeper, form).restarts:
                found.counts[deeper] = None
        return _PLACE.sub(lambda place: self._number(found, int(place[1]) - 1, form.legal), form.text).strip() or None

    def _number(self, found: _List, level: int, legal: bool) -> str:
        form = found.levels.get(level, _Level())
        count = found.counts[level]
        return spelled(form.start if count is None else count, "decimal" if legal else form.form)


def _level(element: Element) -> _Level:
    start, legal = value(element, "{w}start"), element.find("{w}isLgl")
    return _Level(
        value(element, "{w}numFmt") or "decimal",
        (value(element, "{w}lvlText") or "")[:100],
        1 if start is None else whole(start),
        legal is not None and is_on(legal.get("{w}val"), True),
        value(element, "{w}lvlRestart") != "0",
    )
