"""An Excel workbook (.xlsx, .xlsm, .xltx) -> a page for each sheet, in the workbook's order, with its rows as shown.

Values are those saved with the file: nothing is computed. Hidden sheets are left out and said, hidden rows and columns
are read and said. It finds the parts; a
cell's text is made by `xlsx_cells`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from engine.documents.drawing import paragraph_text
from engine.documents.flow import Flow
from engine.documents.graphic import Graphic, Graphics, OnGraphic, picture
from engine.documents.hidden_cells import HiddenColumns
from engine.documents.inner_pictures import InnerPictures
from engine.documents.limits import LARGEST_UNPACKED
from engine.documents.office_names import NAMESPACES, is_fallback, is_on, whole
from engine.documents.office_package import OfficePackage
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, PartsFrom, Reader, Unreadable
from engine.documents.safe_xml import elements
from engine.documents.source import Source
from engine.documents.xlsx_cells import Cells, hidden_columns, joined, row_cells

MAIN = ".main+xml"
_HIDDEN = ("hidden", "veryHidden")


@dataclass(frozen=True)
class _Sheet:
    """part: None where the workbook names one that is not there. kind: "worksheet", "chartsheet" or another."""

    name: str
    part: str | None
    kind: str


def open_xlsx(source: Source, how: How) -> Reader:
    """Raises Unreadable and OSError."""
    package = OfficePackage(source)
    try:
        workbook = _Workbook(package, how)
    except BaseException:
        package.close()
        raise
    return PartsFrom(workbook.pages, workbook.left_out, len(workbook.sheets), package.close)


class _Workbook:
    """sheets: those that a person sees."""

    def __init__(self, package: OfficePackage, how: How) -> None:
        self._package, self._how = package, how
        self._main = package.main(MAIN)
        root = package.tree(self._main)
        relations = package.relations(self._main)
        self.sheets: list[_Sheet] = []
        self._hidden: list[str] = []
        self.left_out: list[LeftOut] = []
        for element in root.iter("{x}sheet"):
            name = element.get("name", "")
            relation = relations.get(element.get("{r}id", ""))
            if element.get("state") in _HIDDEN:
                self._hidden.append(name)
            else:
                part, kind = (None, "") if relation is None else (relation.target, relation.kind)
                self.sheets.append(_Sheet(name, part, kind))
        properties = root.find("{x}workbookPr")
        self._from_1904 = properties is not None and is_on(properties.get("date1904"))
        self._left = LARGEST_UNPACKED

    def pages(self, first: int) -> Iterator[Page]:
        """Before `first` no picture is looked at. Raises Unreadable: too_large_unpacked, unsafe_xml in the parts that
        all sheets share.
        """
        self.left_out[:] = [LeftOut("hidden", name) for name in self._hidden]
        self._left = LARGEST_UNPACKED
        cells, pictures = self._cells(), InnerPictures(self._how.recognition, self.left_out, first)
        graphics = Graphics(self._package, pictures, self.left_out)
        for number, sheet in enumerate(self.sheets, 1):
            flow, lost = Flow(), None
            pictures.begin(number)
            try:
                if self._left < 0:
                    raise Unreadable("too_large_unpacked")
                self._add_sheet(flow, sheet, cells, graphics)
            except Unreadable as unreadable:
                lost = unreadable.reason
            page = pictures.page(number, flow, lost or (cells.lost if flow else None), sheet.name)
            self._left -= len(page.text)
            yield page if self._left >= 0 else Page(number, "failed", "too_large_unpacked", "", sheet.name)

    def _cells(self) -> Cells:
        package, lost = self._package, None
        strings: list[str] = []
        for part in package.related(self._main, "sharedStrings")[:1]:
            try:
                data = package.read(part)
                strings.extend(joined(item) for item in elements(data, "{x}si", NAMESPACES, is_fallback))
            except Unreadable as unreadable:
                if unreadable.reason != "damaged":
                    raise
                lost = "damaged"
        styles = next(iter(package.related(self._main, "styles")), None)
        return Cells(strings, package.tree_or_none(styles), self._from_1904, lost)

    def _add_sheet(self, flow: Flow, sheet: _Sheet, cells: Cells, graphics: Graphics) -> None:
        if sheet.part is None:
            raise Unreadable("damaged")
        if sheet.kind == "worksheet":
            self._add_rows(flow, sheet.part, cells)
        for part in self._package.related(sheet.part, "drawing"):
            self._add_drawing(flow, part, graphics.of(part))
        for kind, tag in (("comments", "{x}comment"), ("threadedComment", "{xtc}threadedComment")):
            for part in self._package.related(sheet.part, kind):
                self._add_comments(flow, part, tag)

    def _add_rows(self, flow: Flow, part: str, cells: Cells) -> None:
        hidden, last, number = HiddenColumns(), 0, 0
        for element in elements(self._package.read(part), ("{x}cols", "{x}row"), NAMESPACES, is_fallback):
            if element.tag == "{x}cols":
                for first, end in hidden_columns(element):
                    hidden.add(first, end)
                continue
            number += 1
            found = row_cells(element, cells, hidden)
            place = whole(element.get("r"), number)
            if place > last + 1:
                flow.apart()
            if any(found):
                flow.row(found)
                last = place

    def _add_drawing(self, flow: Flow, part: str, on_graphic: OnGraphic) -> None:
        """Text boxes, charts and pictures, in the order in which they were drawn."""
        root = self._package.tree_or_none(part)
        for element in () if root is None else root.iter():
            if element.tag == "{xdr}txBody":
                flow.apart()
                for line in element.iter("{a}p"):
                    flow.paragraph(paragraph_text(line))
            elif element.tag == "{xdr}pic":
                named = element.find("{xdr}nvPicPr/{xdr}cNvPr")
                name = "" if named is None else named.get("descr") or named.get("name") or ""
                on_graphic(flow, picture(element, name))
            elif element.tag == "{cx}chart":
                self.left_out.append(LeftOut("part", "chart", "unsupported_type"))
            elif element.tag == "{c}chart":
                on_graphic(flow, Graphic("chart", element.get("{r}id", "")))

    def _add_comments(self, flow: Flow, part: str, tag: str) -> None:
        root = self._package.tree_or_none(part)
        for comment in () if root is None else root.iter(tag):
            said = _comment(comment)
            if not said.startswith("[Threaded comment]"):  # for programs that cannot show the thread beside it
                flow.note(f"Comment on {comment.get('ref', '')}", said)


def _comment(comment: Element) -> str:
    return "".join(text.text or "" for tag in ("{x}t", "{xtc}text") for text in comment.iter(tag)).strip()
