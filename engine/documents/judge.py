"""What became of a document, from what became of its parts. It knows nothing of kinds or of where pages come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.documents.names import display_name
from engine.documents.page import Page
from engine.documents.reader import LeftOut
from engine.documents.reasons import (
    SENTENCES,
    left_out_sentence,
    locked_sentence,
    pages_sentence,
    pictures_left_out_sentence,
    pictures_sentence,
)


@dataclass(frozen=True)
class Extracted:
    """What became of a file.

    kind: a key of `readers`, "archive" or "unknown". outcome: "read", "partial", "needs_password", "needs_ocr",
    "refused". reason: a code of `reasons`, or None; message: the same as a sentence. sha256: of the file; None if it
    could not be read at all. page_count: physical pages, or None where the kind has none. pages: without their text,
    where they were handed on as they came. left_out: what lies in it and gave no text.
    """

    kind: str
    sha256: str | None
    outcome: str
    reason: str | None = None
    message: str | None = None
    page_count: int | None = None
    pages: tuple[Page, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def pages_read(self) -> int:
        """How many pages gave text."""
        return sum(page.outcome == "read" for page in self.pages)


def judge(
    kind: str,
    sha256: str | None,
    pages: Sequence[Page],
    page_count: int | None = None,
    left_out: Sequence[LeftOut] = (),
) -> Extracted:
    """A document whose pages have all been tried."""
    left_out = [replace(part, name=display_name(part.name)) for part in left_out]
    read, pictures, lost = (_of(pages, "read"), _of(pages, "needs_ocr"), _of(pages, "failed"))
    lost += [page for page in read if page.reason is not None]  # in part
    missing = [part for part in left_out if part.reason is not None]
    outcome, reason, message = "read", None, None
    if read and (lost or pictures):
        outcome, reason = "partial", _worst(lost) if lost else "some_pages_need_ocr"
        message = _sentences(kind, [*lost, *pictures])
    elif pictures:
        reasons = {page.reason or "no_text_layer" for page in pictures}
        outcome, reason = "needs_ocr", reasons.pop() if len(reasons) == 1 else "no_text_layer"
        message = pictures_sentence(reason, kind)
    elif not read:
        outcome, reason = "refused", _worst(lost) if lost else "no_text"
        message = SENTENCES[reason]
    elif missing:
        left = {part.reason for part in missing}
        outcome, reason = "partial", next(iter(left)) if len(left) == 1 else "some_parts_left_out"
    if missing and outcome == "partial":
        names, why = [part.name for part in missing], [part.reason for part in missing if part.reason]
        known = () if pictures else (pictures_left_out_sentence(why),)
        message = " ".join(filter(None, (message, left_out_sentence(names), *known, locked_sentence(why))))
    return Extracted(kind, sha256, outcome, reason, message, page_count, tuple(pages), tuple(left_out))


def unread(kind: str, sha256: str | None, reason: str, message: str | None = None) -> Extracted:
    """A document of which nothing can be read."""
    outcome = "needs_password" if reason in ("encrypted", "wrong_password") else "refused"
    return Extracted(kind, sha256, outcome, reason, message or SENTENCES[reason])


def _of(pages: Sequence[Page], outcome: str) -> list[Page]:
    return [page for page in pages if page.outcome == outcome]


def _worst(lost: Sequence[Page]) -> str:
    """The reason of most of the pages that are lost."""
    return Counter(page.reason or "damaged" for page in lost).most_common(1)[0][0]


def _sentences(kind: str, pages: Sequence[Page]) -> str:
    groups: dict[tuple[str, bool], list[int]] = {}
    for page in sorted(pages, key=lambda page: page.number):
        groups.setdefault((page.reason or "damaged", page.outcome == "read"), []).append(page.number)
    return " ".join(pages_sentence(reason, found, kind, partly) for (reason, partly), found in groups.items())
