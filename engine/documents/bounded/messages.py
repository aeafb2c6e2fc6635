"""What is read of a document, and how it is to be read -> frames, and back with every field's type checked.

It knows the fields and neither process.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from engine.documents.bounded.frames import BadFrame, Frame
from engine.documents.events import Event, GotPage, Opened, Through
from engine.documents.find import absolute
from engine.documents.page import Page, PageOutcome, PageSource
from engine.documents.reader import How, LeftOut, LeftOutWhat, Recognition, Unreadable
from engine.documents.reasons import SENTENCES

_TEXT = "utf-8", "surrogatepass"
_PAGE = ("number", "outcome", "reason", "label", "section", "source")


def asked_fields(path: Path, member: str | None, how: How) -> dict[str, Any]:
    """Which document, and how it is read. member: the file within the archive at `path`. The reading process looks from
    a folder of its own.
    """
    recognition = asdict(how.recognition) if how.recognition else None
    return {"path": str(absolute(path)), "member": member, "password": how.password, "recognition": recognition}


def asked_how(fields: dict[str, Any]) -> How:
    """The other way round."""
    given = fields["recognition"]
    recognition = Recognition(tuple(given["languages"]), given["data"]) if given else None
    return How(fields["password"], recognition)


def event_frame(event: Event) -> Frame:
    """The text of a page is the frame's payload."""
    if isinstance(event, Opened):
        return Frame({"opened": asdict(event)})
    if isinstance(event, GotPage):
        page = event.page
        fields = {name: getattr(page, name) for name in _PAGE}
        return Frame({"page": fields, "page_count": event.page_count}, page.text.encode(*_TEXT))
    return Frame({"through": asdict(event)})


def event_of(frame: Frame) -> Event:
    """Raises BadFrame."""
    try:
        if "opened" in frame.fields:
            kind, count = _fields(frame.fields["opened"], "kind", "page_count")
            return Opened(_text(kind), _count(count))
        if "page" in frame.fields:
            return GotPage(_page(frame), _count(frame.fields["page_count"]))
        count, left_out = _fields(frame.fields["through"], "page_count", "left_out")
        return Through(_count(count), tuple(_left_out(part) for part in left_out))
    except (KeyError, TypeError, ValueError) as error:
        raise BadFrame("a message of another form") from error


def unreadable_frame(unreadable: Unreadable) -> Frame:
    """That nothing of a document can be read."""
    return Frame({"unreadable": [unreadable.reason, unreadable.message, unreadable.kind]})


def unreadable_of(frame: Frame) -> Unreadable | None:
    """What the frame says, if it says that. Raises BadFrame."""
    if "unreadable" not in frame.fields:
        return None
    try:
        reason, message, kind = frame.fields["unreadable"]
        return Unreadable(_reason(_text(reason)) or "", _optional(message), _optional(kind))
    except (TypeError, ValueError) as error:
        raise BadFrame("a message of another form") from error


def _page(frame: Frame) -> Page:
    number, outcome, reason, label, section, source = _fields(frame.fields["page"], *_PAGE)
    if not _count(number) or outcome not in get_args(PageOutcome) or source not in get_args(PageSource):
        raise ValueError(number, outcome, source)
    text = frame.payload.decode(*_TEXT)
    return Page(number, outcome, _reason(reason), text, _optional(label), _optional(section), source)


def _left_out(fields: Any) -> LeftOut:
    what, name, reason = _fields(fields, "what", "name", "reason")
    if what not in get_args(LeftOutWhat):
        raise ValueError(what)
    return LeftOut(what, _text(name), _reason(reason))


def _fields(fields: Any, *names: str) -> list[Any]:
    return [fields[name] for name in names]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _optional(value: Any) -> str | None:
    return None if value is None else _text(value)


def _count(value: Any) -> int | None:
    if value is not None and (type(value) is not int or value < 0):
        raise TypeError(value)
    return value


def _reason(value: Any) -> str | None:
    if value is not None and value not in SENTENCES:
        raise ValueError(value)
    return _optional(value)
