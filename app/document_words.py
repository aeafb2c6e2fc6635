"""The sentences about one document: how far it is read, what was read of it, what is wrong and what to do.

Knows the records; nothing of widgets.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from app.records import Document, Memory
from app.words import count, duration, number

_REASON = {
    "needs_password": "Needs a password.",
    "needs_ocr": "Its pages are pictures without text.",
    "refused": "It could not be read.",
    "failed": "It could not be read.",
}
_ADVICE = {
    "needs_password": "Save a copy without the password and drop it here.",
    "needs_ocr": "Turn on the recognition of text in the settings, or drop a copy with text.",
    "refused": "Open it in another program to check it, then drop it here again.",
    "failed": "Open it in another program to check it, then drop it here again.",
}
# What can be done in the window is another thing than what can be done without it, which the engine's sentences say.
_HERE = {
    "encrypted": ("Needs a password.", "Type it above. It is tried on every locked file and kept nowhere."),
    "wrong_password": ("That password does not open this file.", "Type another one above."),
}
# What became of parts that were not read whole, as it stands behind their number.
_PART = {
    "damaged": "damaged",
    "no_text_layer": "without text",
    "unreadable_font": "in unreadable letters",
    "not_recognised": "not recognised",
    "too_slow": "too slow",
    "too_much_memory": "too large",
    "too_large_unpacked": "too large",
    "unsafe_xml": "unsafe",
    "crashed": "not opened",
}
_LEFT_OUT = {
    "attachment": "attached file",
    "picture": "picture",
    "file": "file",
    "part": "part",
    "hidden": "hidden part",
}
BESIDE = {
    "hidden": "hidden",
    "generated": "made by programs",
    "ignored": "ignored",
    "duplicate": "read already",
    "binary": "without text",
}
TROUBLE = frozenset(_REASON)


def name_shown(document: Document) -> str:
    """The name on its card: below that of its archive it is not said again."""
    return document.name.removeprefix(f"{document.folder}/") if document.folder else document.name


def state(document: Document, memory: Memory | None) -> str:
    """The one line under a document's name."""
    if document.outcome == "waiting":
        return _opening(document) if document.page or document.doing else "Waiting to be read"
    if document.outcome in ("reading", "paused"):
        return progress(document)
    if document.outcome in TROUBLE:
        return _trouble(document)[0]
    return f"{coverage(document)}{_keeps(memory)}"


def unread(document: Document) -> str:
    """Why there is no text of a document to be shown, and what to do."""
    if document.reason in _HERE and document.opens_with_password:
        return f"{_HERE[document.reason][0]} Type it above the documents."
    if document.outcome in TROUBLE:
        return " ".join(filter(None, _trouble(document)))
    return "Its text has not been taken out yet. It is there once the document is opened."


def progress(document: Document) -> str:
    """How far a document is read: "page 41 of 312, about 3 min left"; a file without pages by its share."""
    where = _place(document)
    if document.outcome == "paused":
        return f"Paused at {where}" if where else "Paused"
    return _time_left(where, document) if where else "Opening"


def reread_progress(document: Document) -> str:
    """How far a document is read again, said in the place of the answer to come."""
    where = _place(document)
    doing = "Reading again for this question"
    return f"{doing}: {_time_left(where, document)}" if where else doing


def coverage(document: Document) -> str:
    """What was read of a document: "312 pages: 300 read, 10 by recognition, 2 damaged", then its tokens."""
    size = f", {count(document.tokens, 'token')}" if document.tokens else ""
    if not document.part and not document.pages and not document.pages_skipped:
        return size.removeprefix(", ") or "Read"
    total = document.pages or document.pages_read
    whole = count(total, document.part or "page")
    missing = Counter(_PART.get(str(page.get("reason")), "left out") for page in document.pages_skipped)
    plainly = max(0, total - missing.total() - document.pages_recognised)
    parts = [f"{number(plainly)} read"] if plainly else []
    if document.pages_recognised:
        parts.append(f"{number(document.pages_recognised)} by recognition")
    parts += [f"{number(pages)} {what}" for what, pages in missing.items()]
    if parts == [f"{number(total)} read"]:
        return whole + size
    return f"{whole}: {', '.join(parts)}{size}"


