"""A page of a PDF, or a frame of a picture, as a picture to look at. It reads no text and keeps nothing."""

from __future__ import annotations

from io import BytesIO

import pymupdf
from PIL import Image

from engine.documents.kinds import kind_of
from engine.documents.pdf_file import open_file
from engine.documents.pictures import frame, frame_count, opened
from engine.documents.reader import Unreadable
from engine.documents.source import Source

LEAST_WIDTH, MOST_WIDTH = 16, 4000
LARGEST = 16_000_000
"""Pixels of what is given, whatever the page's form."""


def page_image(source: Source, number: int, width: int, password: str | None = None) -> bytes:
    """PNG of page `number`, from 1, about `width` pixels wide. Raises Unreadable: unsupported_type for documents that
    have no pages to look at, damaged, encrypted, wrong_password, too_large_unpacked; IndexError where there is no such
    page; OSError.
    """
    width = max(LEAST_WIDTH, min(width, MOST_WIDTH))
    kind = kind_of(source.name, source.head).kind
    if kind == "pdf":
        return _of_pdf(source, number, width, password)
    if kind == "picture":
        return _of_picture(source, number, width)
    raise Unreadable("unsupported_type", kind=kind)


def _of_pdf(source: Source, number: int, width: int, password: str | None) -> bytes:
    with open_file(source, password) as document:
        if not 1 <= number <= document.page_count:
            raise IndexError(number)
        try:
            page = document[number - 1]
            zoom = _zoom(page.rect.width, page.rect.height, width)
            png: bytes = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False).tobytes("png")
        except MemoryError:
            raise
        except Exception as error:  # PyMuPDF raises several types for a broken file
            raise Unreadable("damaged") from error
    return png


def _of_picture(source: Source, number: int, width: int) -> bytes:
    with source.open() as file:
        picture = opened(file)
        if not 1 <= number <= frame_count(picture):
            raise IndexError(number)
        shown = frame(picture, number)
    zoom = min(1.0, _zoom(shown.width, shown.height, width))
    size = max(1, round(shown.width * zoom)), max(1, round(shown.height * zoom))
    written = BytesIO()
    shown.resize(size, Image.Resampling.LANCZOS).save(written, "PNG")
    return written.getvalue()


def _zoom(width: float, height: float, wanted: int) -> float:
    """So that the page is as wide as wanted, unless it is so long that this would be too large."""
    area = max(1.0, width * height)
    return float(min(wanted / max(1.0, width), (LARGEST / area) ** 0.5))
