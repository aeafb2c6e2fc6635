"""Annotations of PDF pages that are not as they should be: none of them costs the page."""

from __future__ import annotations

from typing import Any

import pymupdf
import pytest

from engine.documents.page import Page
from engine.documents.pdf import Pdf
from engine.documents.reader import How, LeftOut
from engine.documents.source import Source

TEXT = "The ferry leaves at nine."


def read(annotations: str) -> tuple[Page, list[LeftOut]]:
    """annotations: the page's list of them, as a PDF has it."""
    document: Any = pymupdf.open()
    page = document.new_page()
    page.insert_text((50, 50), TEXT)
    document.xref_set_key(page.xref, "Annots", annotations)
    pdf = Pdf(Source("a.pdf", data=document.tobytes()), How())
    try:
        (found,) = pdf.pages()
        return found, pdf.left_out
    finally:
        pdf.close()


def note(text: str) -> str:
    return f"<</Type/Annot/Subtype/Text/Rect[9 9 20 20]/Contents({text})>>"


def test_notes_that_stand_in_the_pages_list_themselves_are_read() -> None:
    found, _ = read(f"[{note('Ask Ann.')} {note('Twice.')}]")
    assert (found.outcome, found.text) == ("read", f"{TEXT}\n[Note: Ask Ann.]\n[Note: Twice.]")


@pytest.mark.parametrize(
    ("file", "name"), [("/FS(minutes.odt)", "minutes.odt"), ("", ""), ("/FS<</Type/Filespec/UF(a.odt)>>", "a.odt")]
)
def test_a_pinned_file_that_is_not_there_costs_nothing(file: str, name: str) -> None:
    pin = f"<</Type/Annot/Subtype/FileAttachment/Rect[9 9 20 20]{file}>>"
    found, left_out = read(f"[{pin}{note('Ask Ann.')}]")
    assert (found.outcome, found.text) == ("read", f"{TEXT}\n[Note: Ask Ann.]")
    assert [(part.what, part.reason) for part in left_out] == [("attachment", None)]
    assert left_out[0].name in (name, "")


def test_more_notes_than_are_read_are_named() -> None:
    found, left_out = read(f"[{''.join(note(f'Note number {number}.') for number in range(600))}]")
    assert found.text.count("[Note") == 500
    assert left_out == [LeftOut("part", "the rest of the notes on page 1", "too_slow")]


def test_a_list_that_is_broken_somewhere_costs_no_page() -> None:
    found, _ = read(f"[7 null 99999 0 R {note('Ask Ann.')}]")
    assert found.outcome == "read" and found.text.startswith(TEXT)
