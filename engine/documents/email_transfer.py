"""What a part of a message holds, out of the form in which it was packed for the way (RFC 2045, section 6).

It knows no kinds of parts.
"""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import dataclass
from email.message import Message

from engine.documents.email_headers import base64_bytes

_LEAST_PACKED = 0.9
_PACKED_LINE = re.compile(r"^[A-Za-z0-9+/]{60,76}\s*$", re.M)
_NOT_PACKED = re.compile(r"[^A-Za-z0-9+/]")


@dataclass(frozen=True)
class Unpacked:
    """data: as far as it can be had. after: what a mailing list put behind it unpacked, "" where there is nothing.
    is_whole: whether nothing of it is broken or missing, as far as that shows.
    """

    data: bytes
    after: str = ""
    is_whole: bool = True


def unpacked(part: Message) -> Unpacked:
    """Of a part that holds no others."""
    try:
        if str(part.get("Content-Transfer-Encoding", "")).strip().lower() == "base64":
            return _from_base64(str(part.get_payload()))
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError):
        payload = str(part.get_payload()).encode("ascii", "surrogateescape")
    return Unpacked(payload if isinstance(payload, bytes) else b"")


def _from_base64(text: str) -> Unpacked:
    try:
        return Unpacked(b64decode("".join(text.split()), validate=True))
    except ValueError:
        pass
    lines = text.split("\n")
    end = _end(lines)
    after = "\n".join(lines[end:])
    if _PACKED_LINE.search(after):  # only a line between is broken
        end, after = len(lines), ""
    packed = "".join(line.strip() for line in lines[:end])
    if not packed:
        return Unpacked(_as_text(text).encode())
    data = base64_bytes(packed.encode("ascii", "replace"))
    is_whole = len(packed) % 4 == 0 and not _NOT_PACKED.search(packed.rstrip("="))
    return Unpacked(data, _as_text(after.strip()), is_whole)


def _as_text(unpacked: str) -> str:
    """What stands there in bytes, of which `email` makes half pairs of surrogates."""
    return unpacked.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\0", "\ufffd")


def _end(lines: list[str]) -> int:
    """How many lines belong to it: up to the padding, or to what no longer looks like it."""
    for number, line in enumerate(lines):
        signs = line.strip()
        if signs and len(_NOT_PACKED.sub("", signs.rstrip("="))) < _LEAST_PACKED * len(signs.rstrip("=")):
            return number
        if signs.endswith("="):
            return number + 1
    return len(lines)
