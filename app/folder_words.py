"""The sentences about dropped folders and about files that need a password. Knows the records; nothing of widgets."""

from __future__ import annotations

from collections.abc import Sequence

from app.document_words import BESIDE, TROUBLE
from app.records import Folder
from app.words import count, listed, number, shortened

MOST_NAMES = 3


def folder_summary(folder: Folder) -> str:
    """What became of a folder's files: "1,204 files, 1,100 read, 4 could not be read. 100 left out: 60 hidden, ..."."""
    outcomes = folder.outcomes
    files = sum(outcomes.values())
    trouble = sum(outcomes.get(outcome, 0) for outcome in TROUBLE)
    read = outcomes.get("read", 0) + outcomes.get("partial", 0)
    words = [count(files, "file")]
    if read + trouble < files:
        words.append(f"{number(read + trouble)} done")
    elif read == files and files:
        words.append("all read")
    if trouble:
        words.append(f"{number(trouble)} could not be read")
    if outcomes.get("partial"):
        words.append(f"{number(outcomes['partial'])} read in part")
    if folder.tokens:
        words.append(count(folder.tokens, "token"))
    said = ", ".join(words)
    left = sum(folder.left_out.values())
    if not left:
        return said
    reasons = ", ".join(f"{number(files)} {BESIDE.get(why, why)}" for why, files in folder.left_out.items())
    return f"{said}. {number(left)} left out: {reasons}"


def changed_files(files: int) -> str:
    """Of a folder, since it was read."""
    return f"{count(files, 'file')} changed since"


def locked_files(files: int, names: Sequence[str]) -> str:
    """Above the field for the password: "lease.pdf needs a password", "a.pdf, b.pdf, c.pdf and 3 more need a
    password". names: of those whose names are known.
    """
    if not names:
        return "1 file needs a password" if files == 1 else f"{number(files)} files need a password"
    shown = [shortened(name) for name in names[:MOST_NAMES]]
    if files > len(shown):
        shown[-1:] = [shown[-1], f"{number(files - len(shown))} more"]
    return f"{listed(shown)} {'needs' if files == 1 else 'need'} a password"


def meaning_of_password(files: int) -> str:
    """What becomes of what is typed."""
    return f"It is tried on {'it' if files == 1 else 'all of them'} and kept nowhere."


def after_password(opened: int, left: int) -> str:
    """What came of trying a password; empty when nothing is left to be opened."""
    if not left:
        return ""
    if not opened:
        return f"{'It does not open it' if left == 1 else 'It opens none of them'}. Check it and type it again."
    return f"It opened {count(opened, 'file')}. Type the password of the other{'' if left == 1 else 's'}."
