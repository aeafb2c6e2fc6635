"""A PDF whose reading broke off and goes on gives the same pages as one that is read in one go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from engine.documents.events import Event, GotPage, Through, read_here
from engine.documents.extract import extract
from engine.documents.line import Line
from engine.documents.ocr import pdf_page
from engine.documents.ocr.tesseract import Recognised
from engine.documents.page import Page
from engine.documents.pdf import Pdf
from engine.documents.reader import How, LeftOut, Recognition
from engine.documents.source import Source, file_source

PAGES = 12
CHAPTERS = {4: "Loans", 6: "Returns", 9: "Fines"}
SCANS = range(7, 12)
HOW = How(recognition=Recognition(("eng",), "nowhere"))


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Left and right pages with heads of their own, numbers at the foot, a table of contents of links, scans, a file
    pinned to the second page.
    """
    document = pymupdf.open()
    for number in range(1, PAGES + 1):
        page = document.new_page(width=500, height=700)
        if number in SCANS:
            page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, 20, 28, bytes([number] * 20 * 28 * 3), 0))
            continue
        page.insert_text((50, 40), "The lender's guide" if number % 2 else "Rules of the library", fontsize=10)
        page.insert_text((240, 680), str(number), fontsize=10)
        for row in range(12):
            page.insert_text((50, 120 + 16 * row), f"Row {row} of sheet {number} of the guide.", fontsize=10)
    for place, (target, title) in enumerate(CHAPTERS.items()):
        point = pymupdf.Point(50, 400 + 30 * place)
        document[1].insert_text(point, f"{title} . . . . . {target}", fontsize=10)
        box = pymupdf.Rect(50, point.y - 12, 300, point.y + 4)
        link = {"kind": pymupdf.LINK_GOTO, "from": box, "page": target - 1, "to": pymupdf.Point(0, 0)}
        document[1].insert_link(link)
    document[1].add_file_annot((400, 400), b"a,b", "table.csv")
    path = tmp_path / "book.pdf"
    document.save(path)
    document.close()
    return path


@pytest.fixture
def recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text as Tesseract would find it in the scans of the book: the shade of each is its number."""

    def recognise(picture: Image.Image, recognition: Recognition) -> Recognised:
        number = picture.getpixel((0, 0))[0]  # type: ignore[index]
        zoom = picture.height / 700
        texts = [("The lender's guide" if number % 2 else "Rules of the library", 40), (str(number), 680)]
        texts += [(f"Scanned row {row} of sheet {number} of the guide.", 120 + 16 * row) for row in range(12)]
        lines = [Line(text, 50 * zoom, (top - 8) * zoom, 250 * zoom, top * zoom) for text, top in texts]
        return Recognised(tuple(lines), picture.width, picture.height, 1.0, 0.1)

    monkeypatch.setattr(pdf_page, "recognise", recognise)


def taken(events: Iterator[Event]) -> tuple[list[Page], Sequence[LeftOut]]:
    pages: list[Page] = []
    left_out: Sequence[LeftOut] = ()
    for event in events:
        if isinstance(event, GotPage):
            pages.append(event.page)
        elif isinstance(event, Through):
            left_out = event.left_out
    return pages, left_out


def test_pages_are_the_same_wherever_reading_was_taken_up(book: Path, recognised: None) -> None:
    whole, left_out = taken(read_here(file_source(book), HOW))
    texts = [page.text for page in whole]
    assert sum("The lender's guide" in text for text in texts) == sum("Rules of" in text for text in texts) == 2
    assert [page.section for page in whole] == [None] * 4 + ["Loans"] * 2 + ["Returns"] * 3 + ["Fines"] * 3
    assert [page.source for page in whole] == ["ocr" if number in SCANS else "text" for number in range(1, PAGES + 1)]
    assert left_out == (LeftOut("attachment", "table.csv"),)
    for first in range(1, PAGES + 2):
        assert taken(read_here(file_source(book), HOW, first)) == (whole[first - 1 :], left_out)


def test_the_pages_of_two_tries_make_those_of_one(book: Path) -> None:
    whole = extract(book)
    for first in (2, 3, 8, PAGES):
        assert extract(book, earlier=whole.pages[: first - 1]) == whole


def test_a_page_that_ended_the_process_is_not_touched_again(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touched: list[int] = []

    def page(self: Any, number: int) -> Page:
        touched.append(number)
        return Page(number, "read", None, "")

    monkeypatch.setattr(Pdf, "_page", page)
    monkeypatch.setattr(Pdf, "_look_back", page)
    pdf = Pdf(Source("a.pdf", data=book.read_bytes()), How())
    list(pdf.pages(first=9, lost=[2, 7]))
    pdf.close()
    assert touched == [1, 3, 4, 5, 6, 8, 9, 10, 11, 12]
