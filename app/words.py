"""The sentences on screen that are made of numbers, times and outcomes.

Knows the records; nothing of widgets. LOOK: sentences, numbers with units, times as "about 3 min".
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import Any

from app.records import Document, Folder, Memory, RereadCost

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
    "too_slow": "too slow",
    "too_much_memory": "too large",
    "too_large_unpacked": "too large",
    "unsafe_xml": "unsafe",
}
_LEFT_OUT = {
    "attachment": "attached file",
    "picture": "picture",
    "file": "file",
    "part": "part",
    "hidden": "hidden part",
}
_BESIDE = {
    "hidden": "hidden",
    "generated": "made by programs",
    "ignored": "ignored",
    "duplicate": "read elsewhere",
    "binary": "data of programs",
}
TROUBLE = frozenset(_REASON)
STARTER_MODEL = "SmolLM2-135M-Instruct"


def number(value: float) -> str:
    """A whole number with its thousands marked."""
    return f"{round(value):,}"


def count(value: int, thing: str) -> str:
    """A count and its noun."""
    return f"{number(value)} {thing}" if value == 1 else f"{number(value)} {thing}s"


def megabytes(value: float) -> str:
    """A size in MB, or in GB from 1,000 MB on."""
    return f"{value / 1000:.1f} GB" if value >= 1000 else f"{number(value)} MB"


def duration(seconds: float) -> str:
    """A time to wait, as nobody can promise it more exactly."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 60:
        return f"about {round(seconds / 10) * 10} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {minutes} min"
    hours, rest = divmod(5 * round(minutes / 5), 60)
    return f"about {hours} h {rest} min" if rest else f"about {hours} h"


def when(timestamp: float, now: datetime) -> str:
    """A moment as people name it: the time today, then yesterday, then the date."""
    moment = datetime.fromtimestamp(timestamp)
    days = (now.date() - moment.date()).days
    if days == 0:
        return f"{moment:%H:%M}"
    if days == 1:
        return "Yesterday"
    date = f"{moment.day} {moment:%b}"
    return date if moment.year == now.year else f"{date} {moment.year}"


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


def reread_cost(cost: RereadCost) -> str:
    """What reading again takes, said before it starts."""
    what = f"{count(cost.documents, 'document')} ({count(cost.tokens, 'token')})"
    time = "; the time is not known yet" if cost.seconds is None else f": {duration(cost.seconds)}"
    return f"Reads {what} again with this question in view{time}. What was read before stays as it is."


def state(document: Document, memory: Memory | None) -> str:
    """The one line under a document's name."""
    if document.outcome == "waiting":
        return _opening(document) if document.page else "Waiting to be read"
    if document.outcome in ("reading", "paused"):
        return progress(document)
    if document.outcome in TROUBLE:
        return _trouble(document)[0]
    return f"{coverage(document)}{_keeps(memory)}"


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


def folder_summary(folder: Folder) -> str:
    """What became of a folder's files: "1,204 files, 1,100 read, 4 could not be read. 100 left out: 60 hidden, ..."."""
    outcomes = folder.outcomes
    files = sum(outcomes.values())
    trouble = sum(outcomes.get(outcome, 0) for outcome in TROUBLE)
    read = outcomes.get("read", 0) + outcomes.get("partial", 0)
    words = [count(files, "file")]
    if read + trouble < files:
        words.append(f"{number(read + trouble)} done")
    elif read == files and files:
        words.append("all read")
    if trouble:
        words.append(f"{number(trouble)} could not be read")
    if outcomes.get("partial"):
        words.append(f"{number(outcomes['partial'])} read in part")
    said = ", ".join(words)
    left = sum(folder.left_out.values())
    if not left:
        return said
    reasons = ", ".join(f"{number(files)} {_BESIDE.get(why, why)}" for why, files in folder.left_out.items())
    return f"{said}. {number(left)} left out: {reasons}"


def locked_files(files: int) -> str:
    """Above the field for the password."""
    return "1 file needs a password" if files == 1 else f"{number(files)} files need a password"


def after_password(opened: int, left: int) -> str:
    """What came of trying a password; empty when nothing is left to be opened."""
    if not left:
        return ""
    if not opened:
        return "It opens none of them. Check it and type it again."
    return f"It opened {count(opened, 'file')}. Type the password of the other{'' if left == 1 else 's'}."


