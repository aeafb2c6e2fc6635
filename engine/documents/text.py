"""Bytes of a text file -> text, whatever encoding it was written in; None where the bytes are no text.

It knows nothing of files. Byte-order marks and NULs are removed, line ends become "\\n", nothing else is changed.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter

from engine.documents.encoding_guess import guessed

MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SAMPLE = 65536
MOST_NULS = 0.3
# Loggers pad their fields and set room aside at the end: a run of NULs behind text is one gap, however long.
PADDING = re.compile(rb"(?<=[^\0])\0{3,}")
MOST_CONTROLS = 0.02
CONTROLS = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
ESCAPES = {b"\x1b$B": "iso2022_jp_2", b"\x1b$@": "iso2022_jp_2", b"\x1b$)C": "iso2022_kr"}
_ASIAN = re.compile("[\t\n\r -~\u2010-\u2026\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9f]")
LEAST_ASIAN, LEAST_LETTERS = 0.95, 16
# A few bytes that are no UTF-8 make no other encoding of a file that is UTF-8 elsewhere: lines of several programs.
MOST_FOREIGN = 0.1
# Windows-1252 with the five bytes that it leaves open as browsers read them (WHATWG Encoding Standard).
WINDOWS_1252 = "".join(
    bytes([byte]).decode("cp1252" if byte not in b"\x81\x8d\x8f\x90\x9d" else "latin-1") for byte in range(256)
)


def decode(data: bytes) -> str | None:
    """The text of a text file, or None if the bytes are a program's data."""
    text = _decoded(data)
    if text is None or not _is_text(text):
        return None
    return text.replace("\0", "").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str | None:
    mark, marked = next(((mark, encoding) for mark, encoding in MARKS if data.startswith(mark)), (b"", None))
    data = data[len(mark) :]
    wide = marked if marked not in (None, "utf-8") else _wide_without_mark(data[:SAMPLE])
    if wide is not None:
        return _try(data[: len(data) - len(data) % (4 if wide.startswith("utf-32") else 2)], wide)
    sample = PADDING.sub(b"\0", data[:SAMPLE])
    if sample.count(0) > MOST_NULS * len(sample):
        return None
    for escape, encoding in ESCAPES.items():
        if escape in data[:SAMPLE] and data.isascii():
            return _try(data, encoding) or data.decode("ascii")
    text = _try(data, "utf-8") or _mostly_utf8(data)
    if text is not None:
        return text
    is_text = _is_text(data[:SAMPLE].decode("latin-1"))
    text = _asian_utf16(data) if b"\0" in data[:SAMPLE] or not is_text else None
    return _guessed(data.replace(b"\0", b"")) if text is None and is_text else text


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _wide_without_mark(sample: bytes) -> str | None:
    """UTF-16 and UTF-32 of letters of few alphabets: the high bytes are all alike, and blanks have a NUL there."""
    if len(sample) < 4:
        return None
    if len(sample) % 4 == 0:
        for encoding, high in (("utf-32-le", sample[2::4] + sample[3::4]), ("utf-32-be", sample[::4] + sample[1::4])):
            if high.count(0) > 0.95 * len(high) and sample.count(0) < 0.8 * len(sample):
                return encoding
    even, odd = sample[::2], sample[1::2]
    for high, low, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if high.count(0) > 0.7 * len(high) and low.count(0) < 0.05 * len(low):
            return encoding
        most = Counter(high).most_common(4)
        alike = sum(times for _, times in most) > 0.97 * len(high) and high.count(0) > 0.015 * len(high)
        if alike and 0 not in low and most[0][0] < 0x10:
            return encoding
    return None


def _asian_utf16(data: bytes) -> str | None:
    """UTF-16 without a mark where nearly all is Chinese, Japanese or Korean: of any 16 bits, half are none of it."""
    data = data[: len(data) - len(data) % 2]
    for encoding in ("utf-16-le", "utf-16-be"):
        sample = data[:SAMPLE].decode(encoding, "replace")
        if len(_ASIAN.findall(sample)) > LEAST_ASIAN * len(sample) and len(sample) >= LEAST_LETTERS:
            return _try(data, encoding)
    return None


def _mostly_utf8(data: bytes) -> str | None:
    foreign = data.decode("utf-8", "replace").count("\ufffd")
    beyond_ascii = len(data.translate(None, bytes(range(128))))
    return data.decode("utf-8", "windows-1252") if foreign <= MOST_FOREIGN * (beyond_ascii - foreign) / 2 else None


def _from_windows(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return codecs.charmap_decode(error.object[error.start : error.end], "strict", WINDOWS_1252)[0], error.end


codecs.register_error("windows-1252", _from_windows)


def _guessed(data: bytes) -> str:
    """Not UTF-8: the encoding that reads best, else Western European."""
    encoding = guessed(data)
    if encoding not in (None, "cp1252"):
        text = data.decode(encoding, "replace")
        if text.count("\ufffd") <= MOST_CONTROLS * len(text):
            return text
    return codecs.charmap_decode(data, "strict", WINDOWS_1252)[0]


def _is_text(text: str) -> bool:
    sample = text[:SAMPLE].replace("\0", "")
    if not sample:
        return False
    if len(CONTROLS.findall(sample)) > MOST_CONTROLS * len(sample):
        return False
    unassigned = sum(unicodedata.category(character) in ("Cn", "Co", "Cs") for character in sample)
    return unassigned <= MOST_CONTROLS * len(sample)
