"""What a file is, by its first bytes, and by its name only where the bytes leave it open.

It knows no format from inside. `kind` is what the protocol calls it: "pdf", "text", "markdown", "unknown".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from engine.documents.reasons import SENTENCES, unsupported

HEAD_BYTES = 1024
MARKDOWN_ENDINGS = frozenset({".md", ".markdown", ".mdown", ".mkd"})
OFFICE_ENDINGS = {
    ".docx": "Word files",
    ".doc": "Word files",
    ".xlsx": "Excel files",
    ".xls": "Excel files",
    ".pptx": "PowerPoint files",
    ".ppt": "PowerPoint files",
    ".odt": "OpenDocument files",
    ".ods": "OpenDocument files",
    ".odp": "OpenDocument files",
    ".epub": "EPUB books",
    ".pages": "Pages files",
    ".numbers": "Numbers files",
    ".key": "Keynote files",
}
PICTURES, SOUNDS, ARCHIVES = "pictures", "sound and film", "archives"
SIGNATURES = (
    (rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF....WEBP|BM....\0\0\0\0|\0\0\x01\0", PICTURES),
    (rb"\0\0..ftyp(?:heic|heix|mif1|avif)", PICTURES),
    (rb"ID3[\x02-\x04]|OggS\0|fLaC\0|RIFF....(?:WAVE|AVI )|\0\0..ftyp|\x1a\x45\xdf\xa3", SOUNDS),
    (rb"\{\\rtf", "RTF files"),
    (rb"PK\x03\x04|PK\x05\x06|\x1f\x8b|7z\xbc\xaf\x27\x1c|Rar!|\xfd7zXZ\0|BZh[1-9]|\x28\xb5\x2f\xfd", ARCHIVES),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "older Office files"),
    (rb"%!PS", "PostScript files"),
    (rb"(?:\xef\xbb\xbf)?\s*(?i:<!doctype html|<html)", "web pages"),
)
PROGRAMS = re.compile(
    rb"\x7fELF|MZ(?=.{0,60}\0)|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|SQLite format 3\0", re.S
)


@dataclass(frozen=True)
class Kind:
    """`reason` and `message` say why a file of this kind is not read; both None if it is."""

    kind: str
    reason: str | None = None
    message: str | None = None


def kind_of(name: str, head: bytes) -> Kind:
    """What the file called `name` is, from its first HEAD_BYTES. "text" still has to prove itself when decoded."""
    ending = PurePath(name).suffix.lower()
    if not head:
        return _refused("empty_file")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n\0").startswith(b"%PDF-") or (ending == ".pdf" and b"%PDF-" in head):
        return Kind("pdf")
    if ending == ".pdf":
        return _refused("wrong_type")
    if PROGRAMS.match(head):
        return _refused("binary")
    foreign = _foreign(ending, head)
    if foreign is not None:
        return Kind("unknown", "unsupported_type", unsupported(foreign))
    return Kind("markdown" if ending in MARKDOWN_ENDINGS else "text")


def _foreign(ending: str, head: bytes) -> str | None:
    """The plural name of a known kind that is not read yet."""
    for pattern, plural in SIGNATURES:
        if re.match(pattern, head, re.S):
            office = plural in (ARCHIVES, "older Office files")
            return OFFICE_ENDINGS.get(ending, plural) if office else plural
    return "web pages" if ending in (".html", ".htm", ".xhtml") else None


def _refused(reason: str) -> Kind:
    return Kind("unknown", reason, SENTENCES[reason])
