"""Scans are read where text is recognised: the pack's, and pages that it has not."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import Any

import pymupdf
import pytest
from PIL import Image

from engine.documents.extract import extract
from engine.documents.ocr.languages import recognition_for
from engine.documents.page import Page
from engine.documents.pdf import Pdf
from engine.documents.reader import How, Recognition
from engine.documents.source import Source
from tests.engine.documents.cases import CASES, FOLDER
from tests.engine.documents.judging import holds, of_one
from tests.engine.documents.ocr.test_tesseract import LINES, pebbles, picture

LEAST_RIGHT = 0.95
SCANS = [case for case in CASES if "ocr_truth" in case["expect"]]
MIXED = [case for case in CASES if case["expect"].get("pages_need_ocr") and "ocr_truth" not in case["expect"]]


def recognition() -> Recognition:
    found = recognition_for("auto", None)
    assert found is not None
    return found


def characters_right(text: str, truth: str) -> float:
    """As a share of the truth's."""
    text, truth = (re.sub(r"\s+", " ", found).strip() for found in (text, truth))
    matches = SequenceMatcher(None, truth, text, autojunk=False).get_matching_blocks()
    return sum(match.size for match in matches) / max(len(truth), len(text))


@pytest.mark.parametrize("case", SCANS, ids=[case["id"] for case in SCANS])
def test_a_scan_is_read(case: dict[str, Any]) -> None:
    extracted = extract(FOLDER / case["files"][0], recognition=recognition())
    assert (extracted.outcome, extracted.reason) == ("read", None)
    scanned = [page for page in extracted.pages if page.number in case["expect"]["pages_need_ocr"]]
    for page, truth in zip(scanned, case["expect"]["ocr_truth"], strict=True):
        assert page.source == "ocr"
        assert characters_right(page.text, truth) >= LEAST_RIGHT, page.text
    for text in case["expect"]["must_not_contain"]:
        assert all(text not in page.text for page in extracted.pages)


@pytest.mark.parametrize("case", MIXED, ids=[case["id"] for case in MIXED])
def test_only_the_pages_that_are_pictures_are_recognised(case: dict[str, Any]) -> None:
    expect = case["expect"]
    extracted = extract(FOLDER / case["files"][0], recognition=recognition())
    assert (extracted.outcome, extracted.reason) == ("read", None)
    assert [page.number for page in extracted.pages if page.source == "ocr"] == expect["pages_need_ocr"]
    assert [page.number for page in extracted.pages if page.outcome == "blank"] == expect.get("pages_blank", [])
    came = of_one(extracted, case["files"][0])
    assert [item for item in expect["must_contain"] if not holds(came, item, expect)] == []


def on_pages(*images: Any, over: str = "", invisible: bool = False) -> Any:
    document = pymupdf.open()
    for image in images:
        page = document.new_page(width=500, height=350)
        pixmap = pymupdf.Pixmap(pymupdf.csGRAY, image.width, image.height, image.convert("L").tobytes(), 0)
        page.insert_image(page.rect, pixmap=pixmap, keep_proportion=False)
        for row, line in enumerate(over.split("\n")):
            page.insert_text((30, 200 + 20 * row), line, render_mode=3 if invisible else 0)
    return document


def pages(document: Any, how: How | None = None) -> list[Page]:
    pdf = Pdf(Source("a.pdf", data=document.tobytes()), how or How(recognition=recognition()))
    try:
        return list(pdf.pages())
    finally:
        pdf.close()


def test_a_page_is_recognised_whichever_way_it_was_put_in() -> None:
    document = on_pages(picture(LINES))
    document[0].set_rotation(180)
    (page,) = pages(document)
    assert (page.outcome, page.text.split("\n")) == ("read", list(LINES))


def test_a_stamp_on_a_scan_stays_beside_what_is_recognised() -> None:
    (page,) = pages(on_pages(picture(LINES), over="RECEIVED 4 MAY"))
    assert page.source == "ocr" and "RECEIVED 4 MAY" in page.text
    assert all(line in page.text for line in LINES)


def test_a_good_hidden_text_is_kept_and_a_bad_one_is_not() -> None:
    good = "Words that a better program found.\nThe lamp burned 14 litres."
    (page,) = pages(on_pages(picture(LINES), over=good, invisible=True))
    assert (page.source, page.text) == ("text", good)
    bad = "R3 c0 rd 0f tl 1e n1 gh t w@ tc h\nTl 1 l@ mp bu rn ed l4 1i\nTw 0 sh 1p s p@ ss ed @t 0 3"
    (page,) = pages(on_pages(picture(LINES), over=bad, invisible=True))
    assert (page.source, page.text.split("\n")) == ("ocr", list(LINES))
    (page,) = pages(on_pages(picture(LINES), over=bad, invisible=True), How())
    assert page.source == "text"


def test_a_picture_in_which_nothing_is_made_out_says_so(tmp_path: Path) -> None:
    document = on_pages(pebbles())
    document.save(tmp_path / "a.pdf")
    extracted = extract(tmp_path / "a.pdf", recognition=recognition())
    assert (extracted.outcome, extracted.reason) == ("needs_ocr", "not_recognised")
    assert "No text could be made out" in (extracted.message or "")


def test_a_blank_scan_is_blank_even_with_specks_on_it() -> None:
    clean, random = Image.new("L", (1000, 700), 246), Random(2)
    dusty = clean.copy()
    for _ in range(450):
        dusty.putpixel((random.randrange(1000), random.randrange(700)), random.randrange(90, 200))
    assert [page.outcome for page in pages(on_pages(clean, dusty))] == ["blank", "blank"]


def test_a_page_stays_unread_where_the_data_is_gone() -> None:
    (page,) = pages(on_pages(picture(LINES)), How(recognition=Recognition(("eng",), "nowhere")))
    assert (page.outcome, page.reason) == ("needs_ocr", "no_text_layer")
