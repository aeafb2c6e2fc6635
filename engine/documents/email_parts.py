"""The parts of a message (RFC 2045 to 2049): which are its text, which come with it, and which are neither.

It opens no attachment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.message import Message
from mimetypes import guess_extension

from engine.documents.charsets import decoded_as
from engine.documents.email_headers import base64_bytes, header, parameter, words
from engine.documents.flow import one_line
from engine.documents.html import decode_html, web_text
from engine.documents.reader import LeftOut
from engine.documents.text import decode

NAMELESS = "attachment"
LONGEST_NAME = 150
# Only a picture of the text, or a few words to those who cannot see it.
LEAST_PLAIN = 0.2
_SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
_LOCKED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted"})


@dataclass(frozen=True)
class Attachment:
    """data: its bytes; message: instead, where it is a message itself and was not packed."""

    name: str
    data: bytes = b""
    message: Message | None = None


@dataclass
class Letter:
    """texts: that make up the message, in order."""

    texts: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def letter_of(message: Message) -> Letter:
    """Everything that a message holds, in the order in which it stands."""
    letter = Letter()
    _take(message, letter)
    return letter


def _take(part: Message, letter: Letter) -> None:
    kind = part.get_content_type()
    if kind == "multipart/alternative" and part.is_multipart():
        _take_best(_inner(part), letter)
    elif kind == "multipart/related" and part.is_multipart():
        _take_related(part, letter)
    elif kind == "multipart/encrypted":
        letter.left_out.append(LeftOut("part", "", "locked"))
    elif kind == "message/rfc822" and part.is_multipart():
        _take_message(part, letter)
    elif part.is_multipart():
        for inner in _inner(part):
            _take(inner, letter)
    elif kind.startswith("multipart/") or _is_text(part, kind):
        _take_text(part, kind, letter)
    else:
        _take_attachment(part, kind, letter)


def _is_text(part: Message, kind: str) -> bool:
    is_file = part.get_content_disposition() == "attachment" or _filename(part) != ""
    plain = kind in ("text/plain", "text/html", "text/enriched", "text/rfc822-headers")
    return not is_file and (plain or kind in ("message/delivery-status", "message/disposition-notification"))


def _take_text(part: Message, kind: str, letter: Letter) -> None:
    text = _text(part, kind)
    if text is None:
        letter.left_out.append(LeftOut("part", _name(part, kind), "binary"))
    elif text.strip():
        letter.texts.append(text.strip("\n"))


def _take_best(parts: list[Message], letter: Letter) -> None:
    """The plain text, unless it is only a stand-in for the formatted one. What is in neither is attached."""
    found = []
    for part in parts:
        inner = Letter()
        _take(part, inner)
        found.append(inner)
        letter.left_out += inner.left_out
        letter.attachments += inner.attachments
    with_text = [inner.texts for inner in found if inner.texts]
    if with_text:
        longest = max(sum(map(len, texts)) for texts in with_text)
        letter.texts += next(texts for texts in with_text if sum(map(len, texts)) >= LEAST_PLAIN * longest)


def _take_related(part: Message, letter: Letter) -> None:
    """A page and what it shows: pictures between its lines are no documents."""
    inner = _inner(part)
    start = parameter(part, "start")
    root = next((found for found in inner if start and str(found.get("Content-ID", "")).strip() == start), inner[0])
    _take(root, letter)
    for other in inner:
        kind = other.get_content_type()
        if other is root:
            continue
        if kind.startswith("image/"):
            letter.left_out.append(LeftOut("picture", _name(other, kind)))
        elif kind in ("text/css", "text/javascript", "application/javascript") or kind.startswith("font/"):
            letter.left_out.append(LeftOut("part", _name(other, kind)))
        else:
            _take(other, letter)


def _take_message(part: Message, letter: Letter) -> None:
    (inner, *_) = _inner(part)
    name = header(inner, "Subject") or _name(part, "message/rfc822")
    packed = inner.get_payload()
    if str(part.get("Content-Transfer-Encoding", "")).strip().lower() == "base64" and isinstance(packed, str):
        data = base64_bytes(packed.encode("ascii", "ignore"))
        letter.attachments.append(Attachment(f"{_shortened(name)}.eml", data))
    else:
        letter.attachments.append(Attachment(_shortened(name), message=inner))


def _take_attachment(part: Message, kind: str, letter: Letter) -> None:
    name = _name(part, kind)
    if kind in _SIGNATURES:
        letter.left_out.append(LeftOut("part", name))
    elif kind in _LOCKED and "signed" not in parameter(part, "smime-type"):
        letter.left_out.append(LeftOut("part", name, "locked"))
    elif kind in _LOCKED:  # signed, and packed into the signature
        letter.left_out.append(LeftOut("part", name, "unsupported_type"))
    elif kind in ("application/ms-tnef", "application/vnd.ms-tnef") or name.lower() == "winmail.dat":
        letter.left_out.append(LeftOut("attachment", name, "unsupported_type"))
    else:
        letter.attachments.append(Attachment(name, bytes_of(part)))


def _inner(part: Message) -> list[Message]:
    return [inner for inner in part.get_payload() if isinstance(inner, Message)]


def _filename(part: Message) -> str:
    return parameter(part, "filename", "content-disposition") or parameter(part, "name")


def bytes_of(part: Message) -> bytes:
    """What a part holds, unpacked as far as it can be."""
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError):
        payload = str(part.get_payload()).encode("ascii", "surrogateescape")
    return payload if isinstance(payload, bytes) else b""


def _text(part: Message, kind: str) -> str | None:
    if kind.startswith("message/") and part.is_multipart():
        return "\n\n".join(
            "\n".join(f"{key}: {words(str(value))}" for key, value in inner.raw_items()) for inner in _inner(part)
        )
    data = bytes_of(part)
    charset = parameter(part, "charset").lower()
    if kind == "text/html":
        html = decode_html(data, charset)
        return None if html is None else web_text(html, whole=True).text
    text = decoded_as(data, charset) if charset not in ("", "us-ascii") else None
    if text is None or "\0" in text:
        text = decode(data) if data.strip() else ""
    if text is None:
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    is_flowed = parameter(part, "format").lower() == "flowed"
    return _unflowed(text, parameter(part, "delsp").lower() == "yes") if is_flowed else text


def _unflowed(text: str, without_blank: bool) -> str:
    """Lines that a program broke are put together again (RFC 3676): such a line ends in a blank."""
    lines: list[list[str]] = []
    open_quote: str | None = None
    for line in text.split("\n"):
        quote = (re.match(r">*", line) or [""])[0]
        content = line[len(quote) :].removeprefix(" ")
        if open_quote == quote and content != "-- ":
            lines[-1].append(content)
        else:
            lines.append([f"{quote} {content}" if quote else content])
        open_quote = quote if content.endswith(" ") and content != "-- " else None
        if open_quote is not None and without_blank:
            lines[-1][-1] = lines[-1][-1][:-1]
    return "\n".join(map("".join, lines))


def _name(part: Message, kind: str) -> str:
    """As the message calls it; without folders, which could lead anywhere."""
    name = one_line(_filename(part)).replace("\\", "/").rpartition("/")[2]
    return _shortened(name) if name else NAMELESS + (guess_extension(kind) or "")


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 20]}...{name[-17:]}"
