"""The job that reads documents: from what was dropped to pages in the store and a cache that has read them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from engine import wire
from engine.backends.base import AbortedError
from engine.engine import Emit, Engine, Loaded
from engine.errors import UserError
from engine.pace import Pace, remember
from engine.session import Advance, Progress
from engine.store import Content, Document, Message
from engine.store.records import Outcome
from engine.stream import Segment

if TYPE_CHECKING:
    from engine.documents.page import Page

READABLE = ("waiting", "reading", "paused")
# A refusal may depend on the file's name, which the sha256 does not hold.
SAME_UNDER_ANY_NAME = ("read", "partial", "needs_ocr")
EXTRACTION_EVENT_SECONDS = 0.5
CANCELLED = UserError("cancelled", "Stopped.")


class ReadingJob:
    """Works for one conversation; `emit` gets the protocol's events."""

    def __init__(self, engine: Engine, conversation: str, emit: Emit) -> None:
        self.engine, self.store, self.conversation, self.emit = engine, engine.store, conversation, emit
        self._pace = Pace()

    # --- what was dropped --------------------------------------------------------------------------------------------

    def add(self, paths: Sequence[str]) -> list[Document]:
        """Commits a document for each file found at the paths, those left out with their reason: all or, if it is
        cancelled before the last was found, none. Reads nothing yet.
        """
        from engine.documents.find import find_files
        from engine.documents.reasons import SENTENCES

        self.store.conversation(self.conversation)
        files = []
        for found in find_files(paths):
            self._stop_if_cancelled()
            files.append(found)
        with self.store.at_once():
            added = [
                self.store.add_document(
                    self.conversation,
                    name=found.name,
                    path=str(found.path),
                    folder=found.folder,
                    outcome="refused" if found.skipped else "waiting",
                    reason=found.skipped,
                    message=SENTENCES.get(found.skipped) if found.skipped else None,
                )
                for found in files
            ]
        for document in added:
            self._changed(document)
        return added

    # --- reading -----------------------------------------------------------------------------------------------------

    def read_all(self) -> bool:
        """Reads everything of the conversation that waits, at the end of its current branch, and stores the cache.

        Returns whether it was all there already. Raises UserError("cancelled"); what was read until then is kept.
        """
        self.extract_all()
        leaf = self.store.leaf(self.conversation)
        path = self.store.path(leaf) if leaf else []
        waiting = pending(self.store.documents(self.conversation), path)
        if not waiting:
            return False
        loaded = self.engine.loaded(self.emit)
        taken = self.advance(
            loaded, loaded.conversation.segments(path, waiting), [*self.store.documents_along(path), *waiting]
        )
        loaded.session.store_now()
        return taken.documents_read == 0

    def extract_all(self) -> None:
        """Takes the text out of every document that has none yet. One that fails is marked; the others go on."""
        for document in self.store.documents(self.conversation):
            if document.outcome in READABLE and document.sha256 is None:
                self._stop_if_cancelled()
                self._extract(document)

    def _extract(self, document: Document) -> None:
        from engine.documents.extract import EXTRACTOR, extract, file_sha256

        path = Path(document.path)
        try:
            known = self.store.content(file_sha256(path, self.engine.cancelled.is_set))
        except OSError:
            known = None  # extract says what is wrong with the file
        if known is None or known.extractor != EXTRACTOR:
            found = extract(path, self._extracting(document), self.engine.cancelled.is_set)
            known = Content(
                found.sha256 or "", found.kind, found.outcome, found.reason, found.message, found.page_count, EXTRACTOR
            )
            if found.sha256 and found.outcome in SAME_UNDER_ANY_NAME:
                self.store.save_pages(known, found.pages)
        self._extracted(document, known)

    def _extracted(self, document: Document, content: Content) -> None:
        """With text it waits for the model; without, this is what became of it. A second copy is not read twice."""
        readable = content.outcome in ("read", "partial")
        twin = self._twin(document, content.sha256) if readable else None
        pages = self.store.pages(content.sha256) if content.sha256 else []
        self._changed(
            self.store.update_document(
                document.id,
                kind=content.kind,
                sha256=content.sha256 or None,
                outcome="refused" if twin else "waiting" if readable else content.outcome,
                reason="duplicate" if twin else content.reason,
                message=f"This is the same file as {twin.name}, which is read." if twin else content.message,
                pages=content.pages,
                pages_read=0 if twin else sum(page.outcome in ("read", "blank") for page in pages),
            )
        )

    def _twin(self, document: Document, sha256: str) -> Document | None:
        """An earlier document of this conversation with the same content."""
        for other in self.store.documents(self.conversation):
            if other.sha256 == sha256 and other.id != document.id and other.reason != "duplicate":
                return other
        return None

    def _extracting(self, document: Document) -> Callable[[Page, int | None], None]:
        last = 0.0

        def on_page(page: Page, pages: int | None) -> None:
            nonlocal last
            if time.monotonic() - last > EXTRACTION_EVENT_SECONDS:
                last = time.monotonic()
                self._changed(document, {"page": page.number, "pages": pages, "outcome": "waiting"})

        return on_page

    def documents(self) -> list[dict[str, Any]]:
        """What became of each document, for a report."""
        return [
            {
                "path": document.path,
                "name": document.name,
                "outcome": document.outcome,
                "reason": document.reason,
                "pages": document.pages,
                "pages_read": document.pages_read,
            }
            for document in self.found()
        ]

    def found(self) -> list[Document]:
        """The documents, each with the outcome of its extraction even where the model has yet to read it for good."""
        return [self._as_found(document) for document in self.store.documents(self.conversation)]

    def _as_found(self, document: Document) -> Document:
        content = self.store.content(document.sha256) if document.outcome in READABLE and document.sha256 else None
        return replace(document, outcome=cast(Outcome, content.outcome)) if content else document

    # --- the model reads ---------------------------------------------------------------------------------------------

    def advance(self, loaded: Loaded, segments: Sequence[Segment], documents: Sequence[Document]) -> Advance:
        """Brings the model to the stream, telling of each document what becomes of it.

        Raises UserError("cancelled"), with the document being read paused at its last chunk.
        """
        self._documents = {document.id: document for document in documents}
        self._loaded, self._current, self._pace = loaded, "", Pace()
        self.engine.in_memory = self.conversation
        try:
            taken = loaded.session.advance(segments, self._progressed)
        except AbortedError as error:
            loaded.session.store_now()
            self._paused()
            raise CANCELLED from error
        except BaseException:
            self._paused()
            raise
        for id in self._documents:
            self._read(id)
        if loaded.model.selection is not None:
            remember(self.store, self.engine.pace_key(), self._pace)
        return taken

    def _progressed(self, progress: Progress) -> None:
        document = self._documents[progress.source]
        if progress.source != self._current:
            self._current = progress.source
            document = self.store.update_document(document.id, outcome="reading", tokens=progress.total)
            self._documents[document.id] = document
            self._pace.begin(progress.done)
        seconds_left = self._pace.left(progress.done, progress.total)
        tokens = self._loaded.conversation.document_tokens(document)
        page = tokens.page_at(progress.done)
        live = {"tokens_read": progress.done, "page": page, "seconds_left": seconds_left}
        self.engine.live[document.id] = live
        if progress.done in (0, progress.total) or self._pace.steps == 1:
            self._changed(document, live)
        self.emit("reading", reading_event(document, page, progress, seconds_left))
        if progress.done == progress.total:
            self._read(document.id)
        self._stop_if_cancelled_while_reading(progress)

    def _stop_if_cancelled_while_reading(self, progress: Progress) -> None:
        if self.engine.cancelled.is_set() and progress.done < progress.total:
            raise AbortedError

    def _read(self, id: str) -> None:
        """It is in the cache: its outcome is what its extraction found."""
        document = self.store.document(id)
        self.engine.live.pop(id, None)
        if document.outcome not in READABLE or document.sha256 is None:
            return
        content = self.store.content(document.sha256)
        tokens = len(self._loaded.conversation.document_tokens(document).tokens)
        assert content is not None
        self._changed(self.store.update_document(id, outcome=content.outcome, tokens=tokens))

    def _paused(self) -> None:
        for id in self._documents:
            document = self.store.document(id)
            if document.outcome == "reading":
                self._changed(self.store.update_document(id, outcome="paused"), self.engine.live.get(id))

    def _changed(self, document: Document, live: dict[str, Any] | None = None) -> None:
        self.emit("document", {"document": wire.document(self.store, document, live)})

    def warm(self) -> None:
        """Loads the model and the cache of the current branch, as far as no document has to be read for it."""
        loaded = self.engine.loaded(self.emit)
        segments, documents = self._current_branch(loaded)
        if loaded.session.holds(segments):
            self.advance(loaded, segments, documents)

    def take_up(self, loaded: Loaded) -> None:
        """Puts into memory what the store holds of the current branch; the model reads nothing."""
        segments, _ = self._current_branch(loaded)
        loaded.session.take_up(segments)
        self.engine.in_memory = self.conversation

    def _current_branch(self, loaded: Loaded) -> tuple[list[Segment], list[Document]]:
        leaf = self.store.leaf(self.conversation)
        path = self.store.path(leaf) if leaf else []
        waiting = pending(self.store.documents(self.conversation), path)
        return loaded.conversation.segments(path, waiting), [*self.store.documents_along(path), *waiting]

    def _stop_if_cancelled(self) -> None:
        if self.engine.cancelled.is_set():
            raise CANCELLED


def reading_event(document: Document, page: int, progress: Progress, seconds_left: float | None) -> dict[str, Any]:
    """How far a document is read, as the protocol tells it."""
    return {
        "document": document.id,
        "page": page,
        "pages": document.pages,
        "tokens_read": progress.done,
        "tokens_total": progress.total,
        "units_kept": progress.units,
        "seconds_left": seconds_left,
    }


def pending(documents: Sequence[Document], path: Sequence[Message]) -> list[Document]:
    """Those with text that no message of the path has brought in."""
    there = {id for message in path for id in message.documents}
    return [d for d in documents if d.sha256 and d.id not in there and d.outcome in (*READABLE, "read", "partial")]
