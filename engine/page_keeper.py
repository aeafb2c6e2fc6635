"""Keeps the pages of a long extraction as they come, so that neither a crash nor a long document costs much: what is
not in the store yet is a few seconds' work and a few megabytes of text.

It knows nothing of documents or of what becomes of an extraction that ended.
"""

from __future__ import annotations

import time

from engine.documents.page import Page
from engine.store import Store

SAVE_SECONDS = 5.0
MOST_CHARACTERS = 4 * 2**20


class PageKeeper:
    """Of one extraction, for the file of this sha256. unsaved: the pages that are to be kept with its end."""

    def __init__(self, store: Store, sha256: str, recipe: str) -> None:
        self.unsaved: list[Page] = []
        self._store, self._key = store, (sha256, recipe)
        self._saved, self._characters = time.monotonic(), 0

    def add(self, page: Page) -> None:
        """Raises UserError where the store cannot be written to."""
        self.unsaved.append(page)
        self._characters += len(page.text)
        if self._characters >= MOST_CHARACTERS or time.monotonic() - self._saved >= SAVE_SECONDS:
            self._store.save_some_pages(*self._key, self.unsaved)
            self.unsaved = []
            self._saved, self._characters = time.monotonic(), 0
