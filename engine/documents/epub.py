"""A book (EPUB 2 and 3) -> its chapters in the order of its spine, each called as the table of contents calls it.
What was made out in a chapter's pictures stands at its end.

Which parts there are is `epub_package`'s; how a chapter reads is `html`'s. Nothing outside the archive is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from engine.documents.epub_package import Book, Item
from engine.documents.flow import Flow
from engine.documents.html import decode_html, web_text
from engine.documents.inner_pictures import InnerPictures
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, PartsFrom, Reader, Unreadable
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
_MOST_WAITING = 20
"""Pages without text that wait for whether there is any, while recognition takes its time."""
_SUBSET = re.compile(r"<!DOCTYPE[^\[>]*\[", re.I)


def open_epub(source: Source, how: How) -> Reader:
    """Raises Unreadable: damaged, drm_protected, unsafe_xml, too_large_unpacked."""
    package = SafeZip(source)
    try:
        book = _Book(package, how)
    except BaseException:
        package.close()
        raise
    return PartsFrom(book.pages, book.left_out, close=package.close)


class _Book:
    """left_out: names that lead out of it, and pictures that nobody had the time for."""

    def __init__(self, package: SafeZip, how: How) -> None:
        self._package, self._how, self._book = package, how, Book(package)
        self.left_out = [LeftOut("file", name) for name in package.unsafe]

    def pages(self, first: int) -> Iterator[Page]:
        """Before `first` no picture is looked at. A cover and a plate are blank beside text; in a book of pictures
        alone they need recognition. What was made out in pictures is no such text.
        """
        self.left_out[:] = [LeftOut("file", name) for name in self._package.unsafe]
        waiting: list[Page] = []
        has_text = has_any = False
        for page in self._chapters(first):
            has_text |= page.outcome == "read" and page.source == "text"
            has_any |= page.outcome == "read"
            waiting.append(page)
            if has_any or (self._how.recognition is not None and len(waiting) == _MOST_WAITING):
                yield from (_beside_text(held) if has_text else held for held in waiting)
                waiting.clear()
        yield from waiting

    def _chapters(self, first: int) -> Iterator[Page]:
        without_text: list[LeftOut] = []
        pictures = InnerPictures(self._how.recognition, without_text, first)
        section: str | None = None
        for number, item in enumerate(self._book.spine, 1):
            pictures.begin(number)
            label = self._book.labels.get(item.name or "")
            try:
                page = self._chapter(item, number, pictures)
            except Unreadable as unreadable:
                page = Page(number, "failed", unreadable.reason, "")
            self.left_out += [part for part in without_text if part.reason is not None]
            without_text.clear()
            yield replace(page, label=label or page.label, section=None if label else section)
            section = label or section

    def _chapter(self, item: Item, number: int, pictures: InnerPictures) -> Page:
        if item.name is None:
            raise Unreadable("unsafe_archive" if item.media else "damaged")
        if item.name not in self._package:
            raise Unreadable("damaged")
        flow = Flow()
        if item.media.startswith("image/") and item.media not in TEXT_TYPES:
            self._add_picture(flow, item.name, pictures)
            return pictures.page(number, flow)
        if item.media not in TEXT_TYPES:
            raise Unreadable("unsupported_type")
        html = decode_html(self._package.read(item.name))
        if html is None:
            raise Unreadable("damaged")
        if declares_entities(html):
            raise Unreadable("unsafe_xml")
        found = web_text(html, whole=True)
        flow.exact(found.text)
        for address in found.pictures:
            self._add_picture(flow, self._book.place(item.name, address), pictures)
        return pictures.page(number, flow, label=found.heading or None)

    def _add_picture(self, flow: Flow, part: str | None, pictures: InnerPictures) -> None:
        known = part if part is not None and part in self._package else None
        pictures.add(flow, part or "", known, lambda: self._package.read(part or "", kept=False))


def _beside_text(page: Page) -> Page:
    return replace(page, outcome="blank", reason=None) if page.outcome == "needs_ocr" else page


def declares_entities(text: str) -> bool:
    """Whether words of its own stand for others, which may stand for others again."""
    subset = _SUBSET.search(text)
    return subset is not None and "<!ENTITY" in text[subset.end() :]
