"""What the styles of an OpenDocument file say about text: what is hidden, how lists and headings are numbered
(OpenDocument 1.3, part 3, chapter 16). It knows nothing of how anything looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from engine.documents.list_marks import BULLET, spelled
from engine.documents.office_names import whole
from engine.documents.scripts import LEVEL, LOWERED, PLAIN, RAISED, Look

_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_DEEPEST_CHAIN = 20
_LONGEST_FIX = 20


@dataclass(frozen=True)
class Level:
    """form: of numbers, or None for bullets. shown: how many levels' numbers stand before an item."""

    form: str | None
    before: str = ""
    after: str = ""
    start: int = 1
    shown: int = 1


_BULLETS = Level(None)


def mark(levels: Mapping[int, Level], numbers: list[int]) -> str | None:
    """What stands before an item. levels: of its list, from 1. numbers: of this item and of those that it is in, from
    the outside. None: nothing stands before it.
    """
    level = levels.get(len(numbers), _BULLETS)
    if level.form is None:
        return BULLET
    if not level.form:
        return None
    counted = list(enumerate(numbers, 1))[-level.shown :]
    said = [spelled(number, form) for depth, number in counted if (form := levels.get(depth, _BULLETS).form)]
    return f"{level.before}{'.'.join(said)}{level.after}"


class OdfStyles:
    """Of all given roots of styles: common ones, and those of a part."""

    def __init__(self, roots: list[Element]) -> None:
        self._parents: dict[str, str] = {}
        self._hidden: set[str] = set()
        self._looks: dict[str, Look] = {}
        self.hidden_tables: set[str] = set()
        self.hidden_slides: set[str] = set()
        self._lists: dict[str, dict[int, Level]] = {}
        self.outline: dict[int, Level] = {}
        for root in roots:
            for style in root.iter("{style}style"):
                self._add(style)
            for style in root.iter("{text}list-style"):
                self._lists[style.get("{style}name", "")] = _levels(style)
            for style in root.iter("{text}outline-style"):
                self.outline = {number: level for number, level in _levels(style).items() if level.form}

    def is_hidden(self, style: str | None) -> bool:
        """Of text."""
        return style in self._hidden

    def look(self, style: str | None) -> Look:
        """Of a run of text."""
        return self._looks.get(style or "", PLAIN)

    def is_title(self, style: str | None) -> bool:
        """Whether a paragraph is the title of the document."""
        for _ in range(_DEEPEST_CHAIN):
            if style is None or style == "Title":
                break
            style = self._parents.get(style)
        return style == "Title"

    def levels(self, list_style: str | None) -> Mapping[int, Level]:
        """Of a list, by depth, from 1."""
        return self._lists.get(list_style or "", {})

    def _add(self, style: Element) -> None:
        name, family = style.get("{style}name", ""), style.get("{style}family")
        if family == "paragraph" and (parent := style.get("{style}parent-style-name")):
            self._parents[name] = parent
        for properties in style:
            if family == "text" and properties.tag == "{style}text-properties":
                self._looks[name] = _look(properties, self._looks.get(style.get("{style}parent-style-name", ""), PLAIN))
            if properties.get("{text}display") == "none":
                self._hidden.add(name)
            if properties.get("{table}display") == "false":
                self.hidden_tables.add(name)
            if properties.get("{presentation}visibility") == "hidden":
                self.hidden_slides.add(name)


def _look(properties: Element, parent: Look) -> Look:
    above, line = properties.get("{style}text-position"), properties.get("{style}text-line-through-style")
    height = parent.height
    if above:
        amount = above.split()[0] if above.split() else ""
        height = {"super": RAISED, "sub": LOWERED}.get(amount, LOWERED if amount.startswith("-") else RAISED)
        height = LEVEL if amount in ("", "0%") else height
    return Look(height, parent.struck if line is None else line != "none")


def _levels(style: Element) -> dict[int, Level]:
    found: dict[int, Level] = {}
    for element in style:
        form = element.get("{style}num-format")
        numbered = element.tag in ("{text}list-level-style-number", "{text}outline-level-style")
        found[whole(element.get("{text}level"), 1)] = Level(
            _FORMS.get(form or "", "") if numbered else None,
            element.get("{style}num-prefix", "")[:_LONGEST_FIX],
            element.get("{style}num-suffix", "")[:_LONGEST_FIX],
            whole(element.get("{text}start-value"), 1),
            max(1, min(whole(element.get("{text}display-levels"), 1), 10)),
        )
    return found
