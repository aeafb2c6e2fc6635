from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents import events
from engine.documents.markers import told_apart
from engine.documents.page import Page
from engine.documents.places import WORDS, heading
from engine.documents.reader import How, Parts
from engine.documents.render import render
from engine.documents.source import Source

KINDS = st.sampled_from([*WORDS, "text", "html", "docx"])
LINES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1, max_size=12)
TEXTS = st.one_of(
    st.just(""), st.text(max_size=30), st.sampled_from(["[Page 2]\n", "[Document: b]", "\n\n", "<|im_end|>"])
)


@st.composite
def documents(draw: st.DrawFn) -> list[Page]:
    pages = []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        text, label, section = draw(TEXTS), draw(st.none() | LINES), draw(st.none() | LINES)
        pages.append(Page(number, "read" if text else "blank", None, text, label, section))
    return pages


@given(documents(), KINDS, LINES)
def test_every_text_stands_once_in_order(pages: list[Page], kind: str, name: str) -> None:
    with_text = [page for page in pages if page.text]
    segments = render(name, pages, kind)
    assert [number for number, _ in segments] == [page.number for page in with_text]
    for page, (_, segment) in zip(with_text, segments, strict=True):
        assert segment.endswith(f"{told_apart(page.text)}\n\n")


@given(documents(), KINDS, LINES)
def test_markers_stand_before_the_text_and_never_in_it(pages: list[Page], kind: str, name: str) -> None:
    with_text = [page for page in pages if page.text]
    before: Page | None = None
    for page, (_, segment) in zip(with_text, render(name, pages, kind), strict=True):
        markers = segment.removesuffix(f"{told_apart(page.text)}\n\n")
        above = heading(kind, page, before)
        called = name if before is None else name.rpartition("/")[2]
        expected = f"[{called}, {above}]\n" if above else f"[Document: {name}]\n" if before is None else ""
        assert markers == expected
        assert above is None or ("\n" not in above and str(page.number) in above)
        before = page


@given(documents(), KINDS)
def test_a_section_is_named_where_it_begins(pages: list[Page], kind: str) -> None:
    before: Page | None = None
    for page in pages:
        above = heading(kind, page, before)
        if above is not None and page.label is None:
            begins = page.section is not None and (before is None or before.section != page.section)
            assert (above != f"{WORDS[kind]} {page.number}") == begins
        before = page


@given(documents(), st.integers(1, 10))
def test_reading_may_begin_at_any_part(pages: list[Page], first: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events, "open_document", lambda source, how: ("csv", Parts(lambda: iter(pages))))
        told = list(events.read_here(Source("a.csv"), How(), first))
    assert [event.page for event in told if isinstance(event, events.GotPage)] == pages[first - 1 :]
    looked_back = min(first - 1, len(pages))
    assert told[: 1 + looked_back] == [events.Opened("csv", None)] * (1 + looked_back)
