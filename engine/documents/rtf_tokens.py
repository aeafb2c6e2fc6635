"""Bytes of an RTF file -> its tokens (Microsoft's RTF specification 1.9.1, "RTF syntax"). It knows no control word but
those that say how many raw bytes follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

OPEN, CLOSE, WORD, SYMBOL, BYTE, TEXT, RAW = range(7)

_TOKEN = re.compile(
    rb"\\(?:([A-Za-z]{1,40})(-?[0-9]{1,10})? ?|'([0-9A-Fa-f]{2})|([^A-Za-z]))|([{}])|([^\\{}\r\n\0]+)|[\r\n\0]+|\\",
    re.S,
)


class Token(NamedTuple):
    """kind: one of the constants above. name: of a control word or symbol. number: what follows a word, or the value of
    a byte; None where nothing does. data: of a text, or raw bytes.
    """

    kind: int
    name: str = ""
    number: int | None = None
    data: bytes = b""


_OPEN, _CLOSE = Token(OPEN), Token(CLOSE)


def tokens(data: bytes) -> Iterator[Token]:
    """In order. Line breaks of the file are none of the text; what "\\bin" begins comes raw."""
    place = 0
    while (found := _TOKEN.match(data, place)) is not None:
        place = found.end()
        word, number, byte, symbol, brace, text = found.groups()
        if text is not None:
            yield Token(TEXT, data=text)
        elif word is not None:
            value = int(number) if number is not None else None
            if word == b"bin":
                yield Token(RAW, data=data[place : place + max(0, value or 0)])
                place += max(0, value or 0)
            else:
                yield Token(WORD, word.decode("ascii"), value)
        elif byte is not None:
            yield Token(BYTE, number=int(byte, 16))
        elif brace is not None:
            yield _OPEN if brace == b"{" else _CLOSE
        elif symbol is not None:
            yield Token(SYMBOL, symbol.decode("latin-1"))
