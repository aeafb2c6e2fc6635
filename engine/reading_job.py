"""The job that reads documents: from what was dropped to pages in the store and a cache that has read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from engine import wire
from engine.adding_job import AddingJob
from engine.backends.base import AbortedError
from engine.document_events import DocumentEvents
from engine.engine import Emit, Engine, Loaded
from engine.errors import CANCELLED
from engine.extraction_job import READABLE, ExtractionJob
from engine.pace import Pace, remember
from engine.session import Advance, Progress
from engine.store import Content, Document, Message
from engine.store.records import Outcome
from engine.stream import Segment


class ReadingJob:
    """Works for one conversation; `emit` gets the protocol's events."""

    def __init__(self, engine: Engine, conversation: str, emit: Emit) -> None:
        self.engine, self.store, self.conversation, self.emit = engine, engine.store, conversation, emit
        self._pace = Pace()
        self.events = DocumentEvents(engine, conversation, emit)
        self.adding = AddingJob(engine, conversation, emit, self.events)
        self.extraction = ExtractionJob(engine, conversation, self.events)

    def add(self, paths: Sequence[str]) -> int:
        """Commits a document for each file found at the paths. Returns how many. Raises as AddingJob.add; reads nothing
        yet.
        """
        return self.adding.add(paths)

    def extract_all(self) -> None:
        """Takes the text out of every document that has none yet."""
        self.extraction.all()

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

    def documents(self) -> list[dict[str, Any]]:
        """What became of each document, for a report; the model is loaded if its tokens were never counted."""
        return [wire.report(self.store, self._counted(document)) for document in self.found()]

    def _counted(self, document: Document) -> Document:
        if document.tokens is not None or document.outcome not in ("read", "partial"):
            return document
        tokens = self.engine.loaded(self.emit).conversation.document_tokens(document).tokens
        return replace(document, tokens=len(tokens))

    def found(self) -> list[Document]:
        """The documents, each with the outcome of its extraction even where the model has yet to read it for good."""
        return [self._as_found(document) for document in self.store.documents(self.conversation)]

    def _as_found(self, document: Document) -> Document:
        content = self._content(document) if document.outcome in READABLE else None
        return replace(document, outcome=cast(Outcome, content.outcome)) if content else document

    def _content(self, document: Document) -> Content | None:
        if document.sha256 is None or document.recipe is None:
            return None
        return self.store.content(document.sha256, document.recipe)

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
        self.events.flush()
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
            self.events.changed(document)
        self.events.tick()
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
        content = self._content(document)
        if document.outcome not in READABLE or content is None:
            return
        tokens = len(self._loaded.conversation.document_tokens(document).tokens)
        self.events.changed(self.store.update_document(id, outcome=content.outcome, tokens=tokens))

    def _paused(self) -> None:
        for id in self._documents:
            document = self.store.document(id)
            if document.outcome == "reading":
                self.events.changed(self.store.update_document(id, outcome="paused"))
        self.events.flush()

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
