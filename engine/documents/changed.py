"""What became of a dropped folder since its files were read: which are new, which have changed, which are gone.

It reads no file but to compare those whose time of change is another and whose size is not. It knows neither the store
nor what a file holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.documents.extract import file_sha256
from engine.documents.find import Found
from engine.documents.patience import waited


@dataclass(frozen=True)
class Known:
    """A file as it was when it was read. size, mtime_ns: None where it could not be looked at. sha256: None where there
    is none to compare with. waits: it was not looked at yet, and will be as it is then.
    """

    size: int | None
    mtime_ns: int | None
    sha256: str | None
    waits: bool = False


@dataclass
class Changes:
    """new, changed: as they are found now. gone: the paths of files that are not found any more."""

    new: list[Found] = field(default_factory=list)
    changed: list[Found] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.new) + len(self.changed) + len(self.gone)


def compare(found: Iterable[Found], known: Mapping[str, Known], cancelled: Callable[[], bool]) -> Changes:
    """found: what is in the folder now. known: by path. Raises UserError("cancelled") from reading a file."""
    changes, there = Changes(), set()
    for file in found:
        path = str(file.path)
        if file.skipped is not None:
            continue
        there.add(path)
        if path not in known:
            changes.new.append(file)
        elif not known[path].waits and _differs(file.path, known[path], cancelled):
            changes.changed.append(file)
    changes.gone = [path for path, file in known.items() if path not in there and file.size is not None]
    return changes


def _differs(path: Path, known: Known, cancelled: Callable[[], bool]) -> bool:
    try:
        facts = waited(path.stat, cancelled)
        if facts.st_size != known.size:
            return True
        return facts.st_mtime_ns != known.mtime_ns and file_sha256(path, cancelled) != known.sha256
    except OSError:
        return False  # it cannot be read now; what was read of it stays
