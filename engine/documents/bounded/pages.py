"""A document's pages out of the reading process, whatever becomes of it: a page that it dies on is a failed page, and
another process goes on with the next. It knows no kind.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from engine.documents.bounded.bounds import ENDS, Bounds, Died
from engine.documents.bounded.frames import BadFrame, Frame
from engine.documents.bounded.messages import asked_fields, event_of
from engine.documents.bounded.pool import run
from engine.documents.events import Event, GotPage, Opened, Through
from engine.documents.limits import LARGEST_EXTRACTED, MOST_DEATHS
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Unreadable
from engine.documents.stopping import Cancelled

REST, PICTURES = "the rest of it", "its pictures"


def read_bounded(
    path: Path, member: str | None, how: How, bounds: Bounds, cancelled: Cancelled, earlier: Sequence[Page] = ()
) -> Generator[Event, None, None]:
    """As `events.read_here`, after the pages that an earlier try came to. Raises Unreadable, UserError("cancelled"),
    and RuntimeError if there can be no reading process. Close it if not everything is taken.
    """
    return _Document(Frame({"job": "read", **asked_fields(path, member, how)}), bounds, cancelled, earlier).events()


class _Document:
    """One that is being read: how far it is, and what it cost."""

    def __init__(self, job: Frame, bounds: Bounds, cancelled: Cancelled, earlier: Sequence[Page]) -> None:
        self._job, self._bounds, self._cancelled = job, bounds, cancelled
        self._opened = False
        self._page_count: int | None = None
        self._next, self._forgiven = earlier[-1].number + 1 if earlier else 1, 0
        # A page that ended the process would end the next one that looks back at it.
        self._lost = [page.number for page in earlier if page.reason in ENDS]
        self._characters, self._spent = 0, 0.0
        # Why text in pictures is no longer looked for: one of them may have ended the process, and it all comes in one.
        self._without_pictures: str | None = None

    def events(self) -> Generator[Event, None, None]:
        while True:
            first = self._next
            try:
                yield from self._attempt()
                return
            except Died as died:
                self._spent = died.spent
                if not died.blames_the_file and self._forgiven != first:
                    self._forgiven = first
                    continue
                if not self._opened:
                    raise Unreadable(died.reason) from died
                if self._is_at_its_end():
                    yield Through(self._page_count, ())
                    return
                # Without a count nobody knows whether there is another page, unless some came since the last death.
                stuck = self._page_count is None and self._next == first
                if stuck and not died.for_good and self._without_pictures is None and self._job.fields["recognition"]:
                    self._without_pictures = died.reason
                    continue
                if died.for_good or stuck or len(self._lost) + 1 >= MOST_DEATHS:
                    yield from self._given_up(died.reason)
                    return
                yield self._failed(died.reason)
                if self._is_at_its_end():  # another process might read it all once more to find nothing
                    yield Through(self._page_count, ())
                    return

    def _attempt(self) -> Iterator[Event]:
        """From the next page on, in one process. Raises Died too."""
        job = Frame({**self._job.fields, "first": self._next, "lost": self._lost})
        if self._without_pictures is not None:
            job.fields["recognition"] = None
        with closing(run(job, self._bounds, self._cancelled, self._spent)) as answers:
            for frame in answers:
                try:
                    event = event_of(frame)
                except BadFrame as error:
                    raise Died("crashed") from error
                self._page_count = event.page_count
                if isinstance(event, Through) and self._without_pictures is not None:
                    left_out = (*event.left_out, LeftOut("picture", PICTURES, self._without_pictures))
                    event = replace(event, left_out=left_out)
                if isinstance(event, GotPage):
                    self._take(event.page)
                elif isinstance(event, Opened) and self._opened:
                    continue
                self._opened = True
                yield event

    def _take(self, page: Page) -> None:
        self._characters += len(page.text)
        if page.number < self._next:
            raise Died("crashed")
        if self._characters > LARGEST_EXTRACTED:
            raise Died("too_large_unpacked", for_good=True)
        self._next = page.number + 1

    def _is_at_its_end(self) -> bool:
        return self._page_count is not None and self._next > self._page_count

    def _failed(self, reason: str) -> GotPage:
        self._lost.append(self._next)
        self._next += 1
        return GotPage(Page(self._next - 1, "failed", reason, ""), self._page_count)

    def _given_up(self, reason: str) -> Iterator[Event]:
        """What is left of the document, every page of it by its number where these are known."""
        left_out = () if self._page_count is not None or self._next == 1 else (LeftOut("part", REST, reason),)
        if not left_out:
            yield self._failed(reason)
        while self._page_count is not None and self._next <= self._page_count:
            yield self._failed(reason)
        yield Through(self._page_count, left_out)
