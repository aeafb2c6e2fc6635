"""Paragraphs, lists, tables and notes of an OpenDocument file -> a Flow (OpenDocument 1.3, part 3, chapters 5 and 9).

It knows nothing of parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from engine.documents.flow import Flow
from engine.documents.list_marks import BULLET
from engine.documents.odf_embedded import Embedded
from engine.documents.odf_inline import DRAWN, HIDDEN, Inline, inline
from engine.documents.odf_styles import OdfStyles
from engine.documents.odf_styles import mark as mark_of
from engine.documents.office_names import MOST_COLUMNS, whole

DROPPED = frozenset(
    (
        "{text}tracked-changes",
        "{office}forms",
        "{presentation}notes",
        "{text}sequence-decls",
        "{text}index-title-template",
    )
)
_ROWS = frozenset(("{table}table-header-rows", "{table}table-rows", "{table}table-row-group"))
_CELLS = ("{table}table-cell", "{table}covered-table-cell")
_MOST_ROWS = 1000
_CALLED = {"footnote": "Footnote", "endnote": "Endnote"}


class OdfText:
    """One story. is_note: whether it is one, which has no notes of its own."""

    def __init__(self, flow: Flow, styles: OdfStyles, embedded: Embedded) -> None:
        self.is_note = False
        self._flow, self._styles, self._embedded, self._left_out = flow, styles, embedded, embedded.left_out
        self._counts: dict[str, int] = {}
        self._lists: dict[str, list[int]] = {}
        self._outline: list[int] = []
        self._later: list[Inline] = []
        self._tables = 0

    def blocks(self, elements: Iterable[Element]) -> None:
        """Paragraphs, lists and tables, or what holds them."""
        for element in elements:
            if element.tag == "{text}p":
                self._paragraph(element)
            elif element.tag == "{text}h":
                self._heading(element)
            elif element.tag == "{text}list":
                self._list(element, element.get("{text}style-name", ""), [])
            elif element.tag == "{table}table":
                self._table(element)
            elif element.tag in DRAWN:
                self._add(self._inline(element))
            elif element.tag == "{text}section" and element.get("{text}display") == "none":
                self.hidden()
            elif element.tag not in DROPPED:
                self.blocks(element)

    def hidden(self) -> None:
        """Says once that something was left out."""
        if HIDDEN not in self._left_out:
            self._left_out.insert(0, HIDDEN)

    def _paragraph(self, element: Element, mark: str | None = None, depth: int = 0) -> None:
        found = self._inline(element)
        if mark is not None:
            self._flow.item(found.text, depth, mark)
        elif self._styles.is_title(element.get("{text}style-name")):
            self._flow.heading(found.text)
        else:
            self._flow.paragraph(found.text)
        self._add(found)

    def _heading(self, element: Element, mark: str | None = None) -> None:
        level = max(1, min(whole(element.get("{text}outline-level"), 1), 10))
        found = self._inline(element)
        if mark is None and level in self._styles.outline and element.get("{text}is-list-header") != "true":
            start = self._styles.outline[level].start
            outer = [*self._outline, *[1] * level][: level - 1]
            number = self._outline[level - 1] + 1 if len(self._outline) >= level else start
            self._outline = [*outer, number]
            mark = mark_of(self._styles.outline, self._outline)
        numbered = mark is not None and mark != BULLET and found.text.strip()
        self._flow.heading(f"{mark} {found.text}" if numbered else found.text, level)
        self._add(found)

    def _list(self, element: Element, style: str, outer: list[int], goes_on: bool = False) -> None:
        """outer: the numbers of the items that it is in. goes_on: whether it does not count anew. An item that is
        nothing but a deeper list is no item of its own: it leads to where the deeper one goes on.
        """
        style = element.get("{text}style-name") or style
        levels = self._styles.levels(style)
        first = levels[len(outer) + 1].start if len(outer) + 1 in levels else 1
        if element.get("{text}continue-numbering") == "true" or element.get("{text}continue-list"):
            goes_on = True
        depth, counts = len(outer), self._lists.setdefault(style, [])
        counts.extend(outer[len(counts) :])
        number = counts[depth] if goes_on and len(counts) > depth else first - 1
        for item in element:
            if item.tag not in ("{text}list-item", "{text}list-header"):
                continue
            is_item = item.tag == "{text}list-item"
            leads = is_item and number >= first and len(item) > 0 and item[0].tag == "{text}list"
            if is_item and not leads:
                number = whole(item.get("{text}start-value"), number + 1)
            mark = mark_of(levels, [*outer, number]) if is_item and not leads else None
            counts[depth : len(counts) if not leads else depth + 1] = [number]
            self._item(item, style, [*outer, number], mark, goes_on and leads)

    def _item(self, item: Element, style: str, numbers: list[int], mark: str | None, goes_on: bool) -> None:
        for child in item:
            if child.tag == "{text}p":
                self._paragraph(child, mark, len(numbers) - 1)
                mark = None
            elif child.tag == "{text}h":
                self._heading(child, mark)
                mark = None
            elif child.tag == "{text}list":
                self._list(child, style, numbers, goes_on)
            else:
                self.blocks([child])

    def _inline(self, element: Element) -> Inline:
        found = inline(element, self._styles, self._embedded.object)
        for part in found.left_out:
            if part is HIDDEN:
                self.hidden()
            else:
                self._left_out.append(part)
        return found

    def _add(self, found: Inline) -> None:
        """What hangs on a paragraph: boxes come at once, the rest after the table that it is in."""
        for box in found.boxes:
            self.blocks(box)
        self._put_off(found)
        self._say_later()

    def _put_off(self, found: Inline) -> None:
        if found.pictures or ((found.notes or found.charts) and not self.is_note):
            self._later.append(found)

    def _say_later(self) -> None:
        if self._tables:
            return
        later, self._later = self._later, []
        for found in later:
            for kind, body, author in () if self.is_note else found.notes:
                self._note(kind, body, author)
            for chart in () if self.is_note else found.charts:
                self._chart(chart)
            for address, name in found.pictures:
                self._embedded.picture(self._flow, address, name)

    def _note(self, kind: str, body: Element, author: str) -> None:
        flow = Flow()
        story = OdfText(flow, self._styles, self._embedded)
        story.is_note = True
        story.blocks(child for child in body if child.tag.startswith("{text}"))
        if not flow:
            return
        if kind in _CALLED:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._flow.note(f"{_CALLED[kind]} {self._counts[kind]}", flow.text())
        else:
            self._flow.note(f"Comment by {author}" if author else "Comment", flow.text())

    def _chart(self, root: Element) -> None:
        """Its title, and the table that its numbers are kept in."""
        title = root.find(".//{chart}title")
        said = "".join(title.itertext()).strip() if title is not None else ""
        self._flow.apart()
        self._flow.paragraph(f"Chart: {said}" if said else "Chart")
        for table in root.iter("{table}table"):
            self._table(table)

    def _table(self, table: Element) -> None:
        self._flow.apart()
        self._tables += 1
        for row in rows(table):
            for _ in range(max(1, min(whole(row.get("{table}number-rows-repeated"), 1), _MOST_ROWS))):
                self._row(row)
        self._tables -= 1
        self._flow.apart()
        self._say_later()

    def _row(self, row: Element) -> None:
        cells = [cell for cell in row if cell.tag in _CELLS]
        is_one = len(cells) == 1 and whole(cells[0].get("{table}number-columns-repeated"), 1) < 2
        if is_one or any(cell.find(".//{table}table") is not None for cell in cells):
            for cell in cells:
                self.blocks(cell)
            return
        texts: list[str] = []
        for cell in cells:
            times = max(1, min(whole(cell.get("{table}number-columns-repeated"), 1), MOST_COLUMNS))
            texts.extend([self.one_line(cell)] * times)
        self._flow.row(texts)

    def one_line(self, parent: Element) -> str:
        """The paragraphs of a cell."""
        texts: list[str] = []
        for element in parent:
            if element.tag in ("{text}p", "{text}h"):
                found = self._inline(element)
                texts.append(found.text)
                texts.extend(self.one_line(box) for box in found.boxes)
                self._put_off(found)
            elif element.tag == "{office}annotation":
                self._put_off(Inline(notes=[("comment", element, element.findtext("{dc}creator") or "")]))
            elif element.tag in DRAWN:
                found = self._inline(element)
                texts.extend(self.one_line(box) for box in found.boxes)
                self._put_off(found)
            elif element.tag not in DROPPED:
                texts.append(self.one_line(element))
        return " ".join(text for text in texts if text.strip())

    def end(self) -> None:
        """After the last block: what hung on cells."""
        self._tables = 0
        self._say_later()


def rows(table: Element) -> Iterator[Element]:
    """Of a table, also those that groups lie around."""
    for element in table:
        if element.tag == "{table}table-row":
            yield element
        elif element.tag in _ROWS:
            yield from rows(element)
