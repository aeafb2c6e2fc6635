"""Tells of documents that change, a few times a second at most, however many there are: one by one or many at once."""

from __future__ import annotations

import time

from engine import wire
from engine.engine import Emit, Engine
from engine.store import Document

EVENT_SECONDS = 0.25


class DocumentEvents:
    """For one conversation and one job. What is known of a document and stored nowhere is in `engine.live`."""

    def __init__(self, engine: Engine, conversation: str, emit: Emit) -> None:
        self._engine, self._conversation, self._emit = engine, conversation, emit
        self._waiting: dict[str, Document] = {}
        self._told = 0.0

    def changed(self, document: Document) -> None:
        """It is told of at once, or with others in a moment: `flush` before work that takes time."""
        self._waiting[document.id] = document
        self.tick()

    def tick(self) -> None:
        """Tells what has waited long enough."""
        if time.monotonic() - self._told >= EVENT_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Tells all that waits."""
        waiting, self._waiting = list(self._waiting.values()), {}
        if waiting:
            self._tell(waiting)

    def arrived(self, first: int) -> None:
        """Tells of the documents from this position on: all that a list of documents would name."""
        self.flush()
        listed = self._engine.store.listed_documents(self._conversation)
        self._tell([document for document in listed if document.position >= first])

    def _tell(self, documents: list[Document]) -> None:
        store, live = self._engine.store, self._engine.live
        self._told = time.monotonic()
        told = [wire.document(store, document, live.get(document.id)) for document in documents]
        if len(told) == 1 and documents[0].origin is None:
            self._emit("document", {"document": told[0]})
        elif told:
            folders = [wire.folder(folder) for folder in store.folders(self._conversation)]
            self._emit("documents", {"documents": told, "folders": folders})
