"""A page of a document as a picture, for the person who compares it with the text. Its file may be gone by now.

The picture is made in the process that may die: no page is drawn here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.documents.bounded.bounds import bounds
from engine.documents.bounded.frames import Frame
from engine.documents.bounded.messages import asked_fields
from engine.documents.bounded.pool import call
from engine.documents.extract import file_sha256
from engine.documents.patience import waited
from engine.documents.reader import How, Unreadable
from engine.documents.reasons import SENTENCES
from engine.errors import UserError
from engine.store import Document

WITH_PICTURES = frozenset({"pdf", "picture"})
NO_PICTURE = "Only the pages of PDFs and of pictures can be looked at. The text is all here."
GONE = "The file is no longer there, so there is no picture of this page. The text is all here."
CHANGED = "The file has changed since it was read, so there is no picture of this page. The text is all here."
LOCKED = "The password is not kept, so there is no picture of this page. The text is all here."


def page_png(document: Document, number: int, width: int, cancelled: Callable[[], bool]) -> bytes:
    """The page as a PNG about `width` pixels wide. Raises UserError "no_picture", "cancelled"."""
    if document.kind not in WITH_PICTURES:
        raise UserError("no_picture", NO_PICTURE)
    path = Path(document.path)
    try:
        if _is_another(path, document, cancelled):
            raise UserError("no_picture", CHANGED)
    except (OSError, Unreadable) as error:
        raise UserError("no_picture", GONE) from error
    fields = {"job": "image", **asked_fields(path, document.member, How()), "page": number, "width": width}
    try:
        (answer,) = call(Frame(fields), bounds(document.kind, recognition=False), cancelled)
    except Unreadable as unreadable:
        locked = unreadable.reason in ("encrypted", "wrong_password")
        raise UserError("no_picture", LOCKED if locked else SENTENCES[unreadable.reason]) from unreadable
    return answer.payload


def _is_another(path: Path, document: Document, cancelled: Callable[[], bool]) -> bool:
    """Whether the file is no longer what was read: the picture would belong to another text. Raises OSError."""
    facts = waited(path.stat, cancelled)
    if (facts.st_size, facts.st_mtime_ns) == (document.size, document.mtime_ns) or document.sha256 is None:
        return False
    return file_sha256(path, cancelled, document.member) != document.sha256