def changed_files(files: int) -> str:
    """Of a folder, since it was read."""
    return f"{number(files)} changed since"


def place_cited(citation: dict[str, Any]) -> str:
    """Where something stands, behind the document's name: "p. 12", "slide 4", a chapter's name; empty in a document of
    one piece.
    """
    place = citation.get("place", f"page {citation['page']}")
    return "" if place is None else str(place).replace("page ", "p. ", 1) if _is_page(str(place)) else str(place)


def is_trouble(document: Document) -> bool:
    """Whether something is wrong; what lies in a folder and was never meant to be read is not."""
    beside = document.origin is not None and document.reason in _BESIDE
    return document.outcome in TROUBLE and not beside


def advice(document: Document) -> str:
    """What to do about a document in trouble, or which of its pages were left out; empty when all is well."""
    if document.outcome in TROUBLE:
        return _trouble(document)[1]
    if document.message:
        return document.message
    return " ".join(skipped_pages(document) + _not_looked_into(document))


def skipped_pages(document: Document) -> list[str]:
    """A sentence for each reason that pages were left out for."""
    reasons = Counter(str(page.get("message") or page.get("reason") or "no text") for page in document.pages_skipped)
    return [f"{count(pages, 'page')} left out: {reason.rstrip('.')}." for reason, pages in reasons.items()]


def _not_looked_into(document: Document) -> list[str]:
    """What lies in it and gave no text, where that is nothing to mend."""
    kinds = Counter(str(part.get("what")) for part in document.left_out)
    return [f"{count(parts, _LEFT_OUT.get(what, 'part'))} in it not read." for what, parts in kinds.items()]


def memory_line(memory: Memory) -> str:
    """The meter's sentence."""
    if not memory.tokens_read:
        return "Memory is empty"
    held = f"holds {number(memory.units)} of each head\u2019s units from {count(memory.tokens_read, 'token')} read"
    return f"{held}. {memory.notice}" if memory.notice else held


def memory_details(memory: Memory) -> list[tuple[str, str]]:
    """Label and value of each fact about the memory."""
    share = 100 * memory.units / memory.tokens_read if memory.tokens_read else 0.0
    policy = {
        "locret": "Retaining heads (Locret)",
        "full": "Everything",
        "newest": "The newest",
        "random": "Any, at random",
        "keydiff": "What differs most from the rest (KeyDiff)",
    }
    return [
        ("Read so far", count(memory.tokens_read, "token")),
        ("Kept in each head", f"{number(memory.units)} units, {share:.0f} %"),
        ("Room in each head", f"{number(memory.budget)} units" if memory.eviction else "As long as the model allows"),
        ("Size", megabytes(memory.cache_bytes / 1e6)),
        ("What is kept", policy.get(memory.policy, memory.policy) if memory.eviction else "Everything"),
    ]


def model_name(model: str) -> str:
    """What a model is called: the name of its file or folder."""
    return re.split(r"[/\\]", model.rstrip("/\\"))[-1].removesuffix(".gguf")


def is_starter_model(model: str) -> bool:
    """Whether a model's file is one of those that come with Keepsake."""
    return model_name(model).startswith(f"{STARTER_MODEL}.")


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
    of = f" of {number(document.pages)}" if document.pages else ""
    return f"{doing} {document.part or 'page'} {number(document.page or 0)}{of}"


def _place(document: Document) -> str:
    """Where reading is in a document; empty before the first page."""
    if document.page is not None and document.pages is not None:
        return f"page {number(document.page)} of {number(document.pages)}"
    if document.tokens and document.tokens_read:
        return f"{100 * document.tokens_read // document.tokens} % read"
    return ""


def _time_left(where: str, document: Document) -> str:
    return where if document.seconds_left is None else f"{where}, {duration(document.seconds_left)} left"


def _trouble(document: Document) -> tuple[str, str]:
    """What happened and what to do: the engine's own sentences, ours where it has none."""
    if document.reason in _HERE and document.kind == "pdf":
        return _HERE[document.reason]
    happened, stop, rest = (document.message or "").partition(". ")
    reason = happened + stop.strip() if happened else _REASON[document.outcome]
    return reason, rest or _ADVICE[document.outcome]


def _keeps(memory: Memory | None) -> str:
    if memory is None or not memory.tokens_read or not memory.units:
        return ""
    return f", keeps {min(100, max(1, round(100 * memory.units / memory.tokens_read)))} %"
