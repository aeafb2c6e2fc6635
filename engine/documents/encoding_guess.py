"""Bytes of text in an unnamed encoding -> the encoding whose reading looks most like a language. It decodes no file.

chardet does the guessing, among the encodings that text files are found in: of all that it knows, rare ones would be
found in a few signs. Where it is hardly sure, a lone "°" or "½", nothing is guessed.
Measured in many languages, see tests/benchmarks/encodings.py.
"""

from __future__ import annotations

import re

_LATIN = (
    *("cp1252", "mac-roman", "cp850"),
    *("cp1250", "iso8859-2", "cp852", "cp1254", "cp1257"),
)
_OTHER = (
    *("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866"),
    *("cp1253", "iso8859-7", "cp1255", "iso8859-8", "cp1256", "iso8859-6", "cp874"),
    *("gb18030", "big5hkscs", "cp932", "euc_jis_2004", "cp949"),
)
_HARDLY_SURE = 0.04
_MOST_MIXED = 0.3
_OTHER_LETTER = re.compile(r"[^\W\d_\0-\u024f]")
_IN_A_LATIN_WORD = re.compile(r"(?<=[A-Za-z])[^\W\d_\0-\u024f]|[^\W\d_\0-\u024f](?=[A-Za-z])")
_BEYOND = re.compile(rb"[\x80-\xff]")
_END = re.compile(rb"[\n ]")
CHUNK, SAMPLE = 512, 16384


def guessed(data: bytes) -> str | None:
    """The codec; None where nothing looks like a language. data: not UTF-8, without NULs."""
    sample = sample_of(data)
    codec = _detected(sample, _LATIN + _OTHER)
    if codec in _OTHER and _is_mixed(sample.decode(codec, "replace")):
        codec = _detected(sample, _LATIN)
    return codec


def _detected(sample: bytes, codecs: tuple[str, ...]) -> str | None:
    import chardet  # takes its time, and most texts are UTF-8

    found = chardet.detect(sample, include_encodings=codecs, compat_names=False)
    return found["encoding"] if found["confidence"] >= _HARDLY_SURE else None


def _is_mixed(text: str) -> bool:
    """Whether words are written in two alphabets."""
    mixed = len(_IN_A_LATIN_WORD.findall(text))
    return mixed > _MOST_MIXED * len(_OTHER_LETTER.findall(text))


def sample_of(data: bytes) -> bytes:
    """Pieces that hold bytes beyond ASCII; each begins and ends where a letter does in every encoding."""
    if len(data) <= SAMPLE:
        return data
    pieces: list[bytes] = []
    place = size = 0
    while size < SAMPLE and (beyond := _BEYOND.search(data, place)) is not None:
        start = max(place, beyond.start() - 32)
        end = _END.search(data, start + CHUNK)
        pieces.append(data[start : end.end() if end is not None and end.end() < start + SAMPLE else start + SAMPLE])
        size += len(pieces[-1])
        if end is None or end.end() >= start + SAMPLE:
            break
        place = end.end()
    return b"".join(pieces)
