"""The job that takes in what was dropped: from paths to documents in the store, and what of a folder has changed since.

It reads no document: that is the next job's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.document_events import DocumentEvents
from engine.documents.changed import Changes, Key, Known, compare, key_of
from engine.documents.find import Found, find_files
from engine.documents.patience import patiently, waited
from engine.documents.reader import Unreadable
from engine.documents.reasons import SENTENCES
from engine.engine import Emit, Engine
from engine.errors import CANCELLED, UserError
from engine.store import Document, NewDocument

EVENT_SECONDS = 0.5
# The model has read of them, or has begun to: what it read stays where it is in the stream.
BEGUN = frozenset({"reading", "paused", "read", "partial"})
CLOSED = "That folder or archive is not there any more. Check where it went, then drop it again."


class AddingJob:
    """Works for one conversation; `emit` gets the protocol's events."""

    def __init__(self, engine: Engine, conversation: str, emit: Emit, events: DocumentEvents) -> None:
        self.engine, self.store, self.conversation = engine, engine.store, conversation
        self.emit, self.events = emit, events

    def add(self, paths: Sequence[str]) -> int:
        """Commits a document for each file found at the paths, those left out with their reason: all or, if it is
        cancelled before the last was found, none. Returns how many.
        """
        self.store.conversation(self.conversation)
        cancelled = self.engine.cancelled.is_set
        found = patiently(find_files(paths), cancelled, math.inf)
        new = [new_document(file) for one in self._told(found) for file in _opened(one, cancelled)]
        self.events.arrived(self.store.add_documents(self.conversation, new))
        return len(new)

    def changes(self, origin: str, cancelled: Callable[[], bool]) -> Changes:
        """What became of a dropped folder or archive since. origin: its path. Raises UserError "no_such_file",
        "cancelled".
        """
        if not waited(Path(origin).exists, cancelled):
            raise UserError("no_such_file", CLOSED, path=origin)
        files = {key: _known(file) for key, file in self._files_of(origin).items() if file.reason != "gone"}
        found = (
            file
            for dropped in patiently(find_files([origin]), cancelled, math.inf)
            for file in _opened(dropped, cancelled)
        )
        return compare(found, files, cancelled)

    def refresh(self, origin: str) -> Changes:
        """Commits a document for each file that is new, and again for each that has changed since the model read it;
        what has not been read yet is read as it is now. Raises UserError as `changes`.
        """
        changes = self.changes(origin, self.engine.cancelled.is_set)
        known = self._files_of(origin)
        again = [found for found in changes.changed if known[key_of(found)].outcome in BEGUN]
        with self.store.at_once():
            first = self.store.add_documents(self.conversation, [new_document(found) for found in changes.new + again])
            touched = [self._superseded(known[key_of(found)]) for found in changes.changed]
            touched += [self._noted(known[key], "gone") for key in changes.gone if known[key].outcome in BEGUN]
        for document in touched:
            self.events.changed(document)
        self.events.arrived(first)
        return changes

    def _files_of(self, origin: str) -> dict[Key, Document]:
        """Of a file that was read again the last one."""
        files = self.store.folder_files(self.conversation, origin)
        return {(document.path, document.member): document for document in files}

    def _superseded(self, document: Document) -> Document:
        if document.outcome in BEGUN:
            return self._noted(document, "outdated")
        return self.store.update_document(
            document.id, outcome="waiting", sha256=None, recipe=None, reason=None, message=None
        )

    def _noted(self, document: Document, reason: str) -> Document:
        return self.store.update_document(document.id, reason=reason, message=SENTENCES[reason])

    def _told(self, files: Iterator[Found]) -> Iterator[Found]:
        """The same, stopped when the job is, telling how far it is."""
        said = time.monotonic()
        for number, found in enumerate(files, start=1):
            if self.engine.cancelled.is_set():
                raise CANCELLED
            if time.monotonic() - said >= EVENT_SECONDS:
                said = time.monotonic()
                self.emit("loading", {"message": f"Looking for files: {number:,} so far"})
            yield found


def new_document(found: Found) -> NewDocument:
    """What is known of a file before it is read."""
    origin = None if found.origin is None else str(found.origin)
    return NewDocument(found.name, str(found.path), found.folder, origin, found.member, **_came_out(found.skipped))


def _opened(found: Found, cancelled: Callable[[], bool]) -> list[Found]:
    """The file itself or, of an archive that was dropped itself, what lies in it."""
    from engine.documents.archive import members

    if found.skipped is not None or found.folder is not None:
        return [found]
    try:
        listing = members(found.path, cancelled)
    except OSError:
        return [found]  # what is wrong with it is said when it is read
    except Unreadable as unreadable:
        return [replace(found, skipped=unreadable.reason)]
    if listing is None:
        return [found]
    path, name = found.path, found.name
    inside = [Found(path, f"{name}/{one.shown}", name, one.skipped, path, one.name) for one in listing.members]
    outside = [Found(path, name, name, "unsafe_archive", path)] if listing.unsafe else []
    return [*inside, *outside] or [replace(found, skipped="empty_file")]


def _came_out(skipped: str | None) -> dict[str, Any]:
    """What becomes of a file that is left out for this reason; None: it waits."""
    if skipped is None:
        return {}
    came = {"outcome": "refused", "reason": skipped, "message": SENTENCES[skipped]}
    # A file that is locked in its archive: which kind it is shows once a password opens it.
    return {**came, "outcome": "needs_password", "kind": "archive"} if skipped == "encrypted" else came


def _known(document: Document) -> Known:
    waits = document.outcome == "waiting" and document.sha256 is None
    return Known(document.size, document.mtime_ns, document.sha256, waits)
