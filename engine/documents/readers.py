"""Which module reads which kind: one table. A kind's module is imported when the first document of it is met."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from engine.documents.reader import Open

READERS = {
    "pdf": "engine.documents.pdf:open_pdf",
    "text": "engine.documents.plain:open_text",
    "markdown": "engine.documents.plain:open_text",
    "html": "engine.documents.html:open_html",
    "epub": "engine.documents.epub:open_epub",
    "docx": "engine.documents.docx:open_docx",
    "pptx": "engine.documents.pptx:open_pptx",
    "xlsx": "engine.documents.xlsx:open_xlsx",
    "odt": "engine.documents.opendocument:open_odt",
    "ods": "engine.documents.ods:open_ods",
    "odp": "engine.documents.opendocument:open_odp",
    "rtf": "engine.documents.rtf:open_rtf",
    "csv": "engine.documents.csv_rows:open_csv",
    "email": "engine.documents.email_file:open_email",
    "picture": "engine.documents.pictures:open_picture",
}


def reader_of(kind: str) -> Open:
    """What opens a document of this kind, a key of READERS."""
    module, _, name = READERS[kind].partition(":")
    return cast(Open, getattr(import_module(module), name))
