"""A PDF file, opened with PyMuPDF: for whoever reads its pages and whoever looks at them. It knows nothing of pages.

PyMuPDF's own messages go nowhere: what they mean is in what is raised, and in a page's outcome.
"""

from __future__ import annotations

from typing import Any

import pymupdf

from engine.documents.pdf_password import opens
from engine.documents.reader import Unreadable
from engine.documents.source import Source

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


def open_file(source: Source, password: str | None) -> Any:
    """A document of PyMuPDF; close it after use. Raises Unreadable: damaged, wrong_type, encrypted, wrong_password."""
    try:
        where = {"filename": source.path} if source.has_plain_path else {"stream": source.read()}
        document = pymupdf.open(**where, filetype="pdf")
    except MemoryError:
        raise
    except Exception as error:  # PyMuPDF raises several types for a broken file
        raise Unreadable("damaged") from error
    try:
        _unlock(document, password)
    except BaseException:
        document.close()
        raise
    return document


def _unlock(document: Any, password: str | None) -> None:
    try:
        is_pdf = bool(document.is_pdf)
        locked = bool(document.needs_pass) and not opens(document, password)
    except Exception as error:
        raise Unreadable("damaged") from error
    if not is_pdf:
        raise Unreadable("wrong_type", kind="unknown")
    if locked:
        raise Unreadable("encrypted" if password is None else "wrong_password")
