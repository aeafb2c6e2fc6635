"""The sentences on screen that are made of numbers, times and outcomes.

Knows the records; nothing of widgets. LOOK: sentences, numbers with units, times as "about 3 min".
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

from app.records import Document, Memory, RereadCost

_ADVICE = {
    "needs_password": "Save a copy without the password and drop it here.",
    "needs_ocr": "Run text recognition (OCR) on it, then drop the result here.",
    "refused": "Drop a PDF, a text file or Markdown instead.",
    "failed": "Open it in another program to check it, then drop it here again.",
}
_REASON = {
    "needs_password": "Needs a password.",
    "needs_ocr": "Its pages are scans without text.",
    "refused": "This kind of file cannot be read.",
    "failed": "It could not be read.",
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
        return "Waiting to be read"
    if document.outcome in ("reading", "paused"):
        return progress(document)
    if document.outcome in TROUBLE:
        return _trouble(document)[0]
    pages = count(document.pages or document.pages_read, "page")
    if document.outcome == "partial":
        return f"{number(document.pages_read)} of {pages} read{_keeps(memory)}"
    return f"{pages}{_keeps(memory)}"


def advice(document: Document) -> str:
    """What to do about a document in trouble, or which of its pages were left out; empty when all is well."""
    if document.outcome in TROUBLE:
        return _trouble(document)[1]
    if document.outcome == "partial" and document.message:
        return document.message
    return " ".join(skipped_pages(document))


def skipped_pages(document: Document) -> list[str]:
    """A sentence for each reason that pages were left out for."""
    reasons = Counter(str(page.get("message") or page.get("reason") or "no text") for page in document.pages_skipped)
    return [f"{count(pages, 'page')} left out: {reason.rstrip('.')}." for reason, pages in reasons.items()]


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
    happened, stop, rest = (document.message or "").partition(". ")
    reason = happened + stop.strip() if happened else _REASON[document.outcome]
    return reason, rest or _ADVICE[document.outcome]


def _keeps(memory: Memory | None) -> str:
    if memory is None or not memory.tokens_read or not memory.units:
        return ""
    return f", keeps {min(100, max(1, round(100 * memory.units / memory.tokens_read)))} %"
