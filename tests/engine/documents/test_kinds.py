from __future__ import annotations

import pytest

from engine.documents.kinds import kind_of


@pytest.mark.parametrize(
    ("name", "head", "kind", "reason"),
    [
        ("a.pdf", b"%PDF-1.7\n", "pdf", None),
        ("a.txt", b"%PDF-1.7\n", "pdf", None),
        ("a.pdf", b"mail header\n" * 20 + b"%PDF-1.4\n", "pdf", None),
        ("about.md", b"A PDF begins with %PDF-1.7, as everybody knows.", "markdown", None),
        ("a.pdf", b"\x89PNG\r\n\x1a\n", "unknown", "wrong_type"),
        ("a.pdf", b"", "unknown", "empty_file"),
        ("a.txt", b"PK and MZ and ID3 are how some files begin.", "text", None),
        ("MZ.txt", b"MZ is a name as good as any other, and this is a text about it.", "text", None),
        ("a.exe", b"MZ\x90\0\x03\0\0\0" + bytes(60), "unknown", "binary"),
        ("a", b"\x7fELF\x02\x01\x01", "unknown", "binary"),
        ("notes.MD", b"# Notes", "markdown", None),
        ("no_ending", b"plain", "text", None),
        ("page.html", b"<p>a piece", "html", None),
        ("page", b"\xef\xbb\xbf <!DOCTYPE HTML><title>", "html", None),
        ("page.txt", b'<?xml version="1.0"?>\n<html xmlns=', "html", None),
        ("a.xml", b'<?xml version="1.0"?>\n<list>', "text", None),
        ("a.docx", b"PK\x03\x04", "package", None),
        ("a.docx", b"{\\rtf1", "rtf", None),
        ("a.jpg", b"\xff\xd8\xff\xe0", "picture", None),
        ("a.tsv", b"a\tb", "csv", None),
        ("a.eml", b"Hello", "email", None),
        ("a", b"Received: by x\r\nFrom: a@b.c\r\nSubject: s\r\n\r\nText", "email", None),
        ("a.txt", b"From: the harbour master\nTo: all\n\nDate: tomorrow", "text", None),
    ],
)
def test_content_decides_and_the_name_only_where_it_must(name: str, head: bytes, kind: str, reason: str | None) -> None:
    found = kind_of(name, head)
    assert (found.kind, found.reason) == (kind, reason)
    assert (found.message is None) == (reason is None)


@pytest.mark.parametrize(
    ("name", "head", "words"),
    [
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "older Word files"),
        ("a.msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Outlook messages"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c", "Unpack it"),
        ("a.heic", b"\0\0\0\x18ftypheic", "pictures"),
        ("a.mp4", b"\0\0\0\x18ftypmp42", "sound and film"),
    ],
)
def test_a_kind_not_read_yet_is_named_with_what_to_do(name: str, head: bytes, words: str) -> None:
    found = kind_of(name, head)
    assert found.reason == "unsupported_type"
    assert found.message is not None and words in found.message
