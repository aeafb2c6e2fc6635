"""What a paragraph of a Word document says: its text as a reader sees it, and its notes, boxes and graphics.

Tracked insertions are text, deletions are not; of a field its result is; hidden text is left out and said. It knows
nothing of headings, lists and tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from engine.documents.docx_styles import Style, Styles, text_style, value
from engine.documents.graphic import Graphic, picture
from engine.documents.office_math import formula
from engine.documents.office_names import is_on, shown_children, whole
from engine.documents.reader import LeftOut
from engine.documents.scripts import LEVEL, PLAIN, Look, written
from engine.documents.symbols import shown

CHARACTERS = {
    "{w}tab": "\t",
    "{w}ptab": "\t",
    "{w}br": "\n",
    "{w}cr": "\n",
    "{w}noBreakHyphen": "-",
    "{w}softHyphen": "",
}
# Deleted and moved away, properties, field codes, and the pronunciation above a word.
DROPPED = {
    "{w}del",
    "{w}moveFrom",
    "{w}pPr",
    "{w}sdtPr",
    "{w}sdtEndPr",
    "{w}instrText",
    "{w}delText",
    "{w}rt",
    "{w}rubyPr",
}
NOTES = {"{w}footnoteReference": "footnote", "{w}endnoteReference": "endnote", "{w}commentReference": "comment"}
_BOX, _TICKED_BOX = "\u2610", "\u2612"
_DRAWN_OBJECTS = ("equation", "mathtype")


@dataclass
class Inline:
    """text: "\\n" between lines. notes: (kind, id) as they come. boxes: with paragraphs of their own. graphics: as they
    come. left_out: objects, hidden text.
    """

    text: str = ""
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    graphics: list[Graphic] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def inline(paragraph: Element, styles: Styles) -> Inline:
    """Of a w:p."""
    reading = _Reading(styles, styles.style(value(paragraph, "{w}pPr/{w}pStyle")))
    reading.children(paragraph)
    reading.found.text = written(reading.pieces)
    return reading.found


class _Reading:
    def __init__(self, styles: Styles, of_paragraph: Style) -> None:
        self.found = Inline()
        self.pieces: list[tuple[str, Look]] = []
        self._styles, self._of_paragraph = styles, of_paragraph
        self._look = PLAIN
        self._codes: list[bool] = []  # of each open field: whether its code is being read
        self._in_code = 0
        self._name = ""

    def children(self, element: Element) -> None:
        for child in shown_children(element):
            self._read(child)

    def _read(self, element: Element) -> None:
        tag = element.tag
        if tag == "{w}r":
            self._run(element)
        elif tag == "{w}t":
            self._say(element.text or "")
        elif tag in CHARACTERS:
            self._say(CHARACTERS[tag])
        elif tag == "{w}sym":
            self._say(shown(element.get("{w}font", ""), _code(element.get("{w}char", ""))))
        elif tag == "{m}oMath":
            self._say(formula(element))
        elif tag == "{w}fldChar":
            self._field(element)
        elif tag in NOTES:
            self.found.notes.append((NOTES[tag], element.get("{w}id", "")))
        elif tag == "{w}txbxContent":
            self.found.boxes.append(element)
        elif tag not in DROPPED:
            self._drawn(element)
            self.children(element)

    def _say(self, text: str) -> None:
        if not self._in_code:
            self.pieces.append((text, self._look))

    def _run(self, run: Element) -> None:
        properties = run.find("{w}rPr")
        saying = (text_style(properties), self._styles.style(value(properties, "{w}rStyle")), self._of_paragraph)
        if not next((style.hidden for style in saying if style.hidden is not None), False):
            height = next((style.height for style in saying if style.height is not None), LEVEL)
            struck = next((style.struck for style in saying if style.struck is not None), False)
            outer, self._look = self._look, Look(height, struck)
            self.children(run)
            self._look = outer
        elif next(run.iter("{w}t"), None) is not None and not self.found.left_out:
            self.found.left_out.append(LeftOut("hidden", "Hidden text"))

    def _field(self, element: Element) -> None:
        kind = element.get("{w}fldCharType")
        if kind == "begin":
            self._say(_form(element))
            self._codes.append(True)
            self._in_code += 1
        elif self._codes:
            self._in_code -= self._codes[-1]
            self._codes[-1] = False
            if kind == "end":
                self._codes.pop()

    def _drawn(self, element: Element) -> None:
        """Pictures, objects and graphics, and the name that comes before them."""
        match element.tag:
            case "{v}textpath":
                self._say(element.get("string", ""))
            case "{wp}docPr":
                self._name = element.get("descr") or element.get("name") or ""
            case "{pic}pic":
                self.found.graphics.append(picture(element, self._name))
            case "{v}imagedata":
                name = element.get("{o}title") or self._name
                self.found.graphics.append(Graphic("picture", element.get("{r}id", ""), name))
            case "{o}OLEObject":
                program = element.get("ProgID", "")
                if not program.lower().startswith(_DRAWN_OBJECTS):
                    self.found.left_out.append(LeftOut("attachment", program[:200], "unsupported_type"))
            case "{c}chart":
                self.found.graphics.append(Graphic("chart", element.get("{r}id", "")))
            case "{cx}chart":
                self.found.left_out.append(LeftOut("part", "chart", "unsupported_type"))
            case "{dgm}relIds":
                self.found.graphics.append(Graphic("diagram", element.get("{r}dm", "")))


def _form(begin: Element) -> str:
    """What an old form's box or list shows; its field has no result in text."""
    box = begin.find("{w}ffData/{w}checkBox")
    if box is not None:
        state = box.find("{w}checked")
        state = box.find("{w}default") if state is None else state
        return _TICKED_BOX if state is not None and is_on(state.get("{w}val"), True) else _BOX
    choices = begin.find("{w}ffData/{w}ddList")
    if choices is not None:
        entries = choices.findall("{w}listEntry")
        chosen = whole(value(choices, "{w}result"))
        return entries[chosen].get("{w}val", "") if 0 <= chosen < len(entries) else ""
    return ""


def _code(text: str) -> int:
    try:
        return int(text[:8], 16)
    except ValueError:
        return 0
