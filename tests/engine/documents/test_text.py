from __future__ import annotations

import codecs
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.text import decode

SENTENCE = "Das Café an der Straße öffnet um neun; der Schlüssel liegt im grünen Kästchen \u2013 wie immer.\n"
RUSSIAN = "Ключ от маяка лежит в зелёной жестянке под третьей ступенью лестницы.\n" * 4
CHINESE = "合同编号为二七八九有效期至二零三一年六月三十日。备用钥匙放在绿色的铁盒里。\n" * 4


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SENTENCE, "utf-8"),
        (SENTENCE, "utf-8-sig"),
        (SENTENCE, "utf-16"),
        (SENTENCE, "utf-32"),
        (SENTENCE, "utf-16-le"),
        (SENTENCE, "utf-16-be"),
        (SENTENCE, "cp1252"),
        (SENTENCE.replace("\u2013", "-"), "latin-1"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (CHINESE, "gb18030"),
    ],
)
def test_encodings(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_big_endian_mark() -> None:
    assert decode(codecs.BOM_UTF16_BE + SENTENCE.encode("utf-16-be")) == SENTENCE


def test_a_file_that_breaks_off_in_a_letter_is_read() -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"):
        text = decode((SENTENCE * 9 + "\u2013").encode(encoding)[:-1])
        assert text is not None and text.startswith(SENTENCE * 9)


def test_line_ends_marks_and_nuls_are_gone_and_nothing_else() -> None:
    assert decode(b"\xef\xbb\xbfone\r\ntwo\rthree\n\tfour\0\0\x0c\xc2\xad") == "one\ntwo\nthree\n\tfour\x0c\xad"


@pytest.mark.parametrize("size", [100, 5000])
def test_random_bytes_are_no_text(size: int) -> None:
    noise = random.Random(7).randbytes(size)
    for data in (noise, bytes([0, 255]) + noise, codecs.BOM_UTF16_LE + noise, bytes(size), bytes(size) + b"text"):
        assert decode(data) is None


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cn", "Co"]), min_size=1))
def test_any_text_in_utf8_comes_back(text: str) -> None:
    # Many bytes of no text are valid UTF-8, so what is taken for a mark or for UTF-16 begins with none of these.
    assert decode(("plain " * 8 + text).encode()) == "plain " * 8 + text


@settings(deadline=None)
@given(st.binary())
def test_no_bytes_break_it(data: bytes) -> None:
    text = decode(data)
    assert text is None or ("\0" not in text and "\r" not in text and text.encode() is not None)


def test_room_set_aside_in_a_log_makes_it_no_program() -> None:
    log = b"Log of pump 4\n" + b"\0" * 40 + b"top 9.9 bar\n" + b"\0" * 4000
    assert decode(log) == "Log of pump 4\ntop 9.9 bar\n"
    assert decode(bytes(range(256)) * 4 + b"\0" * 4000) is None
    assert decode(b"\0" * 4000) is None
