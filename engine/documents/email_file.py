"""A message (.eml), a mailbox of many (mbox) or a saved page (MHTML) -> its text, then what is attached, part by part.

An attachment is opened as a document of its own, by its content; it can lie LIMITS.DEEPEST_DOCUMENT deep. What cannot
be read of them is named. What was made out in pictures between the lines stands at the message's end. Which part is
what is `email_parts`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from email import message_from_bytes
from email.message import Message
from itertools import count

from engine.documents.email_headers import header, header_lines, parameter
from engine.documents.email_parts import TOO_DEEP, Attachment, Letter, letter_of, pictures_of
from engine.documents.email_transfer import unpacked
from engine.documents.flow import Flow
from engine.documents.html import decode_html, web_text
from engine.documents.inner_pictures import InnerPictures
from engine.documents.limits import DEEPEST_DOCUMENT, LARGEST_TEXT, MOST_ATTACHMENTS
from engine.documents.opening import open_document
from engine.documents.page import Page
from engine.documents.places import word
from engine.documents.reader import How, LeftOut, Parts, Reader, Unreadable
from engine.documents.source import Source

MESSAGE_LABEL = "message"
# Between the messages of a mailbox (RFC 4155): after an empty line, "From", who sent it, and when; a head follows.
_BETWEEN = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From [^\r\n]*\d\d:\d\d[^\r\n]*\r?\n(?=>?[A-Za-z][\w-]*[ \t]*:)")
_QUOTED = re.compile(rb"^>(>*From )", re.M)
_COUNTED = re.compile(rb"\A(\d{1,10})[ \t]*\r?\n(?=[A-Za-z-]+:)")
DEEPEST_PARTS = 100
_HOLDS_PARTS = re.compile(rb"^(content-type:\s*)(?:message|multipart)/[\w.+-]+", re.I | re.M)
_IS_HEADER = re.compile(rb"\s*[A-Za-z][\w-]*[ \t]*:")


def open_email(source: Source, how: How) -> Reader:
    """Raises Unreadable: too_large, damaged, binary, no_text."""
    if source.size > LARGEST_TEXT:
        raise Unreadable("too_large")
    left_out: list[LeftOut] = []
    messages = [_parsed(data) for data in _messages(source.read())]

    def parts() -> Iterator[Page]:
        left_out.clear()
        number, pictures = 0, InnerPictures(how.recognition, left_out)
        for message in messages:
            label = (header(message, "Subject") or None) if len(messages) > 1 else MESSAGE_LABEL
            for page in _Reading(how, left_out, pictures).pages(message, label):
                number += 1
                yield replace(page, number=number)

    return Parts(parts, left_out)


def _messages(data: bytes) -> list[bytes]:
    counted = _COUNTED.match(data)
    if counted is not None:  # as Apple Mail keeps them: the length, the message, a list of settings
        return [data[counted.end() : counted.end() + int(counted[1])]]
    if not data.startswith(b"From "):
        return [data]
    return [_QUOTED.sub(rb"\1", message) for message in _BETWEEN.split(data) if message.strip()]


def _parsed(data: bytes) -> Message:
    """A text without a head is a message of that text."""
    if not _IS_HEADER.match(data):
        data = b"\n" + data
    data = data.lstrip(b"\xef\xbb\xbf")
    try:
        try:
            return message_from_bytes(data)
        except RecursionError:
            return message_from_bytes(_flattened(data))
    except (RecursionError, ValueError, LookupError) as error:
        raise Unreadable("damaged") from error


def _flattened(data: bytes) -> bytes:
    """With only so many parts that can hold others; in the others nothing is told apart."""
    number = count()
    return _HOLDS_PARTS.sub(
        lambda found: found[0] if next(number) < DEEPEST_PARTS else found[1] + TOO_DEEP.encode(), data
    )


class _Reading:
    """Of one message with all that lies in it. Numbers of pages are given by whoever puts them together."""

    def __init__(self, how: How, left_out: list[LeftOut], pictures: InnerPictures) -> None:
        self._how, self._left_out, self._pictures = how, left_out, pictures

    def pages(self, message: Message, label: str | None) -> Iterator[Page]:
        if _is_saved_page(message):
            yield self._saved_page(message)
            return
        try:
            letter = letter_of(message)
        except RecursionError as error:
            raise Unreadable("damaged") from error
        self._left_out += letter.left_out
        body = self._body(letter.texts, letter.pictures)
        if head := "\n".join(header_lines(message)):
            text = f"{head}\n\n{body.text}" if body.text else head
            # Where nothing else was read, why its pictures were not is said.
            body = replace(body, outcome="read", text=text, source="text")
        yield replace(body, label=label)
        yield from self._attachments(letter)

    def _body(self, texts: Iterable[str], pictures: Iterable[Attachment]) -> Page:
        flow = Flow()
        for text in texts:
            flow.exact(text)
        self._pictures.begin(1)
        for picture in pictures:
            self._pictures.add_data(flow, picture.name, picture.data)
        return self._pictures.page(1, flow)

    def _saved_page(self, message: Message) -> Page:
        for part in message.walk():
            if part.get_content_type() in ("text/html", "application/xhtml+xml") and not part.is_multipart():
                found = web_text(decode_html(unpacked(part).data, parameter(part, "charset")) or "")
                self._left_out += found.left_out
                return replace(self._body([found.text], pictures_of(message)), label=found.title or None)
        raise Unreadable("no_text")

    def _attachments(self, letter: Letter) -> Iterator[Page]:
        for attachment in letter.attachments[:MOST_ATTACHMENTS]:
            try:
                if attachment.message is not None:
                    yield from self._attached_message(attachment.name, attachment.message)
                else:
                    yield from self._attached_file(attachment)
            except Unreadable as unreadable:
                self._left_out.append(LeftOut("attachment", attachment.name, _why(unreadable)))
        for attachment in letter.attachments[MOST_ATTACHMENTS:]:
            self._left_out.append(LeftOut("attachment", attachment.name, "some_parts_left_out"))

    def _attached_message(self, name: str, message: Message) -> Iterator[Page]:
        if self._how.depth + 1 > DEEPEST_DOCUMENT:
            raise Unreadable("too_deep")
        inner = _Reading(replace(self._how, depth=self._how.depth + 1), self._left_out, self._pictures)
        for page in inner.pages(message, MESSAGE_LABEL):
            yield replace(page, label=f"{name}, {page.label}" if page.label else name)

    def _attached_file(self, attachment: Attachment) -> Iterator[Page]:
        source = Source(attachment.name, data=attachment.data)
        kind, reader = open_document(source, replace(self._how, depth=self._how.depth + 1))
        try:
            for page in reader.pages():
                yield replace(page, label=_label(attachment.name, kind, page), section=None)
            self._left_out += reader.left_out
        finally:
            reader.close()


def _why(unreadable: Unreadable) -> str:
    """Of attachments only PDFs are opened by a password."""
    return "locked" if unreadable.reason == "encrypted" and unreadable.kind != "pdf" else unreadable.reason


def _label(name: str, kind: str, page: Page) -> str:
    """ "report.pdf, page 2", "prices.xlsx, sheet May", "notes.txt"."""
    part = word(kind)
    if part is None:
        return name
    if kind == "email" and page.label:
        return f"{name}, {page.label}"
    return f"{name}, {part} {page.label or page.number}"


def _is_saved_page(message: Message) -> bool:
    if "Snapshot-Content-Location" in message or header(message, "From").lower().startswith("<saved by"):
        return True
    is_message = any(name in message for name in ("From", "To", "Subject"))
    return message.get_content_type() == "multipart/related" and not is_message
