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
        ("a.pdf", b"\xff" * 90, "unknown", "wrong_type"),
        ("a.pdf", b"MZ\x90\0\x03\0\0\0" + bytes(60), "unknown", "wrong_type"),
        ("a.pdf", b"4 0 obj\n<< /Length 90 >>\nendobj\n", "unknown", "wrong_type"),
        ("a.pdf", b"PK\x03\x04", "package", None),
        ("a.pdf", b"{\\rtf1", "rtf", None),
        ("a.pdf", b"<!DOCTYPE html><title>Log in", "html", None),
        ("a.pdf", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "unknown", "unsupported_type"),
        ("a.pdf", b"Received: by x\r\nFrom: a@b.c\r\nSubject: s\r\n\r\nText", "email", None),
        ("a.pdf", "Typed by hand, caf\u00e9 and all.".encode(), "text", None),
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
        ("Inbox", b"From a@b.c Mon Jun  1 09:00:00 2026\nFrom: a@b.c\nSubject: s\nDate: today\n\nText", "email", None),
        ("a.txt", b"From here on the clock says 09:00\nand nothing else: it stays\nso.", "text", None),
        ("memo.txt", b"From: Ada\nTo: Ben\nSubject: May\nDate: 1 May\nAmount: 500\n\nPay it.", "text", None),
        ("memo.txt", b"TO: All\nFROM: Jane\nDATE: 5 May\nREF: 17\nATTENTION: keys\nSUBJECT: Keys\n\nDue", "text", None),
        ("memo.eml", b"TO: All\nFROM: Jane\nDATE: 5 May\nSUBJECT: Keys\n\nDue.", "email", None),
        ("a", b"From: a@b.c\nTo: d@e.f\nMessage-ID: <1@b.c>\n\nText", "email", None),
        ("a.mbox", b"From a@b.c Mon Jun  1 09:00:00 2026\nFrom: a@b.c\n\nText", "email", None),
        ("page.php", b"<!DOCTYPE html>\n<?php echo 1 ?>", "text", None),
        ("view.vue", b"<!-- a view -->\n<html>", "text", None),
        ("README.md", b"<html><body># Title", "markdown", None),
        ("a.json", b'{"From": "x"}', "text", None),
        ("a.yaml", b"from: a\nto: b\nname: c\n", "text", None),
        ("a.tex", b"\\documentclass{article}", "text", None),
        ("a.srt", b"1\n00:00:01,000 --> 00:00:02,000\nHello\n", "text", None),
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><text>x</text></svg>", "text", None),
        ("a.rs", b"fn main() {}", "text", None),
        ("a.wasm", b"\0asm\1\0\0\0", "unknown", "binary"),
        ("notes.txt", b"SQLite format 3\0\x10\0", "unknown", "binary"),
        ("font.txt", b"OTTO\0\x0b\0\x80", "unknown", "binary"),
        ("a.txt", b"Rar! said the lion", "text", None),
        ("a.txt", b"TPZ3000, its manual", "text", None),
        ("a.txt", b"BZh9 begins a file", "text", None),
        ("a.txt", b"GIF89a begins another", "text", None),
        ("a.txt", b"GIF89a\x20\x03\x58\x02", "picture", None),
        ("a.txt", b"PAR1 is a name, and TPZ is none.", "text", None),
        ("a.txt", b"From: the harbour master\nTo: all\n\nDate: tomorrow", "text", None),
    ],
)
def test_content_decides_and_the_name_only_where_it_must(name: str, head: bytes, kind: str, reason: str | None) -> None:
    found = kind_of(name, head)
    assert (found.kind, found.reason) == (kind, reason)
    assert (found.message is None) == (reason is None)


def test_of_a_picture_called_a_pdf_it_is_said_what_it_is() -> None:
    assert "picture" in (kind_of("a.pdf", b"\x89PNG\r\n\x1a\n").message or "")
    assert "picture" not in (kind_of("a.pdf", b"\xff" * 90).message or "")


@pytest.mark.parametrize(
    ("name", "head", "words"),
    [
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "older Word files"),
        ("a.msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Outlook messages"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c", "Unpack it"),
        ("a.heic", b"\0\0\0\x18ftypheic", "pictures"),
        ("a.tar", b"folder/" + bytes(250) + b"ustar\x0000", "Unpack it"),
        ("a.azw", b"Some book" + bytes(51) + b"BOOKMOBI", "Kindle books"),
        ("a.djvu", b"AT&TFORM\0\0\1\0DJVMDIRM", "DjVu files"),
        ("a.mp3", b"\xff\xfb\x90\x64\0\0", "sound and film"),
        ("a.mp4", b"\0\0\0\x18ftypmp42", "sound and film"),
    ],
)
def test_a_kind_not_read_yet_is_named_with_what_to_do(name: str, head: bytes, words: str) -> None:
    found = kind_of(name, head)
    assert found.reason == "unsupported_type"
    assert found.message is not None and words in found.message
