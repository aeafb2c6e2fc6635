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
        ("page.html", b"<p>a piece", "unknown", "unsupported_type"),
        ("page", b"\xef\xbb\xbf <!DOCTYPE HTML><title>", "unknown", "unsupported_type"),
    ],
)
def test_content_decides_and_the_name_only_where_it_must(name: str, head: bytes, kind: str, reason: str | None) -> None:
    found = kind_of(name, head)
    assert (found.kind, found.reason) == (kind, reason)
    assert (found.message is None) == (reason is None)


@pytest.mark.parametrize(
    ("name", "head", "words"),
    [
        ("a.docx", b"PK\x03\x04", "Word files"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Word files"),
        ("a.xlsx", b"PK\x03\x04", "Excel files"),
        ("a.epub", b"PK\x03\x04", "EPUB books"),
        ("a.zip", b"PK\x03\x04", "Unpack it"),
        ("a.docx", b"{\\rtf1", "RTF files"),
        ("a.jpg", b"\xff\xd8\xff\xe0", "text recognition"),
        ("a.heic", b"\0\0\0\x18ftypheic", "pictures"),
        ("a.mp4", b"\0\0\0\x18ftypmp42", "sound and film"),
        ("a.html", b"<html>", "web pages"),
    ],
)
def test_a_kind_not_read_yet_is_named_with_what_to_do(name: str, head: bytes, words: str) -> None:
    found = kind_of(name, head)
    assert found.reason == "unsupported_type"
    assert found.message is not None and words in found.message
