from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf

from engine.documents.pdf import Pdf
from engine.documents.reader import How
from engine.documents.source import Source


def sections(document: Any) -> list[str | None]:
    pdf = Pdf(Source("a.pdf", data=document.tobytes()), How())
    try:
        return [page.section for page in pdf.pages()]
    finally:
        pdf.close()


def book(*starts: str) -> Any:
    document = pymupdf.open()
    for start in starts:
        page = document.new_page()
        page.insert_text((50, 60), start, fontsize=16)
        for number in range(8):
            page.insert_text((50, 120 + 20 * number), f"A line of the body, number {number}.", fontsize=10)
    return document


def test_a_page_has_the_section_that_it_begins_in() -> None:
    document = book("Preface", "2. Loans", "more", "and more", "3. Returns")
    document.set_toc([[1, "Loans", 2], [2, "Short loans", 4], [3, "Very short loans", 4], [1, "3. Returns", 5]])
    # "Short loans" does not stand at the top of page 4, so the page begins in what came before.
    assert sections(document) == [None, "Loans", "Loans", "Loans", "3. Returns"]


def test_a_section_further_down_a_page_names_the_pages_after_it() -> None:
    document = book("One", "two", "three")
    document.set_toc([[1, "One", 1], [1, "Somewhere below", 2]])
    assert sections(document) == ["One", "One", "Somewhere below"]


def test_the_links_of_a_table_of_contents_name_sections() -> None:
    document = book("Contents", "Loans", "Returns", "Fines", "more")
    for number, title in enumerate(("1 Loans", "2 Returns", "3 Fines"), 1):
        place = pymupdf.Point(50, 400 + 30 * number)
        document[0].insert_text(place, f"{title} . . . . . . {number + 1}", fontsize=11)
        box = pymupdf.Rect(50, place.y - 12, 300, place.y + 4)
        document[0].insert_link({"kind": pymupdf.LINK_GOTO, "from": box, "page": number, "to": pymupdf.Point(0, 0)})
    assert sections(document) == [None, "1 Loans", "2 Returns", "3 Fines", "3 Fines"]


def test_one_link_is_no_table_of_contents_and_an_address_no_text() -> None:
    document = book("See page 2", "Loans")
    box = pymupdf.Rect(50, 40, 200, 70)
    document[0].insert_link({"kind": pymupdf.LINK_GOTO, "from": box, "page": 1, "to": pymupdf.Point(0, 0)})
    document[1].insert_link({"kind": pymupdf.LINK_URI, "from": box, "uri": "https://example.org/hidden"})
    assert sections(document) == [None, None]
    pdf = Pdf(Source("a.pdf", data=document.tobytes()), How())
    assert all("example.org" not in page.text for page in pdf.pages())
    pdf.close()


def test_a_broken_outline_costs_no_page(tmp_path: Path) -> None:
    document = book("One", "two")
    document.set_toc([[1, "One", 1], [1, "Two", 2]])
    first = int(document.xref_get_key(document.pdf_catalog(), "Outlines")[1].split()[0])
    document.xref_set_key(first, "First", f"{first} 0 R")
    assert len(sections(document)) == 2
