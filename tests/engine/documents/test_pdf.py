"""PDF pages of kinds that the case pack has not, made here."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from engine.documents.extract import extract
from engine.documents.page import Page
from engine.documents.pdf import Pdf
from engine.documents.reader import How, Unreadable
from engine.documents.source import Source, file_source

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


def read(document: Any) -> list[Page]:
    pdf = Pdf(Source("a.pdf", data=document.tobytes()), How())
    try:
        return list(pdf.pages())
    finally:
        pdf.close()


def field(page: Any, kind: int, value: Any, box: tuple[float, ...], **more: Any) -> None:
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name, widget.field_value = kind, f"field {box}", value
    widget.rect = pymupdf.Rect(box)
    for name, content in more.items():
        setattr(widget, name, content)
    page.add_widget(widget)


def test_what_is_typed_into_a_form_stands_beside_its_name() -> None:
    document = pymupdf.open()
    page = document.new_page()
    for top, name in ((115, "Name of the keeper:"), (142, "Owns a boat:"), (182, "Colour of the hull:")):
        page.insert_text((50, top), name)
    field(page, pymupdf.PDF_WIDGET_TYPE_TEXT, "Ines Tolland", (200, 100, 350, 120))
    field(page, pymupdf.PDF_WIDGET_TYPE_CHECKBOX, True, (200, 130, 215, 145))
    field(page, pymupdf.PDF_WIDGET_TYPE_COMBOBOX, "blue", (200, 170, 350, 190), choice_values=["red", "blue"])
    text = read(document)[0].text
    assert text == "Name of the keeper:  Ines Tolland\nOwns a boat:  ☑\nColour of the hull:  blue"


def test_which_box_is_ticked_is_told_on_whichever_side_its_label_stands() -> None:
    document = pymupdf.open()
    page = document.new_page()
    for number, name in enumerate(("married", "divorced", "single")):
        page.insert_text((90, 92 + 30 * number), name)
        field(page, pymupdf.PDF_WIDGET_TYPE_CHECKBOX, number == 1, (60, 80 + 30 * number, 75, 95 + 30 * number))
    page.insert_text((60, 200), "yes")
    field(page, pymupdf.PDF_WIDGET_TYPE_CHECKBOX, True, (82, 190, 95, 203))
    page.insert_text((160, 200), "no")
    field(page, pymupdf.PDF_WIDGET_TYPE_CHECKBOX, False, (178, 190, 191, 203))
    assert read(document)[0].text == "☐  married\n☑  divorced\n☐  single\nyes  ☑  no  ☐"


def test_what_is_typed_below_its_name_stands_behind_it() -> None:
    document = pymupdf.open()
    page = document.new_page()
    for left, name, value in ((60, "First name", "Ines"), (300, "Surname of the keeper", "Tolland")):
        page.insert_text((left, 100), name, fontsize=7)
        field(page, pymupdf.PDF_WIDGET_TYPE_TEXT, value, (left, 103, left + 200, 121), text_fontsize=10)
    assert read(document)[0].text == "First name  Ines  Surname of the keeper  Tolland"


def test_a_form_in_a_ruled_table_is_one() -> None:
    document = pymupdf.open()
    page = document.new_page()
    for top in (100, 130, 160):
        page.draw_line((50, top), (400, top))
    for left in (50, 200, 400):
        page.draw_line((left, 100), (left, 160))
    for number, (name, ticked) in enumerate((("Boat", True), ("Net", False))):
        page.insert_text((60, 120 + 30 * number), name)
        field(page, pymupdf.PDF_WIDGET_TYPE_CHECKBOX, ticked, (210, 108 + 30 * number, 225, 123 + 30 * number))
    assert read(document)[0].text == "Boat | ☑\nNet | ☐"


def test_notes_and_comments_are_read_and_pinned_files_are_left_out() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((50, 50), SENTENCE, fontsize=8)
    page.add_text_annot((400, 100), "Count them again.\nTwice.")
    marked = page.add_highlight_annot(pymupdf.Rect(50, 40, 110, 55))
    marked.set_info(content="By night only?", title="Ann")
    marked.update()
    page.add_freetext_annot(pymupdf.Rect(50, 300, 250, 330), "Seen by the warden")
    page.add_file_annot((300, 300), b"PINNED", "pinned.txt")
    document.embfile_add("inside", b"ATTACHED", filename="attached.txt")
    pdf = Pdf(Source("a.pdf", data=document.tobytes()), How())
    (found,) = pdf.pages()
    assert found.text.endswith("[Note: Count them again. Twice.]\n[Note by Ann: By night only?]")
    assert found.text.count("Seen by the warden") == 1
    assert "ATTACHED" not in found.text and "PINNED" not in found.text
    assert [(part.what, part.name, part.reason) for part in pdf.left_out] == [
        ("attachment", "attached.txt", None),
        ("attachment", "pinned.txt", None),
    ]
    assert len(list(pdf.pages())) == 1 and len(pdf.left_out) == 2
    pdf.close()


def test_a_folder_of_files_in_the_form_of_a_pdf_and_a_form_of_another_program_are_not_called_whole(
    tmp_path: Path,
) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((50, 50), "Please open this in another program.")
    document.embfile_add("inside", b"ATTACHED", filename="minutes.pdf")
    document.xref_set_key(document.pdf_catalog(), "Collection", "<</View/D>>")
    extracted = extract(saved(document, tmp_path / "a.pdf"))
    assert (extracted.outcome, extracted.message) == ("partial", "Not read: minutes.pdf.")
    document = pymupdf.open()
    document.new_page().insert_text((50, 50), "Please wait...")
    document.xref_set_key(document.pdf_catalog(), "NeedsRendering", "true")
    extracted = extract(saved(document, tmp_path / "b.pdf"))
    assert extracted.outcome == "partial" and "XFA" in (extracted.message or "")


def test_layers_that_are_not_shown_are_not_read() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((50, 70), "HIDDEN", oc=document.add_ocg("draft", on=False))
    page.insert_text((50, 90), "Shown", oc=document.add_ocg("final", on=True))
    assert read(document)[0].text == "Shown"


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_page_on_its_side_is_read_as_any_other(turn: int) -> None:
    """Two columns, drawn sideways; the page may or may not be marked as turned."""
    upright = pymupdf.open()
    page = upright.new_page()
    for number in range(6):
        for left, side in ((50, "left"), (320, "right")):
            page.insert_text((left, 100 + 14 * number), f"{side} {number}: a line that fills its column", fontsize=10)
    turned = pymupdf.open()
    for marked in (0, 360 - turn):
        page = turned.new_page(width=900, height=900)
        page.show_pdf_page(page.rect, upright, 0, rotate=turn)
        page.set_rotation(marked % 360)
    expected = [f"{side} {number}" for side in ("left", "right") for number in range(6)]
    for found in read(turned):
        assert [line.split(":")[0] for line in found.text.split("\n")] == expected


def test_what_is_drawn_between_the_words_of_a_line_does_not_part_them() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((50, 50), "See the ")
    page.draw_rect(pymupdf.Rect(92, 53, 118, 53.5), fill=(0, 0, 1))
    page.insert_text((92, 50), "chart of the bay")
    page.insert_text((50, 80), "asn1")
    page.draw_rect(pymupdf.Rect(74.5, 80, 78, 80.4), fill=(0, 0, 0))
    page.insert_text((78, 80), "decode")
    assert read(document)[0].text == "See the chart of the bay\nasn1_decode"


@pytest.mark.parametrize(("right", "down"), [(0.3, 0.0), (1.5, 1.5)])
def test_what_is_drawn_twice_to_look_bold_is_read_once(right: float, down: float) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for times in (0, 1):
        page.insert_text((50 + right * times, 100 + down * times), "Total due 1500 euro", fontsize=14)
    page.insert_text((50, 116), "Total due 1500 euro", fontsize=14)
    assert read(document)[0].text == "Total due 1500 euro\nTotal due 1500 euro"


def test_raised_digits_stay_apart_from_those_before_them() -> None:
    document = pymupdf.open()
    page = document.new_page()
    left, pieces = (
        50.0,
        [("25 m", 0), ("2", 4), (" and 10", 0), ("-6", 4), (" in total", 0), ("3", 4), (", CO", 0), ("2", -3)],
    )
    for text, up in pieces:
        size = 7 if up else 11
        page.insert_text((left, 100 - up), text, fontsize=size)
        left += pymupdf.get_text_length(text, fontsize=size)
    assert read(document)[0].text == "25 m\u00b2 and 10\u207b\u2076 in total\u00b3, CO2"


@pytest.mark.parametrize("typed", ["P\u00e4ssw\u00f6rd", "Pa\u0308sswo\u0308rd"])
@pytest.mark.parametrize("kept", ["P\u00e4ssw\u00f6rd", "Pa\u0308sswo\u0308rd"])
def test_a_password_is_the_same_however_its_letters_are_made_up(kept: str, typed: str) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((50, 50), SENTENCE)
    data = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=kept, owner_pw="other")
    pdf = Pdf(Source("a.pdf", data=data), How(typed))
    assert pdf.page_count == 1
    pdf.close()


def test_a_filing_line_does_not_make_a_scan_read(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    scan(page)
    page.insert_text((50, 20), f"{SENTENCE} Filed on 4 May. Page 1 of 20.", fontsize=8)
    assert [found[:2] for found in outcomes(saved(document, tmp_path / "a.pdf"))] == [("needs_ocr", "no_text_layer")]


def test_lines_that_are_written_downwards_are_read_from_the_right() -> None:
    document = pymupdf.open()
    page = document.new_page()
    font, content = document.get_new_xref(), document.get_new_xref()
    descriptor = "/FontDescriptor<</Type/FontDescriptor/FontName/Ryumin-Light/Flags 6/FontBBox[0 -200 1000 900]>>"
    system = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 4>>"
    within = f"<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light{system}{descriptor}>>"
    named = "<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/UniJIS-UTF16-V"
    document.update_object(font, f"{named}/DescendantFonts[{within}]>>")
    lines = ["縦書きの一行目です", "二行目はこちらです", "三行目もあります"]
    drawn = [
        f"BT /V 14 Tf 1 0 0 1 {500 - 30 * number} 760 Tm <{line.encode('utf-16-be').hex()}> Tj ET"
        for number, line in enumerate(lines)
    ]
    document.update_object(content, "<<>>")
    document.update_stream(content, "\n".join(drawn).encode())
    document.xref_set_key(page.xref, "Contents", f"{content} 0 R")
    document.xref_set_key(page.xref, "Resources", f"<</Font<</V {font} 0 R>>>>")
    assert read(document)[0].text.split("\n") == lines
