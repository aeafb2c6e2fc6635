"""The form of what two processes say to each other: a line of JSON in ASCII, then as many bytes as the line names.

It knows no message. What comes from the other side may be anything and is checked before it is believed.
"""

from __future__ import annotations

import json
from typing import IO, Any, NamedTuple

from engine.documents.limits import LARGEST_EXTRACTED, MIB

LONGEST_LINE = 8 * MIB
LARGEST_PAYLOAD = 4 * LARGEST_EXTRACTED
_BYTES = "bytes"


class BadFrame(Exception):  # noqa: N818 (what the other side is to blame for)
    """The other side says what nobody says, or ended in the middle of it."""


class Frame(NamedTuple):
    """fields: what the line says. payload: a page's text in UTF-8, a picture, or nothing."""

    fields: dict[str, Any]
    payload: bytes = b""


def write(stream: IO[bytes], frame: Frame) -> None:
    """At once. Half characters in names of files stay as they are. Raises OSError, ValueError (a line too long)."""
    line = json.dumps({**frame.fields, _BYTES: len(frame.payload)}, separators=(",", ":")).encode("ascii")
    if len(line) >= LONGEST_LINE:
        raise ValueError("a frame's line is too long")
    stream.write(line + b"\n")
    if frame.payload:
        stream.write(frame.payload)
    stream.flush()


def read(stream: IO[bytes]) -> Frame | None:
    """The next one; None at the end. Raises BadFrame and OSError."""
    line = stream.readline(LONGEST_LINE)
    if not line:
        return None
    if not line.endswith(b"\n"):
        raise BadFrame("a line without an end")
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadFrame("a line that is no JSON") from error
    size = fields.pop(_BYTES, None) if isinstance(fields, dict) else None
    if type(size) is not int or not 0 <= size <= LARGEST_PAYLOAD:
        raise BadFrame("a line without a size")
    payload = stream.read(size)
    if len(payload) < size:
        raise BadFrame("a payload without an end")
    return Frame(fields, payload)
