"""One file -> its pages of text and what became of it. Never raises for what is in a file: the outcome says it.

It decides nothing about conversations; files are found by `find`, those of an archive by `archive`. Whatever needs a
parser is read in a process that may die (`bounded`).
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from engine.documents.bounded.bounds import Bounds, bounds
from engine.documents.bounded.frames import Frame
from engine.documents.bounded.messages import asked_fields
from engine.documents.bounded.pages import read_bounded
from engine.documents.bounded.pool import call
from engine.documents.events import Event, GotPage, Opened, read_here
from engine.documents.judge import Extracted, judge, unread
from engine.documents.kinds import COMPOUND, PACKAGE, Kind, kind_of
from engine.documents.limits import SMALL_TEXT
from engine.documents.page import Page
from engine.documents.patience import patiently, waited
from engine.documents.reader import How, LeftOut, Recognition, Unreadable
from engine.documents.reasons import reason_of_error
from engine.documents.source import Source, file_source
from engine.documents.stopping import Cancelled, never, stop_if

__all__ = ["EXTRACTOR", "Extracted", "extract", "file_sha256"]

# Raised whenever the same file would give other pages, so that stored pages are made again.
EXTRACTOR = 3
BLOCK = 2**20
# Decoding is all that is done to them: starting a process would take a hundred times as long.
PLAIN = frozenset({"text", "markdown"})

OnPage = Callable[[Page, int | None], None]


def extract(
    path: Path,
    on_page: OnPage | None = None,
    cancelled: Cancelled = never,
    password: str | None = None,
    recognition: Recognition | None = None,
    member: str | None = None,
    earlier: Sequence[Page] = (),
) -> Extracted:
    """Reads a file. `on_page(page, pages in all or None)` is called for each page as it comes; the text is nowhere else
    then, so that a long document takes no more memory than a page.

    `cancelled` is asked many times a second; raises UserError("cancelled") once it is true. recognition: None: pictures
    of text are not recognised. member: the file is the archive's of this name, as `archive.members` gives it.
    earlier: the first pages of the same file, from a try that broke off; reading goes on after them. Their text is not
    looked at.
    """
    try:
        looked = waited(lambda: _looked_at(path, member), cancelled)
        if looked is None:
            return unread("unknown", None, "special_file")
        return _extracted(path, looked, member, on_page, cancelled, How(password, recognition), earlier)
    except OSError as error:
        return unread("unknown", None, reason_of_error(error))


def file_sha256(
    path: Path, cancelled: Cancelled = never, member: str | None = None, password: str | None = None
) -> str:
    """Of the file's bytes, or of those of a file of the archive, which may need a password. Raises OSError,
    UserError("cancelled") as `extract`, and for a member Unreadable.
    """
    if member is not None:
        (answer,) = call(Frame({"job": "digest", **asked_fields(path, member, How(password))}), Bounds(), cancelled)
        return str(answer.fields["sha256"])
    *_, digest = patiently(_hashed(path), cancelled)
    return digest


def _hashed(path: Path) -> Iterator[str]:
    """Nothing after each block, the SHA-256 at the end."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
            yield ""
    yield digest.hexdigest()


class _Looked(NamedTuple):
    """mark: what is different once the file was written to. data: all of it, where it is read here."""

    mark: tuple[int, int, int]
    kind: Kind
    name: str
    data: bytes | None


def _looked_at(path: Path, member: str | None) -> _Looked | None:
    """None for what is no file. Raises OSError."""
    if not stat.S_ISREG(path.stat().st_mode):
        return None
    mark, source = _mark(path), file_source(path)
    only_inside = member is not None or source.head.startswith(COMPOUND)
    kind = Kind("unknown") if only_inside else kind_of(source.name, source.head)
    is_small_text = kind.kind in PLAIN and source.size <= SMALL_TEXT
    return _Looked(mark, kind, source.name, source.read() if is_small_text else None)


def _extracted(
    path: Path,
    looked: _Looked,
    member: str | None,
    on_page: OnPage | None,
    cancelled: Cancelled,
    how: How,
    earlier: Sequence[Page],
) -> Extracted:
    kind = looked.kind
    if looked.data is not None:
        events = read_here(Source(looked.name, data=looked.data), how, earlier[-1].number + 1 if earlier else 1)
        return _collected(events, kind, hashlib.sha256(looked.data).hexdigest(), on_page, cancelled, earlier)
    try:
        sha256 = file_sha256(path, cancelled, member, how.password)
    except Unreadable as unreadable:
        return unread(unreadable.kind or "unknown", None, unreadable.reason, unreadable.message)
    if kind.reason is not None:
        return unread(kind.kind, sha256, kind.reason, kind.message)
    allowed = bounds(kind.kind, how.recognition is not None)
    events = read_bounded(path, member, how, allowed, cancelled, earlier)
    extracted = _collected(events, kind, sha256, on_page, cancelled, earlier)
    if (
        waited(lambda: _mark(path), cancelled) != looked.mark
        and file_sha256(path, cancelled, member, how.password) != sha256
    ):
        return unread(extracted.kind, None, "changed")
    return extracted


def _collected(
    events: Generator[Event, None, None],
    kind: Kind,
    sha256: str,
    on_page: OnPage | None,
    cancelled: Cancelled,
    earlier: Sequence[Page],
) -> Extracted:
    name = "unknown" if kind.kind == PACKAGE else kind.kind
    pages = list(earlier)
    page_count: int | None = None
    left_out: tuple[LeftOut, ...] = ()
    try:
        with closing(events):
            for event in events:
                page_count = event.page_count
                if isinstance(event, Opened):
                    name = event.kind
                elif isinstance(event, GotPage):
                    stop_if(cancelled)
                    pages.append(event.page if on_page is None else replace(event.page, text=""))
                    if on_page is not None:
                        on_page(event.page, page_count)
                else:
                    left_out = event.left_out
    except Unreadable as unreadable:
        return unread(unreadable.kind or name, sha256, unreadable.reason, unreadable.message)
    return judge(name, sha256, pages, page_count, left_out)


def _mark(path: Path) -> tuple[int, int, int]:
    """What is different once a file was written to."""
    facts = path.stat()
    return facts.st_size, facts.st_mtime_ns, facts.st_ino
