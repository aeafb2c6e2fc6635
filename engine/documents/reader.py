"""What every kind of document gives: its parts in order, one by one, and a word on what was left out.

It knows no kind. A reader is made by `opening`, which looks at the content, in the process that is allowed to fail.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from engine.documents.page import Page
from engine.documents.source import Source

LeftOutWhat = Literal["attachment", "picture", "part", "file", "hidden"]


class Unreadable(Exception):  # noqa: N818 (an outcome, and no failure of ours)
    """Nothing of a document can be read; `reason` is a code of `reasons`. message: a sentence that says more than the
    reason's own, or None. kind: what the content is after all, where it is known.
    """

    def __init__(self, reason: str, message: str | None = None, kind: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.message, self.kind = reason, message, kind


@dataclass(frozen=True)
class LeftOut:
    """Something inside a document that gave no text: an attachment, a picture, a part of a book, a file of an archive,
    a hidden sheet. name: as the document calls it, "" where it has none. reason: a code of `reasons`, or None where
    nothing is wrong: a picture between the lines.
    """

    what: LeftOutWhat
    name: str
    reason: str | None = None


@dataclass(frozen=True)
class Recognition:
    """How text in pictures is recognised. languages: as Tesseract names them ("eng"); data: the folder that holds
    theirs.
    """

    languages: tuple[str, ...]
    data: str


@dataclass(frozen=True)
class How:
    """What a reader may use. password: of the person's, or None. recognition: None: pictures of text need OCR and say
    so. depth: how many documents this one lies in (an attachment of a message: 1).
    """

    password: str | None = field(default=None, repr=False)
    recognition: Recognition | None = None
    depth: int = 0


class Reader(Protocol):
    """An open document. Close it after use."""

    @property
    def page_count(self) -> int | None:
        """Physical pages; None where the kind has none."""

    @property
    def left_out(self) -> Sequence[LeftOut]:
        """Whole once the pages ran out."""

    def pages(self, first: int = 1, lost: Collection[int] = ()) -> Iterator[Page]:
        """From that number on, in order; before them come those on which they depend. lost: numbers before it of pages
        that a reading process ended on: they are not touched again where pages can be had one by one. A part that fails
        is a page "failed" and does not end the others. Raises Unreadable where only reading shows that there is nothing
        to be had.
        """

    def close(self) -> None:
        """Lets go of the file."""


class PartsFrom:
    """A Reader of a document that is read from front to back. parts: begins anew with each call, with the number of the
    first part that is wanted: it may pass over those before it or save itself work on them. It may add to `left_out`,
    the list that it shares.
    """

    def __init__(
        self,
        parts: Callable[[int], Iterator[Page]],
        left_out: Sequence[LeftOut] = (),
        page_count: int | None = None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self._parts, self.left_out, self.page_count, self._close = parts, left_out, page_count, close

    def pages(self, first: int = 1, lost: Collection[int] = ()) -> Iterator[Page]:  # noqa: ARG002
        """All of them: each may depend on those before."""
        return self._parts(first)

    def close(self) -> None:
        """Lets go of the file."""
        self._close()


class Parts(PartsFrom):
    """One that makes all its parts in any case."""

    def __init__(
        self,
        parts: Callable[[], Iterator[Page]],
        left_out: Sequence[LeftOut] = (),
        page_count: int | None = None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(lambda _: parts(), left_out, page_count, close)


Open = Callable[[Source, How], Reader]
"""(source, how) -> Reader. Raises Unreadable and OSError."""
