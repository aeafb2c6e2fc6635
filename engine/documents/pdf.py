"""PDF files -> pages of text, through PyMuPDF. It knows nothing of conversations or of what is done with the text.

A page without text is told apart as blank, as a picture that needs OCR, or as damaged; a font that gives no letters is
never passed on as text. PyMuPDF's own messages go nowhere: what they mean is in the page's outcome.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pymupdf

from engine.documents.layout import Line, page_text
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Reader, Unreadable
from engine.documents.source import Source

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)

TEXT_FLAGS = (
    pymupdf.TEXTFLAGS_DICT
    & ~pymupdf.TEXT_PRESERVE_IMAGES
    & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    & ~pymupdf.TEXT_USE_CID_FOR_UNKNOWN_UNICODE
    & ~pymupdf.TEXT_USE_GID_FOR_UNKNOWN_UNICODE
)
UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff]")
MOST_UNREADABLE = 0.2
# Ligatures and the shapes that Arabic letters take: the letters they stand for. Other compatibility signs (½, ²) stay.
PRESENTATION_FORMS = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefe]")
SIGNS_OF_LOSS = ("cannot load content stream", "premature end of data", "syntax error")
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
HALF_CHARACTERS = re.compile("[\ud800-\udfff]")
# A damaged file may claim any number of pages.
MOST_PAGES = 100_000
STAMP_CHARACTERS = 80
SCAN_AREA = 0.5
PICTURE_AREA = 0.02
OUTLINED_TEXT_PATHS = 50


def open_pdf(source: Source, how: How) -> Reader:
    """Raises Unreadable as Pdf."""
    return Pdf(source, how)


class Pdf:
    """An open PDF file. Raises Unreadable: damaged, wrong_type, encrypted, wrong_password. Close it after use."""

    def __init__(self, source: Source, how: How) -> None:
        self.left_out: list[LeftOut] = []
        try:
            where = {"filename": source.path} if source.path is not None else {"stream": source.data}
            self._document = pymupdf.open(**where, filetype="pdf")
        except Exception as error:  # PyMuPDF raises several types for a broken file
            raise Unreadable("damaged") from error
        try:
            self.page_count = self._checked(how.password)
        except Unreadable:
            self.close()
            raise
        except Exception as error:
            self.close()
            raise Unreadable("damaged") from error

    def _checked(self, password: str | None) -> int:
        """Physical pages, as the file claims."""
        if not self._document.is_pdf:
            raise Unreadable("wrong_type", kind="unknown")
        if self._document.needs_pass and not (password is not None and self._document.authenticate(password)):
            raise Unreadable("encrypted" if password is None else "wrong_password")
        pages = int(self._document.page_count)
        if not 0 < pages <= MOST_PAGES:
            raise Unreadable("damaged")
        return pages

    def pages(self, first: int = 1) -> Iterator[Page]:
        """From that page on, in order; one that fails does not end the others."""
        for index in range(first - 1, self.page_count):
            try:
                yield self._page(index)
            except Exception:  # PyMuPDF raises several types; the page is named with what became of it
                yield Page(index + 1, "failed", "damaged", "")

    def close(self) -> None:
        """Lets go of the file."""
        self._document.close()

    def _page(self, index: int) -> Page:
        pymupdf.TOOLS.reset_mupdf_warnings()
        page = self._document[index]
        text = _readable(page_text(_lines(page)))
        letters = re.sub(r"\s", "", text)
        if len(UNREADABLE.findall(letters)) > MOST_UNREADABLE * max(1, len(letters)):
            return Page(index + 1, "needs_ocr", "unreadable_font", "")
        lost = self._is_lost(page)
        drawn = _Drawn(page) if len(letters) < STAMP_CHARACTERS else None
        if text and (drawn is None or drawn.hidden_text or drawn.pictures < SCAN_AREA):
            return Page(index + 1, "read", "damaged" if lost and self._document.is_repaired else None, text)
        if drawn is not None and (drawn.pictures >= PICTURE_AREA or drawn.paths >= OUTLINED_TEXT_PATHS):
            return Page(index + 1, "needs_ocr", "no_text_layer", text)
        return Page(index + 1, "failed", "damaged", "") if lost else Page(index + 1, "blank", None, "")

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


class _Drawn:
    """What a page shows: pictures as a share of its area, paths counted, and whether it has invisible text."""

    def __init__(self, page: Any) -> None:
        self.pictures, self.paths, self.hidden_text = 0.0, 0, False
        area = abs(page.rect.width * page.rect.height) or 1.0
        for kind, box in page.get_bboxlog():
            if kind in ("fill-image", "fill-imgmask"):
                shown = pymupdf.Rect(box) & page.rect
                self.pictures += 0.0 if shown.is_empty else shown.width * shown.height / area
            elif kind in ("fill-path", "stroke-path"):
                self.paths += 1
            elif kind == "ignore-text":
                self.hidden_text = True


def _lines(page: Any) -> list[Line]:
    found: list[Line] = []
    for block in page.get_text("dict", flags=TEXT_FLAGS)["blocks"]:
        for line in block.get("lines", ()):
            text = "".join(span["text"] for span in line["spans"])
            if text.strip():
                left, top, right, bottom = line["bbox"]
                found.append(Line(text, left, top, right, bottom, horizontal=line["dir"][0] > 0.99))
    return found


def _readable(text: str) -> str:
    text = PRESENTATION_FORMS.sub(lambda form: unicodedata.normalize("NFKC", form[0]), text.replace("\uf0b7", "\u2022"))
    text = HALF_CHARACTERS.sub("\ufffd", CONTROLS.sub("", text))
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
