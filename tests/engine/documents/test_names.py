from __future__ import annotations

import pytest

from engine.documents.names import display_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("two\nlines\r.txt", "two lines .txt"),
        ("caf\udce9 \ud800.txt", "caf\ufffd \ufffd.txt"),
        ("invoice \u202etxt.exe", "invoice txt.exe"),
        ("\u2067a\u2069.txt", "a.txt"),
        ("red\x9b31m\x85.txt", "red 31m .txt"),
        ("a\u200b\u2060\ufeff\xadb\U000e0041.txt", "ab.txt"),
        ("\u200b\u200b", "\ufffd"),
        (" \u200d", "\ufffd"),
        ("\u200b\u200b.txt", ".txt"),
        (
            "\u0645\u06cc\u200c\u062e.txt",
            "\u0645\u06cc\u200c\u062e.txt",
        ),
        ("\U0001f469\u200d\U0001f52c.md", "\U0001f469\u200d\U0001f52c.md"),
        ("", ""),
    ],
)
def test_a_name_shows_what_it_is(name: str, shown: str) -> None:
    assert display_name(name) == shown
    shown.encode()
