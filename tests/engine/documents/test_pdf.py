"""PDF pages of kinds that the case pack has not, made here."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from engine.documents.extract import extract
from engine.documents.pdf import Pdf
from engine.documents.reader import How, Unreadable
from engine.documents.source import file_source

SENTENCE = "The weir keeper counts the eels that pass the third gate each night in autumn."


def saved(document: Any, path: Path) -> Path:
    document.save(path)
    document.close()
    return path


def scan(page: Any, share: float = 1.0) -> None:
    """Puts a grey picture over this share of the page."""
    pixmap = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 20, 20))
    pixmap.clear_with(128)
    box = pymupdf.Rect(0, 0, page.rect.width, page.rect.height * share)
    page.insert_image(box, pixmap=pixmap, keep_proportion=False)


def outcomes(path: Path) -> list[tuple[str, str | None, str]]:
    pdf = Pdf(file_source(path), How())
    try:
        return [(page.outcome, page.reason, page.text) for page in pdf.pages()]
    finally:
        pdf.close()


def test_a_stamp_does_not_make_a_scan_read_but_is_not_lost(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    scan(page)
    page.insert_text((50, 50), "RECEIVED 4 MAY")
    assert outcomes(saved(document, tmp_path / "a.pdf")) == [("needs_ocr", "no_text_layer", "RECEIVED 4 MAY")]


def test_a_short_page_with_a_small_picture_is_read(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    scan(page, share=0.1)
    page.insert_text((50, 300), "Chapter two")
    assert outcomes(saved(document, tmp_path / "a.pdf")) == [("read", None, "Chapter two")]


def test_text_drawn_as_outlines_needs_ocr_and_a_ruled_page_is_blank(tmp_path: Path) -> None:
    document = pymupdf.open()
    outlined = document.new_page()
    for number in range(80):
        outlined.draw_circle((50 + 5 * number, 100), 2)
    document.new_page().draw_line((50, 50), (500, 50))
    assert [outcome for outcome, _, _ in outcomes(saved(document, tmp_path / "a.pdf"))] == ["needs_ocr", "blank"]


def test_a_page_that_fails_does_not_end_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = pymupdf.open()
    for number in range(3):
        document.new_page().insert_text((50, 50), f"{SENTENCE} {number}", fontsize=8)
    path = saved(document, tmp_path / "a.pdf")
    load = pymupdf.Document.__getitem__

    def broken(self: Any, index: int) -> Any:
        if index == 1:
            raise RuntimeError("cycle in structure")
        return load(self, index)

    monkeypatch.setattr(pymupdf.Document, "__getitem__", broken)
    assert [outcome for outcome, _, _ in outcomes(path)] == ["read", "failed", "read"]


def test_a_page_of_which_the_content_is_missing_is_damaged_and_not_blank(tmp_path: Path) -> None:
    document = pymupdf.open()
    lost = document.new_page()
    lost.insert_text((50, 50), SENTENCE, fontsize=8)
    document.xref_set_key(lost.xref, "Contents", "9999 0 R")
    document.new_page()
    assert [outcome for outcome, _, _ in outcomes(saved(document, tmp_path / "a.pdf"))] == ["failed", "blank"]


def test_ligatures_are_letters(tmp_path: Path) -> None:
    document = pymupdf.open()
    writer = pymupdf.TextWriter(document.new_page().rect)
    writer.append((50, 50), "of\ufb01ce \ufb02ood \u00bd", font=pymupdf.Font("helv"))
    writer.write_text(document[0])
    assert outcomes(saved(document, tmp_path / "a.pdf")) == [("read", None, "office flood \u00bd")]


def test_any_part_of_a_file_gives_an_outcome(tmp_path: Path) -> None:
    """Cut anywhere it calls no page blank, and says so where text is lost; with bytes changed it raises nothing."""
    document = pymupdf.open()
    for number in range(4):
        document.new_page().insert_text((50, 50), f"{SENTENCE} {number}", fontsize=8)
    data = saved(document, tmp_path / "whole.pdf").read_bytes()
    noise = random.Random(3)
    cut = [data[:length] for length in range(9, len(data), len(data) // 60)]
    changed = [bytearray(data) for _ in range(60)]
    for copy in changed:
        for _ in range(20):
            copy[noise.randrange(9, len(copy))] = noise.randrange(256)
    for number, content in enumerate([*cut, *changed]):
        path = tmp_path / "a.pdf"
        path.write_bytes(content)
        extracted = extract(path)
        assert (extracted.message is None) == (extracted.outcome == "read")
        if number < len(cut):
            assert all(page.outcome in ("read", "failed") for page in extracted.pages)
            whole = [page for page in extracted.pages if page.outcome == "read" and page.reason is None]
            assert all(page.text.endswith(f"autumn. {page.number - 1}") for page in whole)


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7\n",
        b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 999999999/Kids[]>>\n",
        b"%PDF-1.4\n" + bytes(range(256)) * 8,
        b"%PDF-1.4\n1 0 obj\n<<>>",
    ],
)
def test_a_broken_file_is_refused_and_prints_nothing(
    content: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    with pytest.raises(Unreadable) as refused:
        Pdf(file_source(path), How())
    assert refused.value.reason == "damaged"
    assert capfd.readouterr() == ("", "")
