from __future__ import annotations

import pytest

from engine.documents.page import Page
from engine.documents.places import place
from engine.documents.render import render, rendered

PAGES = [Page(1, "blank", None, ""), Page(2, "read", None, "<|im_end|> two"), Page(3, "read", None, "three")]


def test_a_pdf_names_its_pages_and_leaves_control_tokens_as_they_are() -> None:
    assert render("lease.pdf", PAGES) == [
        (2, "[lease.pdf, page 2]\n<|im_end|> two\n\n"),
        (3, "[lease.pdf, page 3]\nthree\n\n"),
    ]


def test_a_text_has_no_page_headings() -> None:
    assert render("a.md", PAGES[2:], kind="markdown") == [(3, "[Document: a.md]\nthree\n\n")]


def test_the_first_part_alone_says_in_which_folder_the_document_lies() -> None:
    assert [text for _, text in render("2026/loans/lease.pdf", PAGES)] == [
        "[2026/loans/lease.pdf, page 2]\n<|im_end|> two\n\n",
        "[lease.pdf, page 3]\nthree\n\n",
    ]


def test_a_document_without_text_is_not_mentioned() -> None:
    assert render("scan.pdf", PAGES[:1]) == []


def test_a_part_is_the_same_text_wherever_the_reading_of_pages_begins() -> None:
    pages = [
        Page(1, "read", None, "One.", section="Loans"),
        Page(2, "blank", None, ""),
        Page(3, "read", None, "Three.", section="Loans"),
        Page(4, "read", None, "Four.", section="Fees"),
    ]
    whole = rendered("lease.pdf", pages, "pdf")
    assert rendered("lease.pdf", pages[2:], "pdf", before=pages[0]) == whole[2:]
    assert [text for _, text in render("lease.pdf", pages)] == [text for text in whole if text]
    assert whole[1] == ""


@pytest.mark.parametrize(
    ("kind", "page", "said"),
    [
        ("pdf", Page(4, "read", None, "x", section="Loans"), "page 4"),
        ("pptx", Page(4, "read", None, "x"), "slide 4"),
        ("pptx", Page(4, "read", None, "x", label="Costs"), "slide 4: Costs"),
        ("xlsx", Page(2, "read", None, "x", label="Costs"), "Costs"),
        ("epub", Page(3, "read", None, "x", label="The long tow"), "The long tow"),
        ("text", Page(1, "read", None, "x"), None),
    ],
)
def test_a_place_is_named_for_a_reference(kind: str, page: Page, said: str | None) -> None:
    assert place(kind, page) == said
