"""A dropped ZIP archive, opened like a folder: what lies in it. Its files are read by `extract(path, member=name)`.

For each file that is read the caller makes a document, named "archive.zip/" and the member's `shown`; for each that is
left out an entry with the reason, as for a folder. An archive within the archive shows its kind only when it is
unpacked: `extract` refuses it ("unsupported_type"). The listing happens in the reading process.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from engine.documents.archive_members import Member
from engine.documents.bounded.bounds import Bounds
from engine.documents.bounded.frames import Frame
from engine.documents.bounded.messages import asked_fields
from engine.documents.bounded.pool import call
from engine.documents.kinds import PACKAGE, kind_of
from engine.documents.patience import waited
from engine.documents.reader import How
from engine.documents.source import file_source
from engine.documents.stopping import Cancelled, never

__all__ = ["Listing", "Member", "members"]


@dataclass(frozen=True)
class Listing:
    """members: in the order in which they are to be read, those left out among them. unsafe: how many entries lead out
    of the archive ("unsafe_archive"); they are not among `members` and are never read.
    """

    members: tuple[Member, ...]
    unsafe: int


def members(path: Path, cancelled: Cancelled = never) -> Listing | None:
    """What is in the archive; None for every other file: an Office file, a book, anything that is no ZIP. Those are
    read as they are, and so is what only looks like an archive: `extract` says why it is not read.

    Raises Unreadable: too_large_unpacked, too_slow, too_much_memory, crashed (a code of `reasons` for the archive as a
    whole); UserError("cancelled"); OSError.
    """
    if not waited(lambda: _may_be_an_archive(path), cancelled):
        return None
    answers = call(Frame({"job": "members", **asked_fields(path, None, How())}), Bounds(), cancelled)
    if not answers:
        return None
    found = [Member(*fields) for answer in answers for fields in answer.fields["members"]]
    return Listing(tuple(found), answers[0].fields["unsafe"])


def _may_be_an_archive(path: Path) -> bool:
    if not stat.S_ISREG(path.stat().st_mode):
        return False
    source = file_source(path)
    return kind_of(source.name, source.head).kind == PACKAGE