def place_cited(citation: dict[str, Any]) -> str:
    """Where something stands, behind the document's name: "p. 12", "slide 4", a chapter's name; empty in a document of
    one piece.
    """
    place = citation.get("place", f"page {citation['page']}")
    return "" if place is None else str(place).replace("page ", "p. ", 1) if _is_page(str(place)) else str(place)


def is_trouble(document: Document) -> bool:
    """Whether something is wrong; a second copy is not, nor what lies in a folder and was never meant to be read."""
    beside = document.origin is not None and document.reason in BESIDE
    return document.outcome in TROUBLE and document.reason != "duplicate" and not beside


def advice(document: Document) -> str:
    """What to do about a document in trouble, or what of it was left out; empty when all is well."""
    if document.outcome in TROUBLE:
        return _trouble(document)[1]
    return " ".join(filter(None, [document.message, *_not_looked_into(document)]))


def _not_looked_into(document: Document) -> list[str]:
    """What lies in it and gave no text, where that is nothing to mend: the engine's message names the rest."""
    kinds = Counter(str(part.get("what")) for part in document.left_out if part.get("reason") is None)
    return [f"{count(parts, _LEFT_OUT.get(what, 'part'))} in it not read." for what, parts in kinds.items()]


def page_title(document: Document, page: dict[str, Any], last: int) -> str:
    """Which part of a document is shown: "Page 4 of 312, Loans", "Chapter 3 of 12: The long tow"; recognised text is
    said to be.
    """
    if not document.part and last == 1:
        return ""
    title = f"{(document.part or 'page').capitalize()} {number(page['page'])} of {number(last)}"
    if page.get("label"):
        title += f": {page['label']}"
    elif page.get("section"):
        title += f", {page['section']}"
    return f"{title}. Its text was recognised in a picture" if page.get("source") == "ocr" else title


def page_outcome(page: dict[str, Any]) -> str:
    """Why a part has less text than it might; empty where it was read whole."""
    if page.get("message"):
        return str(page["message"])
    if page.get("outcome") == "read":
        return ""
    return "This page is blank." if page.get("outcome") == "blank" else "This page was left out: it holds no text."


def _is_page(place: str) -> bool:
    return re.fullmatch(r"page \d+", place) is not None


def _opening(document: Document) -> str:
    """Its text is being taken out."""
    doing = "Recognising" if document.doing == "recognising" else "Opening"
    if document.pages is None and document.doing != "recognising":
        return doing
    of = f" of {number(document.pages)}" if document.pages else ""
    return f"{doing} {document.part or 'page'} {number(document.page or 0)}{of}"


def _place(document: Document) -> str:
    """Where reading is in a document; empty before the first page."""
    if document.page is not None and document.pages is not None:
        return f"{document.part or 'page'} {number(document.page)} of {number(document.pages)}"
    if document.tokens and document.tokens_read:
        return f"{100 * document.tokens_read // document.tokens} % read"
    return ""


def _time_left(where: str, document: Document) -> str:
    return where if document.seconds_left is None else f"{where}, {duration(document.seconds_left)} left"


def _trouble(document: Document) -> tuple[str, str]:
    """What happened and what to do: the engine's own sentences, ours where it has none."""
    if document.reason in _HERE and document.opens_with_password:
        return _HERE[document.reason]
    if document.reason == "duplicate" and document.message:
        return document.message, ""
    happened, stop, rest = (document.message or "").partition(". ")
    reason = happened + stop.strip() if happened else _REASON[document.outcome]
    return reason, rest or _ADVICE[document.outcome]


def _keeps(memory: Memory | None) -> str:
    if memory is None or not memory.tokens_read or not memory.units:
        return ""
    return f", keeps {min(100, max(1, round(100 * memory.units / memory.tokens_read)))} %"
