"""An OpenDocument spreadsheet (.ods) -> a page for each sheet, in its order, with its rows as shown (OpenDocument 1.3,
part 3, chapter 9). Dates are given as in ISO 8601. Hidden sheets are left out and said, hidden rows and columns are
read and said.

A cell or a row may stand for thousands: empty ones are bounded, others too, which is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from engine.documents.flow import Flow
from engine.documents.hidden_cells import HiddenColumns, hidden_row
from engine.documents.inner_pictures import InnerPictures
from engine.documents.limits import LARGEST_UNPACKED
from engine.documents.number_format import shown
from engine.documents.odf_embedded import Embedded
from engine.documents.odf_package import CONTENT, NAMESPACES, OdfPackage
from engine.documents.odf_text import OdfText
from engine.documents.office_names import whole
from engine.documents.opendocument import styles_of
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, PartsFrom, Reader, Unreadable
from engine.documents.safe_xml import elements
from engine.documents.serial_dates import clock_text
from engine.documents.source import Source
from engine.documents.xlsx_cells import MOST_EMPTY

MOST_REPEATED = 1000
_TABLE, _COLUMN, _ROW, _SHAPES = "{table}table", "{table}table-column", "{table}table-row", "{table}shapes"
_HIDDEN = ("collapse", "filter")
_PERCENT = "0.##########%"
_CELLS = ("{table}table-cell", "{table}covered-table-cell")
_TIME = re.compile(r"(-?)PT(\d{1,9})H(\d{1,2})M(\d{1,2}(?:[.,]\d{1,20})?)S")
_FRACTION = re.compile(r"[.,]\d")
_MIDNIGHT = "T00:00:00"


def open_ods(source: Source, how: How) -> Reader:
    """Raises Unreadable and OSError."""
    package = OdfPackage(source)
    try:
        book = _Book(package, how)
    except BaseException:
        package.close()
        raise
    return PartsFrom(book.pages, book.left_out, book.count, package.close)


class _Book:
    """count: of the sheets that a person sees."""

    def __init__(self, package: OdfPackage, how: How) -> None:
        self._package, self._how, self._content = package, how, package.read(CONTENT)
        self._styles, _ = styles_of(package, self._content)
        self.left_out: list[LeftOut] = []
        self._left = LARGEST_UNPACKED
        tables: list[Element] = []
        try:
            tables.extend(elements(self._content, (), NAMESPACES, lambda name, _: name in (_ROW, _SHAPES), (_TABLE,)))
        except Unreadable as unreadable:
            if not tables:
                raise Unreadable(unreadable.reason) from unreadable
        self.count = sum(not self._is_hidden(table) for table in tables)

    def pages(self, first: int) -> Iterator[Page]:
        """One sheet after another; damage ends them with the one that it is in. Before `first` no picture is
        looked at.
        """
        self.left_out.clear()
        self._left = LARGEST_UNPACKED
        pictures = InnerPictures(self._how.recognition, self.left_out, first)
        embedded = Embedded(self._package, pictures, self.left_out)
        number = 0
        sheet: _Sheet | None = None
        lost: str | None = None
        try:
            for element in elements(self._content, (_COLUMN, _ROW, _SHAPES), NAMESPACES, _is_dropped, (_TABLE,)):
                if element.tag != _TABLE:
                    if sheet is not None:
                        sheet.add(element)
                    continue
                if sheet is not None:
                    yield self._page(number, sheet, pictures)
                sheet = None
                if self._is_hidden(element):
                    self.left_out.append(LeftOut("hidden", element.get("{table}name", "")))
                else:
                    number += 1
                    pictures.begin(number)
                    flow = Flow()
                    sheet = _Sheet(element.get("{table}name", ""), flow, OdfText(flow, self._styles, embedded))
        except Unreadable as unreadable:
            lost = unreadable.reason
            if sheet is None and not number:
                raise
        if sheet is not None:
            sheet.lost = sheet.lost or lost
            yield self._page(number, sheet, pictures)

    def _is_hidden(self, table: Element) -> bool:
        return table.get("{table}style-name") in self._styles.hidden_tables

    def _page(self, number: int, sheet: _Sheet, pictures: InnerPictures) -> Page:
        sheet.end()
        page = pictures.page(number, sheet.flow, sheet.lost, sheet.name)
        self._left -= len(page.text)
        return page if self._left >= 0 else Page(number, "failed", "too_large_unpacked", "", sheet.name)


class _Sheet:
    """lost: why its text is not whole, or None. story: of what its cells hold; it adds to `flow`."""

    def __init__(self, name: str, flow: Flow, story: OdfText) -> None:
        self.name, self.flow, self._story = name, flow, story
        self.lost: str | None = None
        self._hidden, self._columns = HiddenColumns(), 0

    def add(self, element: Element) -> None:
        """A column, a row, or the shapes that lie over the sheet."""
        if self.lost is not None:
            return
        try:
            if element.tag == _SHAPES:
                self._story.blocks(element)
            elif element.tag == _COLUMN:
                first = self._columns + 1
                self._columns += max(1, whole(element.get("{table}number-columns-repeated"), 1))
                if element.get("{table}visibility") in _HIDDEN:
                    self._hidden.add(first, self._columns)
            else:
                self._row(element)
        except Unreadable as unreadable:
            self.lost = unreadable.reason

    def end(self) -> None:
        """After the last row."""
        try:
            self._story.end()
        except Unreadable as unreadable:
            self.lost = unreadable.reason

    def _row(self, row: Element) -> None:
        cells = self._cells(row)
        if row.get("{table}visibility") in _HIDDEN:
            cells = hidden_row(cells)
        times = max(1, whole(row.get("{table}number-rows-repeated"), 1))
        if not any(cells):
            self.flow.apart()
            return
        for _ in range(min(times, MOST_REPEATED)):
            self.flow.row(cells)
        if times > MOST_REPEATED:
            self.flow.paragraph(f"[The row above stands there {times} times in all.]")

    def _cells(self, row: Element) -> list[str]:
        found: list[str] = []
        empty = column = 0
        for cell in row:
            if cell.tag not in _CELLS:
                continue
            text = self._text(cell)
            times = max(1, whole(cell.get("{table}number-columns-repeated"), 1))
            column += times
            if not text:
                empty += times
                continue
            found.extend([""] * min(empty, MOST_EMPTY))
            shown = min(times, MOST_REPEATED)
            found.extend(self._hidden.marked(column - times + 1 + place, text) for place in range(shown))
            empty = 0
        return found

    def _text(self, cell: Element) -> str:
        kind = cell.get("{office}value-type")
        said = self._story.one_line(cell)
        if kind == "date" and (day := cell.get("{office}date-value")):
            return day[:30].removesuffix(_MIDNIGHT).replace("T", " ")
        if kind == "time" and (clock := _TIME.fullmatch(cell.get("{office}time-value", ""))):
            return _clock(clock, said)
        return said or _value(cell, kind or "")


def _clock(found: re.Match[str], said: str) -> str:
    """said: what the sheet shows. Programs write 05:00 as 04:59.999999999."""
    unit = 1000 if _FRACTION.search(said or found[4]) else 1
    seconds = (int(found[2]) * 60 + int(found[3])) * 60 + float(found[4].replace(",", "."))
    return found[1] + clock_text(round(seconds * unit), unit, unit > 1)


def _value(cell: Element, kind: str) -> str:
    """Of a cell that was written without what it shows, as programs do that are no spreadsheets."""
    value = cell.get("{office}value") or ""
    match kind:
        case "boolean":
            return cell.get("{office}boolean-value", "").upper()
        case "percentage":
            return shown(value, _PERCENT)
        case "currency":
            return f"{value} {cell.get('{office}currency', '')}".strip()
    formula = cell.get("{table}formula", "")
    return cell.get("{office}string-value") or value or (f"={formula.partition('=')[2]}" if "=" in formula else "")


def _is_dropped(name: str, _: dict[str, str]) -> bool:
    return name == "{table}tracked-changes"
