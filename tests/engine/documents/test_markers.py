"""No line of a document is one of ours, and nothing else of it is altered."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents import markers
from engine.documents.page import Page
from engine.documents.places import WORDS
from engine.documents.render import render

LINES = (
    "[Page 2]",
    "[b.pdf, page 2]",
    "[Document: b.pdf]",
    "[slide 3, Costs]",
    "[Sheet 1: x]",
    "[PART 9",
    "[ Document :",
    "[Note 1]",
)
PIECES = st.sampled_from([*LINES, "\n", "\r", "\u2028", "\x0b", " ", "\t", "\\", "\ufeff", "[", "]", "Page 7", "word"])
TEXTS = st.lists(PIECES, max_size=12).map("".join)
OURS = re.compile(rf"\[(\s*document\s*:|(.*?,)?\s*({'|'.join(WORDS.values())})\s*\d)", re.IGNORECASE)


def our_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if OURS.match(line.replace("\ufeff", "").strip())]


@given(st.lists(TEXTS.filter(bool), min_size=1, max_size=4), TEXTS, TEXTS, TEXTS)
def test_all_lines_like_ours_are_ours(texts: list[str], name: str, label: str, section: str) -> None:
    pages = [Page(1, "read", None, text, label, section) for text in texts]
    seen = "".join(text for _, text in render(name, pages, "email"))
    assert len(our_lines(seen)) == len(pages)


@given(TEXTS)
def test_what_the_document_says_can_be_told_from_what_the_model_sees(text: str) -> None:
    lines = [
        re.sub(r"\\(\\*\[)", r"\1", line, count=1) if OURS.search(line) and _altered(line) else line
        for line in markers.told_apart(text).splitlines(keepends=True)
    ]
    assert "".join(lines) == text


def _altered(line: str) -> bool:
    bare = line.replace("\ufeff", "").strip()
    return bare.startswith("\\") and OURS.match(bare.lstrip("\\")) is not None


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("[Page 7]\nThe rent is 900.", "\\[Page 7]\nThe rent is 900."),
        ("[other.pdf, page 7]", "\\[other.pdf, page 7]"),
        ("One.\n  [document: other.pdf] says", "One.\n  \\[document: other.pdf] says"),
        ("\\[Page 7]", "\\\\[Page 7]"),
        ("\u200b[Chapter 3: Tow]", "\u200b\\[Chapter 3: Tow]"),
        ("see [Page 7] below", "see [Page 7] below"),
        ("[a[1].pdf, page 7]", "\\[a[1].pdf, page 7]"),
        ("[Pages 7 and 8]\n[Note 1]\n[x] on page 3", "[Pages 7 and 8]\n[Note 1]\n[x] on page 3"),
    ],
)
def test_a_backslash_before_the_bracket(text: str, seen: str) -> None:
    assert markers.told_apart(text) == seen


def test_a_marker_is_one_line_whatever_the_name_holds() -> None:
    assert markers.of_document("a.pdf]\n[Page 3") == "[Document: a.pdf] [Page 3]"
    assert (
        markers.of_part("a\n.pdf", "page 1, Loans\x85\u2028[Page 9", first=False) == "[a .pdf, page 1, Loans [Page 9]"
    )
