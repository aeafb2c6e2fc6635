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


@dataclass(frozen=True)
class _Used:
    """A list as paragraphs use it. starts, levels: where and how it differs from its definition."""

    list: _List
    starts: dict[int, int]
    levels: dict[int, _Level]

    def level(self, number: int) -> _Level:
        return self.levels.get(number) or self.list.levels.get(number, _Level())


class Numbering:
    """root: of the numbering part, or None."""

    def __init__(self, root: Element | None) -> None:
        self._lists: dict[str, _List] = {}
        self._of: dict[str, _Used] = {}
        self._begun: set[tuple[str, int]] = set()
        if root is None:
            return
        by_style: dict[str, _List] = {}
        for element in root.findall("{w}abstractNum"):
            levels = element.findall("{w}lvl")
            self._lists[element.get("{w}abstractNumId", "")] = found = _List(
                {whole(level.get("{w}ilvl")): _level(level) for level in levels},
                {style: whole(level.get("{w}ilvl")) for level in levels if (style := value(level, "{w}pStyle"))},
            )
            if name := value(element, "{w}styleLink"):
                by_style[name] = found
        for element in root.findall("{w}abstractNum"):  # one may stand for the list of a style
            if (name := value(element, "{w}numStyleLink")) and name in by_style:
                self._lists[element.get("{w}abstractNumId", "")] = by_style[name]
        for element in root.findall("{w}num"):
            known = self._lists.get(value(element, "{w}abstractNumId") or "")
            if known is not None:
                self._of[element.get("{w}numId", "")] = _used(known, element.findall("{w}lvlOverride"))

    def level(self, list_id: str, style_id: str | None, level: int | None) -> int:
        """At which level of a list a paragraph is, from 0: its own, or else the one that its style is for."""
        if level is None:
            level = self._of[list_id].list.styles.get(style_id or "", 0) if list_id in self._of else 0
        return max(0, min(level, _LEVELS - 1))

    def next(self, list_id: str, level: int) -> str | None:
        """What stands before the list's next item: "2.1.", BULLET, or None for no list or a mark without text."""
        if list_id not in self._of:
            return None
        used = self._of[list_id]
        form, counts = used.level(level), used.list.counts
        if form.form == "bullet":
            return BULLET
        count = counts[level]
        if level in used.starts and (list_id, level) not in self._begun:
            self._begun.add((list_id, level))
            count = used.starts[level] - 1
        counts[level] = form.start if count is None else count + 1
        for deeper in range(level + 1, _LEVELS):
            if used.level(deeper).restarts:
                counts[deeper] = None
        return _PLACE.sub(lambda place: _number(used, int(place[1]) - 1, form.legal), form.text).strip() or None


def _number(used: _Used, level: int, legal: bool) -> str:
    form, count = used.level(level), used.list.counts[level]
    return spelled(form.start if count is None else count, "decimal" if legal else form.form)


def _used(found: _List, overrides: list[Element]) -> _Used:
    starts, levels = dict[int, int](), dict[int, _Level]()
    for override in overrides:
        number, own = whole(override.get("{w}ilvl")), override.find("{w}lvl")
        if own is not None:
            levels[number] = _level(own)
        if (start := value(override, "{w}startOverride")) is not None:
            starts[number] = whole(start)
    return _Used(found, starts, levels)


def _level(element: Element) -> _Level:
    start, legal = value(element, "{w}start"), element.find("{w}isLgl")
    return _Level(
        value(element, "{w}numFmt") or "decimal",
        (value(element, "{w}lvlText") or "")[:100],
        1 if start is None else whole(start),
        legal is not None and is_on(legal.get("{w}val"), True),
        value(element, "{w}lvlRestart") != "0",
    )
