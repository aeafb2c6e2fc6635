"""Whether what came of a case is what its manifest expects, field by field.

It knows pages and outcomes, and nothing of how they were come by: of one file, or of all of a drop together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.documents.extract import Extracted
from engine.documents.page import Page

Expect = Mapping[str, Any]
# Some white space and marks may stand between the cells of a row, and nothing that is read.
BETWEEN_CELLS = r"[\W_]{0,6}"
# The pack says these of kinds that were not read when it was made: pictures are, where text in them is recognised.
SINCE = {("picture", "refused", "unsupported_type"): ("needs_ocr", "no_text_layer")}


@dataclass(frozen=True)
class Came:
    """What came of a case. pages: of each file, by its name."""

    outcome: str
    reason: str | None
    page_count: int | None
    pages: Mapping[str, Sequence[Page]]

    def text(self, page: int | None = None, file: str | None = None) -> str:
        """Of all pages, or of one, or of one file's."""
        found = [each for name, pages in self.pages.items() if file in (None, name) for each in pages]
        return "\n".join(each.text for each in found if page in (None, each.number))

    def numbers(self, outcome: str) -> list[int]:
        """Of the pages that came out so."""
        return [page.number for pages in self.pages.values() for page in pages if page.outcome == outcome]


def of_one(extracted: Extracted, file: str) -> Came:
    return Came(extracted.outcome, extracted.reason, extracted.page_count, {file: extracted.pages})


def right_for(kind: str, outcome: str, reason: str | None) -> tuple[str, str | None]:
    """The outcome and reason that are right now, where the pack has others for a file of this kind."""
    return SINCE.get((kind, outcome, reason or ""), (outcome, reason))


def judge(came: Came, expect: Expect) -> None:
    """All that is expected. Where the outcome is another one that is right too, only what must not be there is."""
    also = [(other["outcome"], other["reason"]) for other in expect.get("also_acceptable", ())]
    assert (came.outcome, came.reason) in [(expect["outcome"], expect["reason"]), *also]
    if came.outcome != "partial":
        assert ("read" in {page.outcome for pages in came.pages.values() for page in pages}) == (came.outcome == "read")
    is_other = (came.outcome, came.reason) != (expect["outcome"], expect["reason"])
    for field, check in JUDGES.items():
        if field in expect and (not is_other or field in WHATEVER_THE_OUTCOME):
            check(came, expect[field], expect)


def wishes(came: Came, expect: Expect) -> list[str]:
    """What would be good to have and is not there, or good not to have and is."""
    whole = normalised(came.text(), expect)
    missing = [item["text"] for item in expect.get("should_contain", ()) if not holds(came, item, expect)]
    return missing + [text for text in expect.get("should_not_contain", ()) if normalised(text, expect) in whole]


def normalised(text: str, expect: Expect) -> str:
    how = expect.get("normalise", ["whitespace"])
    assert set(how) <= {"whitespace", "nfkc"}
    if "nfkc" in how:
        text = unicodedata.normalize("NFKC", text)
    return re.sub(r"\s+", " ", text).strip() if "whitespace" in how else text


def holds(came: Came, item: Mapping[str, Any], expect: Expect) -> bool:
    """Whether {text, page, file?} is where it should be."""
    return normalised(item["text"], expect) in normalised(came.text(item["page"], item.get("file")), expect)


def _pages(came: Came, pages: int | None, expect: Expect) -> None:
    assert came.page_count == pages


def _numbers(outcome: str) -> Callable[[Came, list[int], Expect], None]:
    def check(came: Came, pages: list[int], expect: Expect) -> None:
        assert came.numbers(outcome) == pages, outcome

    return check


def _must_contain(came: Came, items: list[Mapping[str, Any]], expect: Expect) -> None:
    assert [item for item in items if not holds(came, item, expect)] == []


def _must_not_contain(came: Came, texts: list[str], expect: Expect) -> None:
    text, whole = came.text(), normalised(came.text(), expect)
    assert [each for each in texts if (normalised(each, expect) or each) in (whole if each.strip() else text)] == []


def _order(came: Came, texts: list[str], expect: Expect) -> None:
    whole, at = normalised(came.text(), expect), 0
    for text in texts:
        found = whole.find(normalised(text, expect), at)
        assert found >= 0, text
        at = found + 1


def _rows(came: Came, rows: list[list[str]], expect: Expect) -> None:
    whole = normalised(came.text(), expect)
    for row in rows:
        assert re.search(BETWEEN_CELLS.join(re.escape(normalised(cell, expect)) for cell in row), whole), row


def _at_most(came: Came, most: Mapping[str, int] | list[Any], expect: Expect) -> None:
    """Written as {text: times}, as pairs, or as {text, times}."""
    whole = normalised(came.text(), expect)
    for entry in most.items() if isinstance(most, Mapping) else most:
        text, times = entry.values() if isinstance(entry, Mapping) else entry
        assert whole.count(normalised(text, expect)) <= times, text


def _line_count(came: Came, lines: int, expect: Expect) -> None:
    assert len(came.text().strip().split("\n")) == lines


JUDGES: dict[str, Callable[[Came, Any, Expect], None]] = {
    "pages": _pages,
    "pages_read": _numbers("read"),
    "pages_need_ocr": _numbers("needs_ocr"),
    "pages_blank": _numbers("blank"),
    "pages_failed": _numbers("failed"),
    "must_contain": _must_contain,
    "must_not_contain": _must_not_contain,
    "order": _order,
    "rows": _rows,
    "at_most": _at_most,
    "line_count": _line_count,
}
WHATEVER_THE_OUTCOME = frozenset({"must_not_contain", "at_most"})
