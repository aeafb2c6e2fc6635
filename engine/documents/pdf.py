"""PDF files -> pages of text, through PyMuPDF. It knows nothing of conversations or of what is done with the text.

A page without text is told apart as blank, as a picture of text, which is recognised where it may be, or as damaged; a
font that gives no letters is never passed on as text. Scripts, layers that are not shown and the addresses behind links
are no text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import pymupdf

from engine.documents.characters import is_unreadable, readable
from engine.documents.drawn import Drawn
from engine.documents.form_fields import beside_labels, fields, with_boxes
from engine.documents.layout import page_text
from engine.documents.limits import MIB, MOST_ATTACHMENTS
from engine.documents.ocr.plausible import is_plausible
from engine.documents.outline import Sections
from engine.documents.page import Page
from engine.documents.page_pictures import PagePictures
from engine.documents.pdf_file import open_file
from engine.documents.pdf_lines import PageLines, page_lines
from engine.documents.reader import How, LeftOut, Reader, Unreadable
from engine.documents.remarks import remarks
from engine.documents.running_heads import EDGE, PAGES_BEFORE, RunningHeads
from engine.documents.source import Source
from engine.documents.tables import with_rows

SIGNS_OF_LOSS = ("cannot load content stream", "premature end of data", "syntax error")
# A damaged file may claim any number of pages.
MOST_PAGES = 100_000
# A page with so few letters may be a picture with a stamp on it; with so few, at its edges alone, one that was filed.
STAMP_CHARACTERS, EDGE_CHARACTERS = 80, 300
# MuPDF keeps what it has loaded of a file, pictures too that nobody looks at, up to 256 MB. All of it goes whenever so
# many bytes' worth of pages were read.
MOST_KEPT, ALL = 2 * MIB, 100
XFA_FORM = "the form, which only Adobe Reader shows (XFA)"


def open_pdf(source: Source, how: How) -> Reader:
    """Raises Unreadable as Pdf."""
    return Pdf(source, how)


class Pdf:
    """An open PDF file. Raises Unreadable: damaged, wrong_type, encrypted, wrong_password. Close it after use."""

    def __init__(self, source: Source, how: How) -> None:
        self.left_out: list[LeftOut] = []
        self._how, self._size = how, source.size
        self._document = open_file(source, how.password)
        try:
            self.page_count = self._pages()
        except BaseException:
            self.close()
            raise

    def _pages(self) -> int:
        """How many there are, as the file claims."""
        try:
            pages = int(self._document.page_count)
        except Exception as error:  # PyMuPDF raises several types for a broken file
            raise Unreadable("damaged") from error
        if not 0 < pages <= MOST_PAGES:
            raise Unreadable("damaged")
        return pages

    def pages(self, first: int = 1, lost: Collection[int] = ()) -> Iterator[Page]:
        """From that page on, in order, and the few before with which running heads are compared; one that fails does
        not end the others. lost: those before that are not touched.
        """
        self.left_out[:] = _attached(self._document)
        self._heads, self._sections = RunningHeads(), _sections(self._document)
        self._pictures = PagePictures(self._document, self._how.recognition, self.left_out, first)
        often = max(1, MOST_KEPT * self.page_count // max(1, self._size))
        for number in range(1, self.page_count + 1):
            if number in lost:
                continue
            if number % often == 0:
                pymupdf.TOOLS.store_shrink(ALL)
            try:
                if number >= first - PAGES_BEFORE:
                    yield self._page(number)
                else:
                    self._look_back(number)
            except MemoryError:
                raise
            except Exception:  # PyMuPDF raises several types; the page is named with what became of it
                yield Page(number, "failed", "damaged", "")

    def close(self) -> None:
        """Lets go of the file."""
        self._document.close()

    def _look_back(self, number: int) -> None:
        """What pages far behind it tell of those that are read."""
        page = self._document[number - 1]
        self._remarks(page)
        self._pictures.pass_over(page)
        if self._sections is not None and self._sections.learns_from(number):
            self._sections.of(page, number, page_lines(page).lines)

    def _page(self, number: int) -> Page:
        pymupdf.TOOLS.reset_mupdf_warnings()
        page = self._document[number - 1]
        content = page_lines(page)
        lost = self._is_lost(page)
        notes = self._remarks(page)
        found = self._read(page, number, content, lost)
        if found.outcome != "read" or found.source == "ocr":
            self._pictures.pass_over(page)
        if found.outcome != "failed" and notes:
            found = _with_notes(found, notes)
        return found

    def _remarks(self, page: Any) -> list[str]:
        """The notes on a page; the files pinned to it are left out."""
        notes, files, more = remarks(page)
        self.left_out += [LeftOut("attachment", name) for name in files]
        if more:
            self.left_out.append(LeftOut("part", f"the rest of the notes on page {page.number + 1}", "too_slow"))
        return notes

    def _read(self, page: Any, number: int, content: PageLines, lost: bool) -> Page:
        filled = fields(page)
        lines, typed = with_boxes(content.lines, filled) if filled else (content.lines, [])
        lines = beside_labels(with_rows(lines, content.shapes, content.words), typed)
        lines = self._heads.without(lines, content.height, number)
        text = readable(page_text(lines))
        section = self._sections.of(page, number, content.lines) if self._sections else None
        if is_unreadable(text):
            return self._recognised(page, Page(number, "needs_ocr", "unreadable_font", "", section=section))
        letters = len(re.sub(r"\s", "", text))
        drawn = Drawn(page) if self._may_be_a_picture(page, text, letters, content) else None
        read = Page(number, "read", "damaged" if lost and self._document.is_repaired else None, text, section=section)
        if text and drawn is not None and drawn.hidden_text and drawn.is_scan and self._is_noise(page, text):
            better = self._recognised(page, Page(number, "needs_ocr", "no_text_layer", "", section=section))
            return better if better.outcome == "read" else read
        if text and (drawn is None or drawn.hidden_text or not drawn.is_scan):
            found = [content.placed(line) for line in self._pictures.of(page, number)]
            return replace(read, text=readable(page_text(lines, found))) if found else read
        if drawn is not None and drawn.may_show_text:
            return self._recognised(page, Page(number, "needs_ocr", "no_text_layer", text, section=section))
        return Page(number, "failed", "damaged", "") if lost else Page(number, "blank", None, "")

    def _may_be_a_picture(self, page: Any, text: str, letters: int, content: PageLines) -> bool:
        """Whether the page has to be looked at: its text may be less than what it shows, or noise under a scan."""
        if letters < STAMP_CHARACTERS or self._is_noise(page, text):
            return True
        top, foot = EDGE * content.height, (1 - EDGE) * content.height
        return letters < EDGE_CHARACTERS and all(line.bottom <= top or line.top >= foot for line in content.lines)

    def _is_noise(self, page: Any, text: str) -> bool:
        """Whether the text may be what a bad recognition left of a picture; asked only where there is a better one."""
        return self._how.recognition is not None and bool(page.get_images()) and not is_plausible(text)

    def _recognised(self, page: Any, unread: Page) -> Page:
        """The page with the text in its picture, as far as it may be recognised; `unread` without."""
        if self._how.recognition is None:
            return unread
        from engine.documents.ocr.pdf_page import recognised

        found = recognised(page, unread, self._how.recognition, self._heads)
        pymupdf.TOOLS.store_shrink(ALL)  # the page's picture, unpacked
        return found

    def _is_lost(self, page: Any) -> bool:
        """Whether content of the page just read is missing. MuPDF raises nothing then, but it leaves warnings."""
        warnings = pymupdf.TOOLS.mupdf_warnings(reset=True)
        if page.xref >= self._document.xref_length() or any(sign in warnings for sign in SIGNS_OF_LOSS):
            return True
        return any(self._is_missing(stream) for stream in page.get_contents())

    def _is_missing(self, stream: int) -> bool:
        """Whether nothing is left of a piece of content; in a whole file an empty one is as it should be."""
        if stream >= self._document.xref_length() or not self._document.xref_is_stream(stream):
            return True
        return bool(self._document.is_repaired and self._document.xref_stream(stream) == b"")


def _sections(document: Any) -> Sections | None:
    try:
        return Sections(document)
    except Exception:  # a broken outline costs no page
        return None


def _attached(document: Any) -> list[LeftOut]:
    """What lies in the file besides its pages."""
    try:
        names = [str(document.embfile_info(number)["filename"]) for number in range(document.embfile_count())]
        catalog = document.pdf_catalog()
        only_attachments = document.xref_get_key(catalog, "Collection")[0] != "null"
        is_xfa = document.xref_get_key(catalog, "NeedsRendering")[1] == "true"
    except Exception:
        return []
    reason = "unsupported_type" if only_attachments else None
    left_out = [LeftOut("attachment", name, reason) for name in names[:MOST_ATTACHMENTS]]
    return [*left_out, LeftOut("part", XFA_FORM, "unsupported_type")] if is_xfa else left_out


def _with_notes(page: Page, notes: list[str]) -> Page:
    """With what people wrote onto it at its end; a page that had nothing else has that."""
    outcome = "read" if page.outcome == "blank" else page.outcome
    text = "\n".join([page.text, *notes] if page.text else notes)
    return Page(page.number, outcome, page.reason, text, page.label, page.section, page.source)
