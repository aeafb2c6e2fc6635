"""Bytes of a text file -> text, whatever encoding it was written in; None where the bytes are no text.

It knows nothing of files. Byte-order marks and NULs are removed, line ends become "\\n", nothing else is changed.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

from charset_normalizer import from_bytes

MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SAMPLE = 65536
MOST_NULS = 0.3
MOST_CONTROLS = 0.02
CONTROLS = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
# What charset-normalizer is asked about: scripts in which a wrong guess shows. Western European is the default.
ASIAN_CODECS = ["gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"]
OTHER_CODECS = [*ASIAN_CODECS, "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp1250"]


def decode(data: bytes) -> str | None:
    """The text of a text file, or None if the bytes are a program's data."""
    text = _decoded(data)
    if text is None or not _is_text(text):
        return None
    return text.replace("\0", "").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str | None:
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return _try(data[len(mark) :], encoding)
    wide = _wide_without_mark(data)
    if wide is not None:
        return _try(data, wide)
    if data[:SAMPLE].count(0) > MOST_NULS * len(data[:SAMPLE]):
        return None
    return _try(data, "utf-8") or (_guessed(data) if _is_text(data[:SAMPLE].decode("latin-1")) else None)


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _wide_without_mark(data: bytes) -> str | None:
    """UTF-16 of mostly Latin text has a NUL in every second byte and hardly any in the others."""
    even, odd = data[:SAMPLE:2], data[1:SAMPLE:2]
    for nuls, others, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if nuls and nuls.count(0) > 0.7 * len(nuls) and others.count(0) < 0.05 * len(others):
            return encoding
    return None


def _guessed(data: bytes) -> str | None:
    """Not UTF-8: another script's encoding if that is the better reading, else Western European."""
    best = from_bytes(data[:SAMPLE], cp_isolation=OTHER_CODECS).best()
    if best is not None and _mostly_foreign(str(best)):
        return data.decode(best.encoding, "replace")
    return _try(data, "cp1252") or data.decode("latin-1")


def _mostly_foreign(text: str) -> bool:
    """Whether most letters beyond ASCII stand in words of their own script, as they do outside Western European."""
    letters = [character for character in text if character.isalpha()]
    foreign = [character for character in letters if ord(character) > 0x24F]
    return len(foreign) > 0.5 * len(letters)


def _is_text(text: str) -> bool:
    sample = text[:SAMPLE].replace("\0", "")
    if not sample:
        return False
    if len(CONTROLS.findall(sample)) > MOST_CONTROLS * len(sample):
        return False
    unassigned = sum(unicodedata.category(character) in ("Cn", "Co", "Cs") for character in sample)
    return unassigned <= MOST_CONTROLS * len(sample)
