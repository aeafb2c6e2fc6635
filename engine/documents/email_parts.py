"""The parts of a message (RFC 2045 to 2049): which are its text, which come with it, and which are neither.

It opens no attachment and looks at no picture.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.message import Message
from mimetypes import guess_extension

from engine.documents.charsets import decoded_as
from engine.documents.data_address import NAME, picture_of
from engine.documents.email_forms import best_of
from engine.documents.email_headers import base64_bytes, header, parameter, words
from engine.documents.email_transfer import Unpacked, unpacked
from engine.documents.flow import one_line
from engine.documents.html import decode_html, web_text
from engine.documents.names import display_name
from engine.documents.reader import LeftOut
from engine.documents.text import decode

NAMELESS = "attachment"
LONGEST_NAME = 150
TOO_DEEP = "application/x-too-deep"
"""How a part is called that lies too deep to be told apart."""
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
    """texts: that make up the message, in order. pictures: that it shows with them."""

    texts: list[str] = field(default_factory=list)
    pictures: list[Attachment] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def letter_of(message: Message) -> Letter:
    """Everything that a message holds, in the order in which it stands."""
    letter = Letter()
    _take(message, letter)
    return letter


def pictures_of(message: Message) -> list[Attachment]:
    """Those that a saved page brings along, wherever they stand."""
    found = ((part, part.get_content_type()) for part in message.walk() if not part.is_multipart())
    return [_picture(part, kind) for part, kind in found if kind.startswith("image/")]


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
    elif kind == TOO_DEEP:
        letter.left_out.append(LeftOut("part", "", "too_deep"))
    elif kind.startswith("multipart/") or _is_text(part, kind):
        _take_text(part, kind, letter)
    else:
        _take_attachment(part, kind, letter)


def _is_text(part: Message, kind: str) -> bool:
    is_file = part.get_content_disposition() == "attachment" or _filename(part) != ""
    plain = kind in ("text/plain", "text/html", "text/enriched", "text/rfc822-headers")
    return not is_file and (plain or kind in ("message/delivery-status", "message/disposition-notification"))


def _take_text(part: Message, kind: str, letter: Letter) -> None:
    held = unpacked(part)
    text = _page_text(part, held.data, letter) if kind == "text/html" else _text(part, kind, held.data)
    if text is None:
        letter.left_out.append(LeftOut("part", _name(part, kind), "binary"))
    letter.texts += [found.strip("\n") for found in (text or "", held.after) if found.strip()]
    _tell_if_broken(held, letter)


def _tell_if_broken(held: Unpacked, letter: Letter) -> None:
    """Without a name: as far as it goes it is read."""
    if not held.is_whole:
        letter.left_out.append(LeftOut("part", "", "damaged"))


def _take_best(parts: list[Message], letter: Letter) -> None:
    """What is in none of them is attached."""
    found = []
    for part in parts:
        inner = Letter()
        _take(part, inner)
        found.append(inner)
        letter.left_out += inner.left_out
        letter.pictures += inner.pictures
        letter.attachments += inner.attachments
    if with_text := [inner.texts for inner in found if inner.texts]:
        letter.texts += best_of(with_text)


def _take_related(part: Message, letter: Letter) -> None:
    """A page and what it shows: pictures between its lines are no documents of their own."""
    inner = _inner(part)
    start = parameter(part, "start")
    root = next((found for found in inner if start and str(found.get("Content-ID", "")).strip() == start), inner[0])
    _take(root, letter)
    for other in inner:
        kind = other.get_content_type()
        if other is root:
            continue
        if kind.startswith("image/"):
            letter.pictures.append(_picture(other, kind))
        elif kind in ("text/css", "text/javascript", "application/javascript") or kind.startswith("font/"):
            letter.left_out.append(LeftOut("part", _name(other, kind)))
        else:
            _take(other, letter)


def _picture(part: Message, kind: str) -> Attachment:
    return Attachment(_name(part, kind), unpacked(part).data)


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
        held = unpacked(part)
        letter.attachments.append(Attachment(name, held.data))
        _tell_if_broken(held, letter)


def _inner(part: Message) -> list[Message]:
    return [inner for inner in part.get_payload() if isinstance(inner, Message)]


def _filename(part: Message) -> str:
    return parameter(part, "filename", "content-disposition") or parameter(part, "name")


def _page_text(part: Message, data: bytes, letter: Letter) -> str | None:
    html = decode_html(data, parameter(part, "charset").lower())
    if html is None:
        return None
    found = web_text(html, whole=True)
    letter.left_out += found.left_out
    held = (picture_of(address) for address in found.pictures)
    letter.pictures += [Attachment(NAME, picture) for picture in held if picture is not None]
    return found.text


def _text(part: Message, kind: str, data: bytes) -> str | None:
    if kind.startswith("message/") and part.is_multipart():
        return "\n\n".join(
            "\n".join(f"{key}: {words(str(value))}" for key, value in inner.raw_items()) for inner in _inner(part)
        )
    charset = parameter(part, "charset").lower()
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
    name = display_name(one_line(_filename(part)).replace("\\", "/").rpartition("/")[2])
    return _shortened(name) if name else NAMELESS + (guess_extension(kind) or "")


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 20]}...{name[-17:]}"
