"""What people wrote onto a page of a PDF and it does not show: notes, comments on marked text; and files pinned to it.

What is typed into forms and text boxes is part of the page's own text.
"""

from __future__ import annotations

from typing import Any

from pymupdf import mupdf

from engine.documents.flow import one_line

MOST = 500
"""A page."""
LONGEST = 10_000
COMMENTED = frozenset(
    {
        mupdf.PDF_ANNOT_TEXT,
        mupdf.PDF_ANNOT_LINE,
        mupdf.PDF_ANNOT_SQUARE,
        mupdf.PDF_ANNOT_CIRCLE,
        mupdf.PDF_ANNOT_POLYGON,
        mupdf.PDF_ANNOT_POLY_LINE,
        mupdf.PDF_ANNOT_HIGHLIGHT,
        mupdf.PDF_ANNOT_UNDERLINE,
        mupdf.PDF_ANNOT_SQUIGGLY,
        mupdf.PDF_ANNOT_STRIKE_OUT,
        mupdf.PDF_ANNOT_STAMP,
        mupdf.PDF_ANNOT_CARET,
        mupdf.PDF_ANNOT_INK,
    }
)


def remarks(page: Any) -> tuple[list[str], list[str]]:
    """(comments, each a line "[Note by Ann: ...]"; names of files pinned to the page). page: of PyMuPDF."""
    wanted = COMMENTED | {mupdf.PDF_ANNOT_FILE_ATTACHMENT}
    found = [xref for xref, kind, _ in page.annot_xrefs() if kind in wanted][:MOST]
    notes: list[str] = []
    files: list[str] = []
    for xref in found:
        annotation = page.load_annot(xref)
        if annotation.type[0] == mupdf.PDF_ANNOT_FILE_ATTACHMENT:
            files.append(str(annotation.file_info.get("filename") or ""))
        elif text := one_line(annotation.info["content"])[:LONGEST]:
            author = one_line(annotation.info["title"])[:100]
            notes.append(f"[Note by {author}: {text}]" if author else f"[Note: {text}]")
    return list(dict.fromkeys(notes)), files
