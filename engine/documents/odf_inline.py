"""What a paragraph of an OpenDocument file says, and its notes, boxes and pictures (version 1.3, part 3, chapter 6).

It knows nothing of headings, lists and tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from engine.documents.odf_styles import OdfStyles
from engine.documents.office_names import whole
from engine.documents.reader import LeftOut
from engine.documents.scripts import PLAIN, Look, written

HIDDEN = LeftOut("hidden", "Hidden text")
_SHAPES = (
    "frame", "custom-shape", "rect", "ellipse", "circle", "line", "connector", "polygon", "polyline", "path",
    "caption", "g", "measure", "regular-polygon",
)  # fmt: skip
DRAWN = frozenset(f"{{draw}}{name}" for name in _SHAPES)
_DROPPED = frozenset(("{text}ruby-text", "{text}tracked-changes", "{office}event-listeners", "{text}note-citation"))
_HIDDEN = frozenset(("{text}hidden-text", "{text}hidden-paragraph"))
_MOST_BLANKS = 100

OnObject = Callable[[str], Element | None]
"""(address) -> what the embedded object there consists of."""


@dataclass
class Inline:
    """text: "\\n" between lines. notes: (kind, element that holds its paragraphs, author). boxes: with paragraphs of
    their own. charts: what they consist of. pictures: (address, name). left_out: objects, hidden text.
    """

    text: str = ""
    notes: list[tuple[str, Element, str]] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    charts: list[Element] = field(default_factory=list)
    pictures: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def inline(paragraph: Element, styles: OdfStyles, on_object: OnObject) -> Inline:
    """Of a {text}p or {text}h, or of anything that is drawn."""
    reading = _Reading(styles, on_object)
    reading.element(paragraph)
    reading.found.text = written(reading.pieces)
    return reading.found


class _Reading:
    def __init__(self, styles: OdfStyles, on_object: OnObject) -> None:
        self.found = Inline()
        self.pieces: list[tuple[str, Look]] = []
        self._styles, self._on_object, self._look = styles, on_object, PLAIN

    def element(self, element: Element) -> None:
        tag = element.tag
        if tag in _HIDDEN or self._styles.is_hidden(element.get("{text}style-name")):
            self.found.left_out.append(HIDDEN)
        elif tag == "{text}s":
            self._say(" " * min(whole(element.get("{text}c"), 1), _MOST_BLANKS))
        elif tag == "{text}tab":
            self._say("\t")
        elif tag == "{text}line-break":
            self._say("\n")
        elif tag == "{text}note":
            self._note(element)
        elif tag == "{office}annotation":
            self.found.notes.append(("comment", element, element.findtext("{dc}creator") or ""))
        elif tag in DRAWN:
            self._drawn(element)
        elif tag not in _DROPPED:
            outer = self._look
            if tag == "{text}span":
                self._look = self._styles.look(element.get("{text}style-name"))
            self._say(element.text or "")
            for child in element:
                self.element(child)
                self._say(child.tail or "")
            self._look = outer

    def _say(self, text: str) -> None:
        self.pieces.append((text, self._look))

    def _note(self, element: Element) -> None:
        body = element.find("{text}note-body")
        if body is not None:
            kind = "endnote" if element.get("{text}note-class") == "endnote" else "footnote"
            self.found.notes.append((kind, body, ""))

    def _drawn(self, element: Element) -> None:
        """A frame holds the same in several forms, the best first; a shape holds paragraphs."""
        if element.tag == "{draw}g":
            for child in element:
                self.element(child)
            return
        if element.tag != "{draw}frame":
            self.found.boxes.append(element)
            return
        forms = {child.tag: child for child in reversed(element)}
        if "{draw}object" in forms:
            self._object(forms["{draw}object"])
        elif "{draw}object-ole" in forms or "{draw}plugin" in forms:
            name = element.get("{draw}name", "")[:200]
            self.found.left_out.append(LeftOut("attachment", name, "unsupported_type"))
        elif "{draw}image" in forms and "{draw}text-box" not in forms:
            named = element.findtext("{svg}title") or element.findtext("{svg}desc") or element.get("{draw}name") or ""
            self.found.pictures.append((forms["{draw}image"].get("{xlink}href", ""), named))
        else:
            self.found.boxes.extend(forms[tag] for tag in ("{draw}text-box",) if tag in forms)
            if "{table}table" in forms:
                self.found.boxes.append(element)

    def _object(self, element: Element) -> None:
        root = self._on_object(element.get("{xlink}href", ""))
        formula = root.find(".//{math}annotation") if root is not None else None
        if formula is not None:
            self._say(formula.text or "")
        elif root is not None and root.find(".//{chart}chart") is not None:
            self.found.charts.append(root)
        else:
            self.found.left_out.append(LeftOut("attachment", "", "unsupported_type"))
