"""What people wrote onto a page of a PDF and it does not show: notes, comments on marked text; and files pinned to it.

What is typed into forms and text boxes is part of the page's own text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from pymupdf import mupdf

from engine.documents.flow import one_line

MOST = 500
"""On a page, comments and files."""
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


def remarks(page: Any) -> tuple[list[str], list[str], bool]:
    """(comments, each a line "[Note by Ann: ...]"; names of files pinned to the page; whether there are more than MOST
    of both). page: of PyMuPDF. An annotation that cannot be read is passed over.
    """
    found = list(islice(_annotations(page), MOST + 1))
    notes: list[str] = []
    files: list[str] = []
    for kind, annotation in found[:MOST]:
        try:
            if kind == mupdf.PDF_ANNOT_FILE_ATTACHMENT:
                files.append(_name(page, annotation))
            elif text := one_line(annotation.info["content"])[:LONGEST]:
                author = one_line(annotation.info["title"])[:100]
                notes.append(f"[Note by {author}: {text}]" if author else f"[Note: {text}]")
        except Exception:  # PyMuPDF raises several types; the page is not to be lost with one of them
            continue
    return list(dict.fromkeys(notes)), files, len(found) > MOST


def _annotations(page: Any) -> Iterator[tuple[int, Any]]:
    """(kind, annotation) of those that are looked at, one after the other: not all have a number to be loaded by."""
    try:
        annotation = page.first_annot
        while annotation is not None:
            kind = annotation.type[0]
            if kind in COMMENTED or kind == mupdf.PDF_ANNOT_FILE_ATTACHMENT:
                yield kind, annotation
            annotation = annotation.next
    except Exception:  # a list that is broken somewhere ends there
        return


def _name(page: Any, annotation: Any) -> str:
    """Of a pinned file; the standard allows that it is named and no more."""
    try:
        return str(annotation.file_info.get("filename") or "")
    except Exception:
        kind, name = page.parent.xref_get_key(annotation.xref, "FS") if annotation.xref else ("null", "")
        return str(name) if kind == "string" else ""
