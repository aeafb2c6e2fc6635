"""Pictures on pages of a PDF that have text of their own, recognised with the data that Keepsake brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from engine.documents import page_pictures
from engine.documents.extract import extract
from engine.documents.inner_pictures import InnerPictures
from engine.documents.ocr.languages import recognition_for
from engine.documents.page import Page
from engine.documents.pdf import Pdf
from engine.documents.reader import How, LeftOut
from engine.documents.source import Source
from tests.engine.documents.test_inner_pictures import FOUND, OTHER, drawn, photograph, saved

ABOVE = [f"Line {number} of the letter, which is above the picture." for number in range(5)]
BELOW = [f"Line {number} of the letter, which is below the picture." for number in range(5)]
BOX = (50, 200, 450, 275)


def read(document: Any, recognition: bool = True, first: int = 1) -> tuple[list[Page], list[LeftOut]]:
    how = How(recognition=recognition_for("auto", "en_US") if recognition else None)
    pdf = Pdf(Source("a.pdf", data=document.tobytes()), how)
    try:
        return list(pdf.pages(first)), pdf.left_out
    finally:
        pdf.close()


def letter(document: Any, *pictures: tuple[tuple[float, ...], bytes], beneath: bool = False) -> Any:
    page = document.new_page()
    if beneath:
        written(page)
    for box, picture in pictures:
        page.insert_image(pymupdf.Rect(box), stream=picture, keep_proportion=False)
    if not beneath:
        written(page)
    return page


def written(page: Any) -> None:
    for top, lines in ((100, ABOVE), (320, BELOW)):
        for number, line in enumerate(lines):
            page.insert_text((50, top + 14 * number), line, fontsize=10)


def test_the_text_of_a_picture_stands_where_the_picture_does() -> None:
    document = pymupdf.open()
    letter(document, (BOX, drawn()))
    (page,), left_out = read(document)
    assert page.text.split("\n") == [*ABOVE, FOUND, *BELOW]
    assert (page.outcome, page.source, left_out) == ("read", "text", [])


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_it_does_so_on_a_page_on_its_side(turn: int) -> None:
    document = pymupdf.open()
    letter(document, (BOX, drawn())).set_rotation(turn)
    (page,), _ = read(document)
    assert page.text.split("\n") == [*ABOVE, FOUND, *BELOW]


def test_without_recognition_pictures_are_named() -> None:
    document = pymupdf.open()
    letter(document, (BOX, drawn()))
    (page,), left_out = read(document, recognition=False)
    assert page.text.split("\n") == [*ABOVE, *BELOW]
    assert left_out == [LeftOut("picture", "a picture on page 1")]


def test_a_photograph_is_named_and_an_icon_is_not() -> None:
    document = pymupdf.open()
    letter(document, (BOX, saved(photograph())), ((500, 20, 540, 60), drawn(OTHER)))
    (page,), left_out = read(document)
    assert page.text.split("\n") == [*ABOVE, *BELOW]
    assert left_out == [LeftOut("picture", "a picture on page 1")]


def test_what_stands_on_every_page_is_looked_at_and_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[str] = []
    add = InnerPictures.add

    def counted(self: InnerPictures, flow: Any, name: str, part: str | None, read: Any) -> None:
        added.append(name)
        add(self, flow, name, part, read)

    monkeypatch.setattr(InnerPictures, "add", counted)
    document = pymupdf.open()
    for _ in range(3):
        letter(document, (BOX, drawn()))
    pages, _ = read(document)
    assert [FOUND in page.text for page in pages] == [True, False, False]
    assert added == ["a picture on page 1"]
    taken_up, _ = read(document, first=2)
    assert taken_up[1:] == pages[1:]


@pytest.mark.parametrize("how", ["not shown", "covered"])
def test_a_scan_that_another_program_has_recognised_is_not_recognised_again(how: str) -> None:
    document = pymupdf.open()
    whole = (0, 0, 595, 842)
    page = letter(document, (whole, drawn(OTHER)), beneath=how == "covered")
    if how == "not shown":
        page.insert_text((50, 500), "Not shown, but there.", render_mode=3)
    (found,), left_out = read(document)
    assert OTHER not in found.text and ABOVE[0] in found.text and left_out == []


def test_a_ground_with_text_in_it_under_a_text_is_read() -> None:
    document = pymupdf.open()
    letter(document, ((0, 0, 595, 842), drawn(OTHER)))
    (found,), _ = read(document)
    assert OTHER in found.text and ABOVE[0] in found.text


def test_a_broken_picture_costs_nothing() -> None:
    document = pymupdf.open()
    page = letter(document, (BOX, drawn()))
    document.update_stream(page.get_images()[0][0], b"no picture", compress=False)
    (found,), left_out = read(document)
    assert [*ABOVE, *BELOW] == [line for line in found.text.split("\n") if line.startswith("Line")]
    assert [part.what for part in left_out] == ["picture"]


def test_without_recognition_a_picture_that_may_be_a_page_makes_the_document_partial(tmp_path: Path) -> None:
    document = pymupdf.open()
    large = Image.new("RGB", (900, 700), "white")
    letter(document, ((50, 200, 300, 300), saved(large)), ((50, 420, 200, 500), drawn()))
    path = tmp_path / "a.pdf"
    document.save(path)
    extracted = extract(path)
    assert (extracted.outcome, extracted.reason) == ("partial", "no_text_layer")
    assert [part.reason for part in extracted.left_out] == ["no_text_layer", None]


def test_telling_photographs_from_pages_ends_once_a_page_took_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_pictures, "PAGE_LOOKING_SECONDS", -1.0)
    document = pymupdf.open()
    letter(document, ((50, 200, 300, 300), saved(Image.new("RGB", (900, 700), "white"))))
    (page,), left_out = read(document, recognition=False)
    assert page.outcome == "read" and left_out == [LeftOut("picture", "a picture on page 1")]
