"""Paragraphs, lists, tables and notes of a Word document's part -> a Flow.

It knows the elements of ISO/IEC 29500-1, section 17, and nothing of the package's parts: notes and graphics are asked
for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from xml.etree.ElementTree import Element

from engine.documents.docx_inline import DROPPED, Inline, inline
from engine.documents.docx_numbering import Numbering
from engine.documents.docx_styles import Styles, value
from engine.documents.flow import LONGEST_HEADING, Flow
from engine.documents.graphic import OnGraphic
from engine.documents.list_marks import BULLET
from engine.documents.office_names import BODY_TEXT, MOST_COLUMNS, shown_children, whole
from engine.documents.reader import LeftOut

OnNote = Callable[[Flow, str, str], None]
"""(flow, kind, id): adds a footnote, endnote or comment."""


class DocxText:
    """One story: a body, a header, a note. left_out: added to. sections: w:sectPr elements, as they are met."""

    def __init__(
        self,
        flow: Flow,
        styles: Styles,
        numbering: Numbering,
        left_out: list[LeftOut],
        on_note: OnNote,
        on_graphic: OnGraphic,
    ) -> None:
        self.sections: list[Element] = []
        self._flow, self._styles, self._numbering, self._left_out = flow, styles, numbering, left_out
        self._on_note, self._on_graphic = on_note, on_graphic
        self._carried: list[str] = []
        self._later: list[Callable[[], None]] = []
        self._tables = 0
        self._hidden_said = False

    def blocks(self, elements: Iterable[Element]) -> None:
        """Paragraphs and tables, or what holds them."""
        for element in elements:
            if element.tag == "{w}p":
                self._paragraph(element)
            elif element.tag == "{w}tbl":
                self._table(element)
            elif element.tag == "{w}sectPr":
                self.sections.append(element)
            elif element.tag not in DROPPED:
                self.blocks(shown_children(element))

    def end(self) -> None:
        """After the last block."""
        if self._carried:
            self._flow.paragraph("".join(self._carried))
            self._carried.clear()
        self._say_later()

    def _paragraph(self, paragraph: Element) -> None:
        found = self._inline(paragraph)
        properties = paragraph.find("{w}pPr")
        if properties is not None:
            self.sections.extend(properties.findall("{w}sectPr"))
        self._carried.append(found.text)
        if not _goes_on(properties):
            self._say("".join(self._carried), properties, self._mark(properties))
            self._carried.clear()
        for box in found.boxes:
            self.blocks(box)
        self._say_later()

    def _say(self, text: str, properties: Element | None, mark: tuple[str, int] | None) -> None:
        outline = self._outline(properties)
        if outline is not None and len(text) <= LONGEST_HEADING:
            numbered = mark is not None and mark[0] != BULLET and bool(text.strip())
            self._flow.heading(f"{mark[0]} {text}" if mark is not None and numbered else text, outline + 1)
        elif mark is not None:
            self._flow.item(text, mark[1], mark[0])
        else:
            self._flow.paragraph(text)

    def _inline(self, paragraph: Element) -> Inline:
        """With what hangs on it noted: notes come after the paragraph, or after the table that it is in."""
        found = inline(paragraph, self._styles)
        self._later.extend(partial(self._on_note, self._flow, kind, note) for kind, note in found.notes)
        self._later.extend(partial(self._on_graphic, self._flow, graphic) for graphic in found.graphics)
        for part in found.left_out:
            if part.what != "hidden" or not self._hidden_said:
                self._left_out.append(part)
            self._hidden_said = self._hidden_said or part.what == "hidden"
        return found

    def _say_later(self) -> None:
        if not self._tables:
            later, self._later = self._later, []
            for say in later:
                say()

    def _outline(self, properties: Element | None) -> int | None:
        own = value(properties, "{w}outlineLvl")
        if own is not None:
            return whole(own) if 0 <= whole(own) < BODY_TEXT else None
        return self._styles.style(value(properties, "{w}pStyle")).outline

    def _mark(self, properties: Element | None) -> tuple[str, int] | None:
        """(what stands before the paragraph, its depth) for one in a list."""
        if properties is None:
            return None
        style_id = value(properties, "{w}pStyle")
        style = self._styles.style(style_id)
        own, own_level = value(properties, "{w}numPr/{w}numId"), value(properties, "{w}numPr/{w}ilvl")
        list_id = style.list_id if own is None else own
        if list_id is None:
            return None
        wanted = whole(own_level) if own_level is not None else style.list_level
        level = self._numbering.level(list_id, style_id, wanted)
        mark = self._numbering.next(list_id, level)
        return (mark, level) if mark is not None else None

    def _table(self, table: Element) -> None:
        self._flow.apart()
        self._tables += 1
        for row in _within(table, "{w}tr"):
            properties = row.find("{w}trPr")
            if properties is None or properties.find("{w}del") is None:
                self._row(row, properties)
        self._tables -= 1
        self._flow.apart()
        self._say_later()

    def _row(self, row: Element, properties: Element | None) -> None:
        """A cell that spans columns stands in the first of them, one that spans rows in the topmost."""
        cells = [cell for cell in _within(row, "{w}tc") if cell.find("{w}tcPr/{w}cellDel") is None]
        if len(cells) == 1 or any(cell.find(".//{w}tbl") is not None for cell in cells):
            for cell in cells:
                self.blocks(cell)
            return
        texts = [""] * _bounded(value(properties, "{w}gridBefore"), 0)
        for cell in cells:
            shape = cell.find("{w}tcPr")
            texts.append("" if _continues(shape) else self._cell(cell))
            texts.extend([""] * (_bounded(value(shape, "{w}gridSpan"), 1) - 1))
        self._flow.row(texts)

    def _cell(self, parent: Element) -> str:
        """In one line."""
        texts: list[str] = []
        for element in shown_children(parent):
            if element.tag == "{w}p":
                found = self._inline(element)
                mark = self._mark(element.find("{w}pPr"))
                if found.text.strip():
                    texts.append(f"{mark[0]} {found.text}" if mark is not None else found.text)
                texts.extend(self._cell(box) for box in found.boxes)
            elif element.tag not in DROPPED:
                texts.append(self._cell(element))
        return " ".join(texts)


def _within(parent: Element, tag: str) -> Iterator[Element]:
    """Rows of a table or cells of a row, also those that controls and marks lie around."""
    for element in shown_children(parent):
        if element.tag == tag:
            yield element
        elif element.tag not in DROPPED:
            yield from _within(element, tag)


def _goes_on(properties: Element | None) -> bool:
    """Whether the end of the paragraph is deleted, so that the next one goes on with it."""
    mark = properties.find("{w}rPr") if properties is not None else None
    return mark is not None and (mark.find("{w}del") is not None or mark.find("{w}moveFrom") is not None)


def _continues(cell: Element | None) -> bool:
    if cell is None:
        return False
    merged = [found for found in (cell.find("{w}vMerge"), cell.find("{w}hMerge")) if found is not None]
    return any(found.get("{w}val") != "restart" for found in merged)


def _bounded(text: str | None, default: int) -> int:
    return max(default, min(whole(text, default), MOST_COLUMNS))
