"""What became of a dropped folder or archive since it was read: which files are new, have changed or are gone.

It reads no file but to compare those whose time of change is another and whose size is not. It knows neither the store
nor what a file holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from engine.documents.extract import file_sha256
from engine.documents.find import Found
from engine.documents.patience import waited
from engine.documents.reader import Unreadable

Key = tuple[str, str | None]
"""A file: its path, or its archive's, and its name within that."""


@dataclass(frozen=True)
class Known:
    """A file as it was when it was read. size, mtime_ns: None where it could not be looked at; its archive's if it lies
    in one. sha256: None where there is none to compare with. waits: it was not looked at, and will be as it is then.
    """

    size: int | None
    mtime_ns: int | None
    sha256: str | None
    waits: bool = False


@dataclass
class Changes:
    """new, changed: as they are found now. gone: the files that are not found any more."""

    new: list[Found] = field(default_factory=list)
    changed: list[Found] = field(default_factory=list)
    gone: list[Key] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.new) + len(self.changed) + len(self.gone)


def compare(found: Iterable[Found], known: Mapping[Key, Known], cancelled: Callable[[], bool]) -> Changes:
    """found: what is in the folder or archive now. Raises UserError("cancelled") from reading a file."""
    changes, there = Changes(), set()
    for file in found:
        key = key_of(file)
        if file.skipped is not None:
            continue
        there.add(key)
        if key not in known:
            changes.new.append(file)
        elif not known[key].waits and _differs(file, known[key], cancelled):
            changes.changed.append(file)
    changes.gone = [key for key, file in known.items() if key not in there and file.size is not None]
    return changes


def key_of(found: Found) -> Key:
    """Under which a file is known."""
    return str(found.path), found.member


def _differs(file: Found, known: Known, cancelled: Callable[[], bool]) -> bool:
    try:
        facts = waited(file.path.stat, cancelled)
        if (facts.st_size, facts.st_mtime_ns) == (known.size, known.mtime_ns):
            return False
        if file.member is None and facts.st_size != known.size:
            return True
        return file_sha256(file.path, cancelled, file.member) != known.sha256
    except (OSError, Unreadable):
        return False  # it cannot be read now; what was read of it stays
