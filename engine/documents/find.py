"""From what was dropped to the files to read, in a stable order, with a reason for everything left out.

It knows names and the file system, and of the files opens only those that say what to ignore. A folder's own links are
never followed, so the walk ends. Nothing is collected beyond one folder's entries: the first file is there at once.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.documents.ignore_rules import IgnoreRules
from engine.documents.names import display_name

GENERATED_FOLDERS = frozenset({"node_modules", "__pycache__"})
HIDDEN_NAMES = frozenset({"thumbs.db", "desktop.ini", "ehthumbs.db"})


@dataclass(frozen=True)
class Found:
    """A file to read, or an entry left out (`skipped`: a code of `reasons`; a folder left out stands for all in it).

    `name` is for the eye: the path below the dropped folder, or the file's own name. `folder`: that folder's name;
    `origin`: its path. `member`: the file within the archive at `path`, as `archive.members` names it.
    """

    path: Path
    name: str
    folder: str | None = None
    skipped: str | None = None
    origin: Path | None = None
    member: str | None = None


def find_files(paths: Iterable[Path | str]) -> Iterator[Found]:
    """The files at and below `paths`, each once, in the order given and, in a folder, in natural order of names.

    What was dropped itself is read even if hidden, ignored or a link; what is below a dropped folder is not.
    """
    seen: set[Path] = set()
    for path in map(Path, paths):
        for found in _dropped(path):
            resolved = absolute(found.path)
            if resolved not in seen:
                seen.add(resolved)
                yield found


def natural_key(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Sorts "page 2" before "page 10", whatever the case; equal names by their exact spelling."""
    parts = re.split(r"(\d+)", name.casefold())
    return [_number(part) if part.isdecimal() else (1, 0, part) for part in parts if part], name


def _number(digits: str) -> tuple[int, int, str]:
    """Sorts as the number does: some names have more digits than Python makes a number of."""
    digits = "".join(str(int(digit)) for digit in digits).lstrip("0")  # of whatever script
    return 0, len(digits), digits


def _dropped(path: Path) -> Iterator[Found]:
    name = display_name(path.name or str(path))
    try:
        mode = path.stat().st_mode
    except PermissionError:
        yield Found(path, name, skipped="no_permission")
    except (OSError, RuntimeError, ValueError):
        is_link = os.path.islink(path)  # noqa: PTH114 (Path raises for long names)
        yield Found(path, name, skipped="broken_link" if is_link else "no_such_file")
    else:
        if stat.S_ISDIR(mode):
            yield from _walk(path, display_name(path.resolve().name or str(path)))
        else:
            yield Found(path, name, skipped=None if stat.S_ISREG(mode) else "special_file")


def _walk(root: Path, root_name: str) -> Iterator[Found]:
    """Depth first with a stack of its own: folders within one another may be deeper than calls."""
    resolved = root.resolve()
    stack = [_entries(root, "", IgnoreRules())]
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            continue
        path, below, reason, rules = entry
        if reason is None and rules is not None:
            stack.append(_entries(path, f"{below}/", rules))
            continue
        if reason == "link":
            reason = _reason_for_link(path, resolved)
        yield Found(path, display_name(below) or root_name, root_name, reason, root)


_Entry = tuple[Path, str, str | None, IgnoreRules | None]


def _entries(folder: Path, below: str, rules: IgnoreRules) -> Iterator[_Entry]:
    """(path, path below the dropped folder, reason to skip it, for a folder to walk the rules above it). A folder that
    cannot be opened is itself the only entry.
    """
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: natural_key(entry.name))
    except OSError as error:
        yield folder, below.rstrip("/"), "no_permission" if isinstance(error, PermissionError) else "disk_error", None
        return
    rules = rules.within(folder, below)
    for entry in entries:
        inner, is_folder = below + entry.name, entry.is_dir(follow_symlinks=False)
        reason = _reason_to_skip(entry, is_folder)
        if reason is None and rules.ignore(f"{inner}/" if is_folder else inner):
            reason = "ignored"
        yield Path(entry.path), inner, reason, rules if is_folder else None


def _reason_to_skip(entry: os.DirEntry[str], is_folder: bool) -> str | None:
    if entry.name.startswith((".", "~$")) or entry.name.lower() in HIDDEN_NAMES:
        return "hidden"
    if entry.is_symlink():
        return "link"
    if is_folder:
        return "generated" if entry.name in GENERATED_FOLDERS else None
    return None if entry.is_file(follow_symlinks=False) else "special_file"


def _reason_for_link(path: Path, root: Path) -> str:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return "broken_link"
    return "duplicate" if target.is_relative_to(root) and target.is_file() else "link"


def absolute(path: Path) -> Path:
    """Without ".." and ".", links as they are."""
    return Path(os.path.abspath(path))  # noqa: PTH100 (Path.absolute keeps "..")
