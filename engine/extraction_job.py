"""The job that takes the text out of documents: from files to pages in the store, each file once for each recipe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from engine.adding_job import BEGUN
from engine.document_events import DocumentEvents
from engine.engine import Engine
from engine.errors import CANCELLED
from engine.page_keeper import PageKeeper
from engine.store import Content, Document

if TYPE_CHECKING:
    from engine.documents.page import Page
    from engine.documents.reader import LeftOut, Recognition

READABLE = ("waiting", "reading", "paused")
# A refusal may depend on the file's name, which the sha256 does not hold.
SAME_UNDER_ANY_NAME = ("read", "partial", "needs_ocr")
_PICTURES_OF_TEXT = ("no_text_layer", "not_recognised")
LARGE = 2**20
PASSWORD_KINDS = frozenset({"pdf", "archive"})
"""Of which a password opens what is locked: PDFs, and files in a locked archive."""
OPENED_SINCE = "What was locked in it has been opened since. What was read of it before stays in memory."


def opens_with_password(document: Document) -> bool:
    """Whether a password may open it, or something that lies in it."""
    if document.reason in ("duplicate", "outdated", "gone"):
        return False
    whole = document.outcome == "needs_password" and document.kind in PASSWORD_KINDS
    return whole or _locked_parts(document.left_out) > 0


def _locked_parts(left_out: Sequence[LeftOut]) -> int:
    return sum(part.reason in ("encrypted", "wrong_password") for part in left_out)


class ExtractionJob:
    """Works for one conversation."""

    def __init__(self, engine: Engine, conversation: str, events: DocumentEvents) -> None:
        self.engine, self.store, self.conversation, self.events = engine, engine.store, conversation, events

    def all(self) -> None:
        """Takes the text out of every document that has none yet, and tries pictures of text again if there is another
        way to read them now. One that fails is marked; the others go on.
        """
        try:
            pictures = self._with_pictures_of_text()
            for document in self.store.documents(self.conversation):
                waits = document.outcome in READABLE and document.sha256 is None
                again = document.outcome == "needs_ocr" and document.recipe != self._recipe
                more = (document.sha256, document.recipe) in pictures or self._has_pictures_of_text(document)
                if waits or again or (more and self._is_as_it_was(document)):
                    self._stop_if_cancelled()
                    self._extract(document)
        finally:
            self.events.flush()

    def locked(self) -> list[Document]:
        """Those that a password may open, or something that lies in them."""
        return [document for document in self.store.documents(self.conversation) if opens_with_password(document)]

    def unlock(self, password: str) -> int:
        """Tries it on each document that is locked or holds what is; it is kept nowhere. Returns how many it opened."""
        opened = 0
        for document in self.locked():
            self._stop_if_cancelled()
            if document.outcome == "needs_password":
                self._extract(document, password)
                opened += self.store.document(document.id).outcome != "needs_password"
            else:
                opened += self._open_inside(document, password)
        self.events.flush()
        return opened

    def _with_pictures_of_text(self) -> set[tuple[str | None, str | None]]:
        """(sha256, recipe) of files that were read in part, of which some pages are pictures of text that were looked
        at in another way than is possible now, or in none.
        """
        if self._recognition is None:
            return set()
        now = self._recipe.partition(" ")[2]
        return {
            (sha256, recipe)
            for (sha256, recipe), pages in self.store.all_skipped_pages(self.conversation).items()
            if recipe.partition(" ")[2] != now and any(page.outcome == "needs_ocr" for page in pages)
        }

    def _has_pictures_of_text(self, document: Document) -> bool:
        """As above, of pictures between the lines."""
        if self._recognition is None or document.recipe is None:
            return False
        looked_at_so = document.recipe.partition(" ")[2] == self._recipe.partition(" ")[2]
        return not looked_at_so and any(part.reason in _PICTURES_OF_TEXT for part in document.left_out)

    def _is_as_it_was(self, document: Document) -> bool:
        """Whether the text that was read is still in the file: it is not given up for another one, or for none."""
        from engine.documents.extract import file_sha256
        from engine.documents.reader import Unreadable

        try:
            return file_sha256(Path(document.path), self.engine.cancelled.is_set, document.member) == document.sha256
        except (OSError, Unreadable):
            return False

    @cached_property
    def _recognition(self) -> Recognition | None:
        from engine.documents.ocr.languages import recognition_for
        from engine.documents.ocr.system_language import system_locale

        values = self.engine.settings()
        return recognition_for(values["recognition"], system_locale(), values["recognition_languages"])

    @cached_property
    def _recipe(self) -> str:
        from engine.documents.recipe import recipe_of

        return recipe_of(self._recognition)

    def _open_inside(self, document: Document, password: str) -> bool:
        """Tries it on what is locked in a document. What the model has read of that stays where it is in the stream, so
        that a document opened since is another one, and its pages are kept under a recipe of its own.
        """
        from engine.documents.extract import file_sha256
        from engine.documents.patience import waited
        from engine.documents.reader import Unreadable

        path = Path(document.path)
        try:
            facts = waited(path.stat, self.engine.cancelled.is_set)
            sha256 = file_sha256(path, self.engine.cancelled.is_set, document.member, password)
        except (OSError, Unreadable):
            return False
        if sha256 != document.sha256:
            return False  # it is another file now: that is told elsewhere
        recipe = f"{self._recipe} {uuid4().hex}"
        try:
            self._opens(document, large=True)
            content, pages = self._extracted(document, sha256, password, recipe)
        except BaseException:
            self.store.forget_pages_so_far(sha256, recipe)
            raise
        finally:
            self.engine.live.pop(document.id, None)
        if _locked_parts(content.left_out) >= _locked_parts(document.left_out):
            self.store.forget_pages_so_far(sha256, recipe)
            changes = {"reason": content.reason, "message": content.message, "left_out": content.left_out}
            self.events.changed(self.store.update_document(document.id, **changes))
            return False
        with self.store.at_once():
            if document.outcome in BEGUN:
                older = self.store.update_document(document.id, reason="outdated", message=OPENED_SINCE)
                same = {
                    name: getattr(document, name) for name in ("name", "path", "folder", "origin", "member", "kind")
                }
                document = self.store.add_document(self.conversation, **same)
                self.events.changed(older)
            self._keep(document, content, pages, size=facts.st_size, mtime_ns=facts.st_mtime_ns)
        return True

    def _extract(self, document: Document, password: str | None = None) -> None:
        try:
            self._take_out(document, password)
        finally:
            self.engine.live.pop(document.id, None)

    def _opens(self, document: Document, large: bool) -> None:
        """Tells that it is this one's turn, at once where it will take a while."""
        self.engine.live[document.id] = {"doing": "opening"}
        self.events.changed(document)
        if large:
            self.events.flush()

    def _take_out(self, document: Document, password: str | None) -> None:
        """What is known of the file's content already is not extracted again."""
        from engine.documents.extract import file_sha256
        from engine.documents.patience import waited
        from engine.documents.reader import Unreadable

        path, recipe = Path(document.path), self._recipe
        size, mtime_ns, sha256 = None, None, ""
        try:
            facts = waited(path.stat, self.engine.cancelled.is_set)
            size, mtime_ns = facts.st_size, facts.st_mtime_ns
            self._opens(document, large=size > LARGE)
            sha256 = file_sha256(path, self.engine.cancelled.is_set, document.member, password)
        except (OSError, Unreadable):
            content = None  # extract says what is wrong with the file
        else:
            content = self.store.content(sha256, recipe)
        with_pages = (content, None) if content else self._extracted(document, sha256, password, recipe)
        self._keep(document, *with_pages, size=size, mtime_ns=mtime_ns)

    def _extracted(
        self, document: Document, sha256: str, password: str | None, recipe: str
    ) -> tuple[Content, Sequence[Page] | None]:
        """What is in the file, and, if its pages are to be kept, those that are not yet. Pages that an earlier try came
        to are taken up.
        """
        from engine.documents.extract import extract
        from engine.documents.judge import unread

        keeper = PageKeeper(self.store, sha256, recipe)
        found = extract(
            Path(document.path),
            self._on_page(document, keeper),
            self.engine.cancelled.is_set,
            password,
            self._recognition,
            document.member,
            self.store.pages_so_far(sha256, recipe),
        )
        if found.sha256 not in (sha256, None):  # it was written to since it was looked up
            found = unread(found.kind, None, "changed")
        content = Content(
            found.sha256 or "",
            recipe,
            found.kind,
            found.outcome,
            found.reason,
            found.message,
            found.page_count,
            found.left_out,
        )
        if found.sha256 and found.outcome in SAME_UNDER_ANY_NAME:
            return content, keeper.unsaved
        self.store.forget_pages_so_far(sha256, recipe)
        return content, None

    def _keep(self, document: Document, content: Content, pages: Sequence[Page] | None, **facts: int | None) -> None:
        """With text it waits for the model; without, this is what became of it. A second copy is not read twice."""
        readable = content.outcome in ("read", "partial")
        with self.store.at_once():
            if pages is not None:
                self.store.save_pages(content, pages)
            twin = self.store.twin(document, content.sha256, content.recipe) if readable else None
            read, recognised = self.store.pages_with_text(content.sha256, content.recipe)
            changes: dict[str, Any] = {
                "kind": content.kind,
                "sha256": content.sha256 or None,
                "recipe": content.recipe if content.sha256 else None,
                "outcome": "refused" if twin else "waiting" if readable else content.outcome,
                "reason": "duplicate" if twin else content.reason,
                "message": f"This is the same file as {twin.name}, which is read." if twin else content.message,
                "pages": content.pages,
                "pages_read": 0 if twin else read,
                "pages_recognised": 0 if twin else recognised,
                "left_out": content.left_out,
            }
            changed = self.store.update_document(document.id, **changes, **facts)
        self.events.changed(changed)

    def _on_page(self, document: Document, keeper: PageKeeper) -> Callable[[Page, int | None], None]:
        """Keeps the page and tells how far it is."""

        def on_page(page: Page, pages: int | None) -> None:
            keeper.add(page)
            doing = "recognising" if page.source == "ocr" else "opening"
            upcoming = page.number + 1 if pages is None else min(page.number + 1, pages)
            live = {"page": upcoming, "pages": pages, "doing": doing, "outcome": "waiting"}
            self.engine.live[document.id] = live
            self.events.changed(document)

        return on_page

    def _stop_if_cancelled(self) -> None:
        if self.engine.cancelled.is_set():
            raise CANCELLED
