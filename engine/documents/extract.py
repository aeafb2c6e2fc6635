"""One file -> its pages of text and what became of it. Never raises for what is in a file: the outcome says it.

It decides nothing about conversations; files are found by `find`.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable
from pathlib import Path

from engine.documents.judge import Extracted, judge, unread
from engine.documents.opening import open_document
from engine.documents.page import Page
from engine.documents.reader import How, Recognition, Unreadable
from engine.documents.source import file_source
from engine.errors import UserError

__all__ = ["EXTRACTOR", "Extracted", "extract", "file_sha256"]

# Raised whenever the same file would give other pages, so that stored pages are made again.
EXTRACTOR = 2
BLOCK = 2**20

OnPage = Callable[[Page, int | None], None]


def extract(
    path: Path,
    on_page: OnPage | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    password: str | None = None,
    recognition: Recognition | None = None,
) -> Extracted:
    """Reads a file. `on_page(page, pages in all or None)` is called for each page as it comes.

    `cancelled` is asked between pages; raises UserError("cancelled") once it is true. recognition: None: pictures of
    text are not recognised.
    """
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return _extracted(path, on_page, cancelled, How(password, recognition))
        return unread("unknown", None, "special_file")
    except PermissionError:
        return unread("unknown", None, "no_permission")
    except FileNotFoundError:
        return unread("unknown", None, "no_such_file")
    except OSError:
        return unread("unknown", None, "disk_error")


def file_sha256(path: Path, cancelled: Callable[[], bool] = lambda: False) -> str:
    """Of the file's bytes. Raises OSError, and UserError("cancelled") as `extract`."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            _check(cancelled)
            digest.update(block)
    return digest.hexdigest()


def _extracted(path: Path, on_page: OnPage | None, cancelled: Callable[[], bool], how: How) -> Extracted:
    sha256 = file_sha256(path, cancelled)
    pages: list[Page] = []
    try:
        kind, reader = open_document(file_source(path), how)
    except Unreadable as unreadable:
        return unread(unreadable.kind or "unknown", sha256, unreadable.reason, unreadable.message)
    try:
        for page in reader.pages():
            _check(cancelled)
            pages.append(page)
            if on_page is not None:
                on_page(page, reader.page_count)
    except Unreadable as unreadable:
        return unread(unreadable.kind or kind, sha256, unreadable.reason, unreadable.message)
    finally:
        reader.close()
    return judge(kind, sha256, pages, reader.page_count, reader.left_out)


def _check(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise UserError("cancelled", "Stopped. What was read so far is kept.")
