"""One file -> its pages of text and what became of it. Never raises for what is in a file: the outcome says it.

It decides nothing about conversations; files are found by `find`. PyMuPDF is imported when the first PDF is met.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.documents import text as plain_text
from engine.documents.kinds import HEAD_BYTES, Kind, kind_of
from engine.documents.page import Page
from engine.documents.reasons import SENTENCES, pages_sentence
from engine.errors import UserError

# Raised whenever the same file would give other pages, so that stored pages are made again.
EXTRACTOR = 1
LARGEST_TEXT = 64 * 2**20
BLOCK = 2**20

OnPage = Callable[[Page, int | None], None]


@dataclass(frozen=True)
class Extracted:
    """What became of a file.

    kind: "pdf", "text", "markdown", "unknown". outcome: "read", "partial", "needs_password", "needs_ocr", "refused".
    reason: a code of `reasons`, or None; message: the same as a sentence. sha256: of the file; None if it could not be
    read at all. page_count: physical pages, or None where the kind has none (its text is then page 1).
    """

    kind: str
    sha256: str | None
    outcome: str
    reason: str | None = None
    message: str | None = None
    page_count: int | None = None
    pages: tuple[Page, ...] = ()

    @property
    def pages_read(self) -> int:
        """How many pages gave text."""
        return sum(page.outcome == "read" for page in self.pages)


def extract(
    path: Path,
    on_page: OnPage | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    password: str | None = None,
) -> Extracted:
    """Reads a file. `on_page(page, pages in all or None)` is called for each page as it comes.

    `cancelled` is asked between pages; raises UserError("cancelled") once it is true.
    """
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return _by_kind(path, on_page, cancelled, password)
        return _refused("unknown", None, "special_file")
    except PermissionError:
        return _refused("unknown", None, "no_permission")
    except FileNotFoundError:
        return _refused("unknown", None, "no_such_file")
    except OSError:
        return _refused("unknown", None, "disk_error")


def _by_kind(path: Path, on_page: OnPage | None, cancelled: Callable[[], bool], password: str | None) -> Extracted:
    sha256, head = _sha256_and_head(path, cancelled)
    kind = kind_of(path.name, head)
    if kind.reason is not None:
        return Extracted(kind.kind, sha256, "refused", kind.reason, kind.message)
    if kind.kind == "pdf":
        return _pdf(path, sha256, on_page, cancelled, password)
    return _text(path, sha256, kind, on_page)


def file_sha256(path: Path, cancelled: Callable[[], bool] = lambda: False) -> str:
    """Of the file's bytes. Raises OSError, and UserError("cancelled") as `extract`."""
    return _sha256_and_head(path, cancelled)[0]


def _sha256_and_head(path: Path, cancelled: Callable[[], bool]) -> tuple[str, bytes]:
    digest = hashlib.sha256()
    head = b""
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            _check(cancelled)
            head = head or block[:HEAD_BYTES]
            digest.update(block)
    return digest.hexdigest(), head


def _text(path: Path, sha256: str, kind: Kind, on_page: OnPage | None) -> Extracted:
    if path.stat().st_size > LARGEST_TEXT:
        return _refused(kind.kind, sha256, "too_large")
    decoded = plain_text.decode(path.read_bytes())
    if decoded is None:
        return _refused("unknown", sha256, "binary")
    if not decoded.strip():
        return _refused(kind.kind, sha256, "no_text")
    page = Page(1, "read", None, decoded)
    if on_page is not None:
        on_page(page, None)
    return Extracted(kind.kind, sha256, "read", pages=(page,))


def _pdf(
    path: Path, sha256: str, on_page: OnPage | None, cancelled: Callable[[], bool], password: str | None
) -> Extracted:
    from engine.documents.pdf import Pdf, PdfError

    try:
        pdf = Pdf(path, password)
    except PdfError as error:
        needs_password = error.reason in ("encrypted", "wrong_password")
        refused = _refused("unknown" if error.reason == "wrong_type" else "pdf", sha256, error.reason)
        return replace(refused, outcome="needs_password") if needs_password else refused
    pages: list[Page] = []
    try:
        for page in _until_cancelled(pdf.pages(), cancelled):
            pages.append(page)
            if on_page is not None:
                on_page(page, pdf.page_count)
    finally:
        pdf.close()
    return judge(sha256, tuple(pages))


def judge(sha256: str, pages: tuple[Page, ...]) -> Extracted:
    """What became of a PDF, from what became of its pages."""
    read, pictures, lost = (_of(pages, "read"), _of(pages, "needs_ocr"), _of(pages, "failed"))
    lost += [page for page in read if page.reason is not None]
    outcome, reason, message = "read", None, None
    if read and (lost or pictures):
        outcome, reason = "partial", "damaged" if lost else "some_pages_need_ocr"
        message = _sentences(lost, pictures)
    elif pictures:
        fonts = all(page.reason == "unreadable_font" for page in pictures)
        outcome, reason = "needs_ocr", "unreadable_font" if fonts else "no_text_layer"
        message = SENTENCES[reason]
    elif not read:
        outcome, reason = "refused", "damaged" if lost else "no_text"
        message = SENTENCES[reason]
    return Extracted("pdf", sha256, outcome, reason, message, len(pages), pages)


def _of(pages: tuple[Page, ...], outcome: str) -> list[Page]:
    return [page for page in pages if page.outcome == outcome]


def _sentences(*groups: list[Page]) -> str:
    reasons: dict[str, list[int]] = {}
    for page in sorted((page for group in groups for page in group), key=lambda page: page.number):
        reasons.setdefault(page.reason or "damaged", []).append(page.number)
    return " ".join(pages_sentence(reason, numbers) for reason, numbers in reasons.items())


def _until_cancelled(pages: Iterator[Page], cancelled: Callable[[], bool]) -> Iterator[Page]:
    for page in pages:
        _check(cancelled)
        yield page


def _check(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise UserError("cancelled", "Stopped. What was read so far is kept.")


def _refused(kind: str, sha256: str | None, reason: str) -> Extracted:
    return Extracted(kind, sha256, "refused", reason, SENTENCES[reason])
