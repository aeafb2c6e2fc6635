"""The messages between the window and the engine: their version, encoding and decoding.

JSON lines over the engine's stdin and stdout. The window sends `{id, method, params}`; the engine answers with any
number of `{id, event, data}` and exactly one `{id, result}` or `{id, error: {kind, code, message, details}}`. The
engine's first line is `{event: "hello", data: {protocol, version, pid}}`. Standard library only: the window imports
this module and nothing else of the engine. It knows nothing of what the methods do; `engine.server` does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

PROTOCOL_VERSION = 5

# Answered by the reader thread, at once, whatever the job thread is doing.
IMMEDIATE_METHODS = frozenset(
    {
        "ping",
        "cancel",
        "status",
        "settings_get",
        "settings_set",
        "plan",
        "conversations_list",
        "conversation_create",
        "conversation_open",
        "conversation_rename",
        "conversation_pin",
        "conversation_delete",
        "conversation_restore",
        "documents_list",
        "folder_files",
        "document_text",
        "reread_cost",
        "training_status",
        "training_texts",
        "training_log",
        "training_pause",
        "training_resume",
        "training_discard",
    }
)
# Done one after another by the job thread; each can be cancelled by its id.
JOB_METHODS = frozenset(
    {"documents_add", "documents_read", "documents_unlock", "documents_refresh", "ask", "reread", "warm"}
)
# Done one after another beside those jobs, which they neither wait for nor hold up; each can be cancelled by its id.
ASIDE_METHODS = frozenset({"heads_find", "training_trial", "training_start"})
# What a person looks at: done one after another, held up by no other call; each can be cancelled by its id.
VIEW_METHODS = frozenset({"page_image", "documents_changed"})
METHODS = IMMEDIATE_METHODS | JOB_METHODS | ASIDE_METHODS | VIEW_METHODS

EVENTS = frozenset(
    {"hello", "document", "documents", "reading", "message", "token", "loading", "settings", "trial", "unlocked"}
)

ErrorKind = Literal["user", "bug"]


class ProtocolError(ValueError):
    """A line that is no message of this protocol; the text says what is wrong with it."""


@dataclass(frozen=True)
class Request:
    """One call: `id` is the caller's, unique among calls in flight."""

    id: int
    method: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Event:
    """Something that happened while a call runs (`id`) or to the engine as a whole (`id` is None)."""

    event: str
    data: dict[str, Any] = field(default_factory=dict)
    id: int | None = None


@dataclass(frozen=True)
class Result:
    """The end of a call that went well."""

    id: int
    result: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failure:
    """The end of a call that did not. kind "user": `message` is a sentence for the person; "bug": it goes to a
    report.
    """

    id: int | None
    kind: ErrorKind
    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)


Reply = Event | Result | Failure


def encode(message: Request | Reply) -> bytes:
    """One line of UTF-8 JSON, newline included."""
    body: dict[str, Any]
    match message:
        case Request(id=id, method=method, params=params):
            body = {"id": id, "method": method, "params": params}
        case Event(event=event, data=data, id=id):
            body = {"event": event, "data": data} if id is None else {"id": id, "event": event, "data": data}
        case Result(id=id, result=result):
            body = {"id": id, "result": result}
        case Failure():
            error = {
                "kind": message.kind,
                "code": message.code,
                "message": message.message,
                "details": message.details,
            }
            body = {"id": message.id, "error": error}
    return json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def decode_request(line: bytes) -> Request:
    """The engine's side. Raises ProtocolError, naming what is unknown."""
    body = _object(line)
    unknown = set(body) - {"id", "method", "params"}
    if unknown:
        raise ProtocolError(f"unknown fields in a request: {', '.join(sorted(unknown))}")
    method = body.get("method")
    if not isinstance(method, str) or method not in METHODS:
        raise ProtocolError(f"unknown method: {method!r}")
    params = body.get("params", {})
    if not isinstance(params, dict):
        raise ProtocolError("params is not an object")
    return Request(_id(body), method, params)


def decode_reply(line: bytes) -> Reply:
    """The window's side. Raises ProtocolError, naming what is unknown."""
    body = _object(line)
    if "event" in body:
        if body["event"] not in EVENTS:
            raise ProtocolError(f"unknown event: {body['event']!r}")
        return Event(body["event"], dict(body.get("data", {})), _id(body) if "id" in body else None)
    if "result" in body:
        return Result(_id(body), dict(body["result"]))
    if "error" in body:
        error = body["error"]
        if not isinstance(error, dict) or error.get("kind") not in ("user", "bug"):
            raise ProtocolError("an error without a kind")
        return Failure(
            None if body.get("id") is None else _id(body),
            error["kind"],
            str(error.get("code", "")),
            str(error.get("message", "")),
            dict(error.get("details", {})),
        )
    raise ProtocolError("neither an event, a result nor an error")


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not JSON: {error}") from error
    if not isinstance(body, dict):
        raise ProtocolError("not an object")
    return body


def _id(body: Mapping[str, Any]) -> int:
    id = body.get("id")
    if not isinstance(id, int) or isinstance(id, bool):
        raise ProtocolError("id is not a whole number")
    return id
