"""What the reading process can be asked to do: one table. Each job takes the fields of a frame and gives frames.

It knows the jobs and nothing of the process that they run in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.documents.archive_members import OpenArchive
from engine.documents.bounded.frames import Frame
from engine.documents.bounded.messages import asked_how, event_frame
from engine.documents.events import read_here
from engine.documents.opening import kind_of_source
from engine.documents.reader import Unreadable
from engine.documents.source import Source, file_source

AT_ONCE = 500
_archives: dict[tuple[Path, int, int], OpenArchive] = {}
Job = Callable[[dict[str, Any]], Iterator[Frame]]


def read(fields: dict[str, Any]) -> Iterator[Frame]:
    """A document from page `first` on, without touching those that are `lost`."""
    return map(event_frame, read_here(_source(fields), asked_how(fields), fields["first"], fields["lost"]))


def members(fields: dict[str, Any]) -> Iterator[Frame]:
    """What lies in an archive, some at a time; nothing if the file is none."""
    source = file_source(Path(fields["path"]))
    if kind_of_source(source).kind != "archive":
        return
    found = _opened(source)
    listed = [astuple(member) for member in found.members()]
    for start in range(0, max(1, len(listed)), AT_ONCE):
        yield Frame({"unsafe": found.unsafe, "members": listed[start : start + AT_ONCE]})


def digest(fields: dict[str, Any]) -> Iterator[Frame]:
    """SHA-256 of a file of an archive."""
    yield Frame({"sha256": hashlib.sha256(_source(fields).read()).hexdigest()})


def image(fields: dict[str, Any]) -> Iterator[Frame]:
    """A page as it looks, as PNG, about `width` pixels wide."""
    page_image = import_module("engine.documents.page_image").page_image
    try:
        yield Frame({}, page_image(_source(fields), fields["page"], fields["width"], fields["password"]))
    except IndexError as error:
        raise Unreadable("changed") from error


JOBS: dict[str, Job] = {"read": read, "members": members, "digest": digest, "image": image}


def let_go() -> None:
    """Closes the archive that was read last."""
    for archive in _archives.values():
        archive.close()
    _archives.clear()


def _source(fields: dict[str, Any]) -> Source:
    source = file_source(Path(fields["path"]))
    return source if fields["member"] is None else _opened(source).source(fields["member"], fields["password"])


def _opened(source: Source) -> OpenArchive:
    """The archive read last stays open: one file of it is read after the other, and its list may be long."""
    assert source.path is not None
    facts = source.path.stat()
    key = (source.path, facts.st_size, facts.st_mtime_ns)
    if key not in _archives:
        let_go()
        _archives[key] = OpenArchive(source)
    return _archives[key]
