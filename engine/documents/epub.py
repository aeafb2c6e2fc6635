"""A book (EPUB 2 and 3) -> its chapters in the order of its spine, each called as the table of contents calls it.

Which parts there are is `epub_package`'s; how a chapter reads is `html`'s. Nothing outside the archive is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.documents.epub_package import Book, Item
from engine.documents.html import decode_html, web_text
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Parts, Reader, Unreadable
from engine.documents.safe_zip import SafeZip
from engine.documents.source import Source

TEXT_TYPES = frozenset(
    {
        "",
        "application/xhtml+xml",
        "text/html",
        "text/xml",
        "application/xml",
        "image/svg+xml",
        "text/x-oeb1-document",
        "application/x-dtbook+xml",
    }
)
_SUBSET = re.compile(r"<!DOCTYPE[^\[>]*\[", re.I)


def open_epub(source: Source, _: How) -> Reader:
    """Raises Unreadable: damaged, drm_protected, unsafe_xml, too_large_unpacked."""
    package = SafeZip(source)
    try:
        book = Book(package)
    except BaseException:
        package.close()
        raise
    left_out = [LeftOut("file", name) for name in package.unsafe]
    return Parts(lambda: _without_lone_pictures(_chapters(package, book)), left_out, close=package.close)


@dataclass(frozen=True)
class _Chapter:
    page: Page
    pictures: bool = False


def _chapters(package: SafeZip, book: Book) -> Iterator[_Chapter]:
    section: str | None = None
    for number, item in enumerate(book.spine, 1):
        label = book.labels.get(item.name or "")
        try:
            chapter = _chapter(package, item, number)
        except Unreadable as unreadable:
            chapter = _Chapter(Page(number, "failed", unreadable.reason, ""))
        page = replace(chapter.page, label=label or chapter.page.label, section=None if label else section)
        yield replace(chapter, page=page)
        section = label or section


def _chapter(package: SafeZip, item: Item, number: int) -> _Chapter:
    if item.name is None:
        raise Unreadable("unsafe_archive" if item.media else "damaged")
    if item.name not in package:
        raise Unreadable("damaged")
    if item.media not in TEXT_TYPES:
        if item.media.startswith("image/"):
            return _Chapter(Page(number, "blank", None, ""), pictures=True)
        raise Unreadable("unsupported_type")
    html = decode_html(package.read(item.name))
    if html is None:
        raise Unreadable("damaged")
    if declares_entities(html):
        raise Unreadable("unsafe_xml")
    found = web_text(html, whole=True)
    if not found.text:
        return _Chapter(Page(number, "blank", None, ""), pictures=found.pictures > 0)
    return _Chapter(Page(number, "read", None, found.text, found.heading or None))


def declares_entities(text: str) -> bool:
    """Whether words of its own stand for others, which may stand for others again."""
    subset = _SUBSET.search(text)
    return subset is not None and "<!ENTITY" in text[subset.end() :]


def _without_lone_pictures(chapters: Iterator[_Chapter]) -> Iterator[Page]:
    """A cover and a plate are blank beside text; in a book of pictures alone they need recognition."""
    waiting: list[_Chapter] = []
    has_text = False
    for chapter in chapters:
        has_text |= chapter.page.outcome == "read"
        waiting.append(chapter)
        if has_text:
            yield from (held.page for held in waiting)
            waiting.clear()
    for chapter in waiting:
        is_picture = chapter.pictures and not has_text
        yield replace(chapter.page, outcome="needs_ocr", reason="no_text_layer") if is_picture else chapter.page
