"""What a file is, by its first bytes, and by its name only where the bytes leave it open.

It knows no format from inside. `kind` is what the protocol calls it: a key of `readers`, "archive" or "unknown".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from engine.documents.reasons import PICTURE_AS_PDF, SENTENCES, unsupported

# A file of the ZIP form: an Office file, a book or an archive. `packages` tells which.
PACKAGE = "package"
# How files of the older compound form begin. `compound` tells what they are.
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MARKDOWN_ENDINGS = frozenset({".md", ".markdown", ".mdown", ".mkd"})
WEB_ENDINGS = frozenset({".html", ".htm", ".xhtml", ".xht"})
# Programs that write pages: what they say is in their code too.
TEMPLATE_ENDINGS = frozenset(
    {".php", ".phtml", ".jsp", ".asp", ".aspx", ".cshtml", ".erb", ".ejs", ".hbs", ".mustache", ".twig", ".tpl"}
    | {".tmpl", ".jinja", ".jinja2", ".j2", ".vue", ".svelte", ".astro"}
    | {".py", ".js", ".ts", ".jsx", ".tsx", ".go", ".rb", ".java"}
)
TABLE_ENDINGS = frozenset({".csv", ".tsv", ".tab"})
MESSAGE_ENDINGS = frozenset({".eml", ".emlx", ".mbox", ".mht", ".mhtml"})
OFFICE_ENDINGS = {
    ".doc": "older Word files",
    ".xls": "older Excel files",
    ".ppt": "older PowerPoint files",
    ".msg": "Outlook messages",
    ".pages": "Pages files",
    ".numbers": "Numbers files",
    ".key": "Keynote files",
}
OLDER_OFFICE, ARCHIVES, PICTURES, SOUNDS = (
    "older Office files",
    "archives of this kind",
    "pictures of this kind",
    "sound and film",
)
READ = (
    (rb"PK\x03\x04|PK\x05\x06", PACKAGE),
    (rb"\{\\rtf", "rtf"),
    (rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|II\*\0|MM\0\*|RIFF....WEBP|BM....\0\0\0\0", "picture"),
    (rb"GIF8[79]a(?=.{0,6}[^\t-~])", "picture"),
    (
        rb"(?:\xef\xbb\xbf)?\s*(?i:(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)?(?:<!doctype html|<html))",
        "html",
    ),
)
NOT_READ = (
    (rb"\0\0..ftyp(?:heic|heix|mif1|avif)|\0\0\x01\0", PICTURES),
    (rb"ID3[\x02-\x04]|OggS\0|fLaC\0|RIFF....(?:WAVE|AVI )|\0\0..ftyp|\x1a\x45\xdf\xa3", SOUNDS),
    (rb"MThd\0\0\0\x06|FORM....AIFF|\xff[\xfb\xf3\xf2\xf1\xf9].{0,60}\0|\0\0\x01[\xba\xb3]|FLV\x01", SOUNDS),
    (rb"\x1f\x8b|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|\xfd7zXZ\0|\x28\xb5\x2f\xfd|MSCF\0\0\0\0", ARCHIVES),
    (rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", ARCHIVES),
    (rb".{257}ustar[\0 ]", ARCHIVES),
    (rb".{60}(?:BOOKMOBI|TEXtREAd)|TPZ[0-3](?=.{0,60}[\0-\x08])", "Kindle books"),
    (rb"AT&TFORM....DJV", "DjVu files"),
    (rb"ITSF\x03\0\0\0", "Windows help files"),
    (rb"\xffWPC", "WordPerfect files"),
    (re.escape(COMPOUND), OLDER_OFFICE),
    (rb"%!PS", "PostScript files"),
)
# A message begins with lines of these names; two of them, so that a text that begins with one is a text.
HEADER = re.compile(
    rb"(?im)^(?:from|to|cc|date|subject|received|return-path|delivered-to|message-id|mime-version|content-type|x-[\w-]+):"
)
# What programs add on the way: without any of them it is a note that a person heads like a message.
SENT = frozenset({b"received", b"return-path", b"delivered-to", b"message-id", b"mime-version"})
MAILBOX = re.compile(rb"From [^\r\n]*\d\d:\d\d[^\r\n]*\r?\n(?=[A-Za-z-]+:)")
PROGRAMS = re.compile(
    rb"\x7fELF|MZ(?=.{0,60}\0)|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|\0asm|SQLite format 3\0"
    rb"|\x93NUMPY|PAR1[\x15\0]|wOF[F2]\0|OTTO\0|\0\x01\0\0\0",
    re.S,
)
# In what is called a PDF and does not begin like one: another program's data, or the rest of a broken one.
OF_NO_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f\xff]|\bendobj\b|\d obj\b|\bstartxref\b")


@dataclass(frozen=True)
class Kind:
    """`reason` and `message` say why a file of this kind is not read; both None if it is."""

    kind: str
    reason: str | None = None
    message: str | None = None


def kind_of(name: str, head: bytes) -> Kind:
    """What the file called `name` is, from its first bytes. "text", "markdown", "csv", "html" and "email" still have to
    prove that they are text when decoded; PACKAGE has to be looked into.
    """
    ending = PurePath(name).suffix.lower()
    if not head:
        return _refused("empty_file")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n\0").startswith(b"%PDF-") or (ending == ".pdf" and b"%PDF-" in head):
        return Kind("pdf")
    found = _by_content(ending, head)
    if ending == ".pdf" and found.kind == "picture":  # nobody meant to drop a document that is one
        return Kind("unknown", "wrong_type", PICTURE_AS_PDF)
    return _refused("wrong_type") if ending == ".pdf" and _is_broken(found, head) else found


def _by_content(ending: str, head: bytes) -> Kind:
    if PROGRAMS.match(head):
        return _refused("binary")
    for pattern, plural in NOT_READ:
        if re.match(pattern, head, re.S):
            return Kind("unknown", "unsupported_type", unsupported(OFFICE_ENDINGS.get(ending, plural)))
    for pattern, kind in READ:
        if re.match(pattern, head, re.S) and not (kind == "html" and ending in TEMPLATE_ENDINGS | MARKDOWN_ENDINGS):
            return Kind(kind)
    return Kind(_kind_of_text(ending, head))


def _is_broken(found: Kind, head: bytes) -> bool:
    return found.reason == "binary" or (found.kind == "text" and OF_NO_TEXT.search(head) is not None)


def _kind_of_text(ending: str, head: bytes) -> str:
    for endings, kind in (
        (WEB_ENDINGS, "html"),
        (MESSAGE_ENDINGS, "email"),
        (TABLE_ENDINGS, "csv"),
        (MARKDOWN_ENDINGS, "markdown"),
    ):
        if ending in endings:
            return kind
    head = head.removeprefix(b"\xef\xbb\xbf")
    mailbox = MAILBOX.match(head)
    begins, *_ = re.split(rb"\r?\n\r?\n", head[mailbox.end() if mailbox else 0 :], maxsplit=1)
    names = {found.split(b":")[0].lower() for found in HEADER.findall(begins)}
    is_message = HEADER.match(begins) and len(names) > 2 and (mailbox or names & SENT)
    return "email" if is_message else "text"


def _refused(reason: str) -> Kind:
    return Kind("unknown", reason, SENTENCES[reason])
