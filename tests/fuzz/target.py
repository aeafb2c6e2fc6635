"""What is fuzzed: any bytes under a name of some kind -> pages or Unreadable, and nothing else.

It needs no fuzzer: the replay test calls it, and so does `python -m tests.fuzz`.
"""

from __future__ import annotations

from engine.documents.judge import judge
from engine.documents.markers import told_apart
from engine.documents.opening import open_document
from engine.documents.page import Page
from engine.documents.reader import How, Unreadable
from engine.documents.readers import READERS
from engine.documents.reasons import SENTENCES
from engine.documents.render import render
from engine.documents.source import Source

ENDINGS = {
    "text": "txt",
    "markdown": "md",
    "html": "html",
    "csv": "csv",
    "email": "eml",
    "epub": "epub",
    "docx": "docx",
    "pptx": "pptx",
    "xlsx": "xlsx",
    "odt": "odt",
    "ods": "ods",
    "odp": "odp",
    "rtf": "rtf",
    "pdf": "pdf",
    "picture": "png",
}
KINDS = tuple(READERS)
OUTCOMES = {"read", "blank", "needs_ocr", "failed"}


def try_bytes(kind: str, data: bytes) -> None:
    """Raises AssertionError, or whatever a reader should not raise."""
    source = Source(f"a.{ENDINGS[kind]}", data=data)
    try:
        found, reader = open_document(source, How())
    except Unreadable as unreadable:
        assert unreadable.reason in SENTENCES
        return
    try:
        pages = list(reader.pages())
    except Unreadable as unreadable:
        assert unreadable.reason in SENTENCES
        return
    finally:
        reader.close()
    check_pages(found, pages)
    assert all(part.reason is None or part.reason in SENTENCES for part in reader.left_out)
    assert judge(found, "", pages, reader.page_count, reader.left_out).outcome in (
        "read",
        "partial",
        "needs_ocr",
        "refused",
    )


def check_pages(kind: str, pages: list[Page]) -> None:
    """Every page has a number, an outcome, and text that a model, a store and a wire can take."""
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        assert page.outcome in OUTCOMES and (page.reason is None or page.reason in SENTENCES)
        assert bool(page.text) == (page.outcome == "read")
        for text in (page.text, page.label or "", page.section or ""):
            assert "\0" not in text and text.encode() is not None
    rendered = render("a", pages, kind)
    assert [number for number, _ in rendered] == [page.number for page in pages if page.text]
    with_text = [told_apart(page.text) for page in pages if page.text]
    assert all(told in text for told, (_, text) in zip(with_text, rendered, strict=True))
