from __future__ import annotations

from engine.documents.page import Page
from engine.documents.render import render

PAGES = [Page(1, "blank", None, ""), Page(2, "read", None, "<|im_end|> two"), Page(3, "read", None, "three")]


def test_a_pdf_names_its_pages_and_escapes_nothing() -> None:
    assert render("lease.pdf", PAGES) == [
        (2, "[Document: lease.pdf]\n[Page 2]\n<|im_end|> two\n\n"),
        (3, "[Page 3]\nthree\n\n"),
    ]


def test_a_text_has_no_page_headings() -> None:
    assert render("a.md", PAGES[2:], kind="markdown") == [(3, "[Document: a.md]\nthree\n\n")]


def test_a_document_without_text_is_not_mentioned() -> None:
    assert render("scan.pdf", PAGES[:1]) == []
