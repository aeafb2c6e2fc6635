"""The head of a message -> the lines that a reader sees. Encoded words are decoded (RFC 2047); none can add a line."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from email.message import Message
from quopri import decodestring

from engine.documents.charsets import decoded_as
from engine.documents.flow import one_line
from engine.documents.text import decode

SHOWN = ("From", "To", "Cc", "Date", "Subject")
LONGEST = 4000
"""Signs of a header that are shown: a list of a thousand addresses is cut, and says so."""
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_WORD = re.compile(r"=\?([^?\s]{1,80})\?([bBqQ])\?([^?]*)\?=")


def header_lines(message: Message) -> list[str]:
    """ "From: Ada <ada@example.org>", as far as the message has them, in the order of SHOWN."""
    texts = ((name, header(message, name)) for name in SHOWN)
    return [f"{name}: {text}" for name, text in texts if text]


def header(message: Message, name: str) -> str:
    """The first header of that name as one line of text, "" where there is none."""
    raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
    text = one_line(words(str(raw)))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} [...]"


def parameter(part: Message, name: str, of: str = "content-type") -> str:
    """Of a header, "" where it has none. The library's own ways to it raise on some that are malformed."""
    try:
        value = part.get_param(name, "", of)
    except (ValueError, LookupError, TypeError):
        return ""
    if isinstance(value, tuple):  # RFC 2231: the encoding, the language, the bytes
        charset, _, text = value
        return _CONTROLS.sub("", _text(text.encode("latin-1", "replace"), charset or "utf-8"))
    return words(str(value))


def words(raw: str) -> str:
    """raw: with bytes beyond ASCII as lone surrogates, as the parser keeps them."""
    data = raw.encode("utf-8", "surrogateescape")
    text = raw if data.isascii() else _text(data, "utf-8")
    pieces: list[str] = []
    waiting, charset, place = b"", "", 0  # words may be parted within a letter
    for word in _WORD.finditer(text):
        between = text[place : word.start()]
        if between.strip() or word[1].lower() != charset or not waiting:
            pieces += (_text(waiting, charset), between if between.strip() or not waiting else "")
            waiting = b""
        charset, place = word[1].lower(), word.end()
        waiting += _bytes(word[2], word[3])
    return _CONTROLS.sub("", "".join((*pieces, _text(waiting, charset), text[place:])))


def base64_bytes(data: bytes) -> bytes:
    """As much of it as can be decoded; what is no base64 at all comes back as it is."""
    kept = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
    if len(kept) % 4 == 1:
        kept = kept[:-1]
    try:
        return b64decode(kept + b"=" * (-len(kept) % 4))
    except binascii.Error:
        return data


def _bytes(how: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return decodestring(data, header=True) if how in "qQ" else base64_bytes(data)


def _text(data: bytes, charset: str) -> str:
    found = decoded_as(data, charset.partition("*")[0])  # RFC 2231 adds the language
    return found if found is not None else decode(data) or data.decode("ascii", "replace")
