"""The files of an archive as documents of their own: which are read, which are left out and why, and one of them by
name. For the process that may die; `archive` is the door to it.

The rules are those of a dropped folder. Nothing is unpacked to the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from engine.documents.find import GENERATED_FOLDERS, HIDDEN_NAMES, natural_key
from engine.documents.limits import LARGEST_ARCHIVE, LARGEST_MEMBER
from engine.documents.names import display_name
from engine.documents.reader import Unreadable
from engine.documents.safe_zip import SafeZip
from engine.documents.source import Source

# macOS keeps there what other systems have no place for.
GENERATED = GENERATED_FOLDERS | {"__MACOSX"}


@dataclass(frozen=True)
class Member:
    """A file of an archive, or an entry left out (`skipped`: a code of `reasons`; a folder left out stands for all in
    it). name: as the archive has it, "/" between folders; shown: the same for the eye. size: unpacked, in bytes.
    """

    name: str
    shown: str
    size: int
    skipped: str | None = None


class OpenArchive:
    """Raises Unreadable as SafeZip, and OSError. Close it after use."""

    def __init__(self, source: Source) -> None:
        self._zip = SafeZip(source, LARGEST_MEMBER)

    @property
    def unsafe(self) -> int:
        """How many names lead out of the archive; these are nowhere else."""
        return len(self._zip.unsafe)

    def members(self) -> Iterator[Member]:
        """In natural order of names. Raises Unreadable: too_large_unpacked."""
        found = {member.name: member for member in map(self._member, sorted(self._zip.names, key=_order))}
        if sum(member.size for member in found.values()) > LARGEST_ARCHIVE:
            raise Unreadable("too_large_unpacked")
        return (each for member in found.values() for each in (*self._replaced(member), member))

    def source(self, name: str, password: str | None = None) -> Source:
        """A file of it. Raises Unreadable: no_such_file, encrypted, wrong_password, locked, damaged,
        too_large_unpacked.
        """
        if name not in self._zip:
            raise Unreadable("no_such_file")
        self._zip.renew()
        try:
            data = self._zip.read(name, password)
        except Unreadable as unreadable:
            locked = unreadable.reason in ("encrypted", "wrong_password")
            raise Unreadable(unreadable.reason, unreadable.message, "archive" if locked else None) from unreadable
        return Source(PurePosixPath(_legible(name)).name, data=data)

    def close(self) -> None:
        """Lets go of the file."""
        self._zip.close()

    def _replaced(self, member: Member) -> list[Member]:
        """The files of its name that it took the place of."""
        count = 0 if member.skipped in ("hidden", "generated") else self._zip.replaced.get(member.name, 0)
        return [replace(member, size=0, skipped="replaced")] * count

    def _member(self, name: str) -> Member:
        parts = name.split("/")
        for depth, part in enumerate(parts, 1):
            path = "/".join(parts[:depth])
            if part.startswith((".", "~$")) or part.lower() in HIDDEN_NAMES:
                return Member(path, display_name(_legible(path)), 0, "hidden")
            if depth < len(parts) and part in GENERATED:
                return Member(path, display_name(_legible(path)), 0, "generated")
        skipped = self._skipped(name)
        return Member(name, display_name(_legible(name)), 0 if skipped else self._zip.size(name), skipped)

    def _skipped(self, name: str) -> str | None:
        if self._zip.is_locked_for_good(name):
            return "locked"
        return "encrypted" if self._zip.is_encrypted(name) else "link" if self._zip.is_link(name) else None


def _order(name: str) -> list[tuple[list[tuple[int, int, str]], str]]:
    return [natural_key(part) for part in name.split("/")]


def _legible(name: str) -> str:
    """Some programs write names in UTF-8 without saying so; they are then taken for those of the first PC."""
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name
