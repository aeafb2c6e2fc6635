"""Bytes of text in an unnamed encoding -> the encoding whose reading looks most like a language. It decodes no file.

Each encoding is tried, and its reading judged by how common the letters beyond ASCII are in the languages that were
written in it. Letters that no one language has together, capitals within words and signs between letters speak against
a reading. Measured on sentences in 22 languages, see tests/engine/documents/test_encoding_guess.py.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from engine.documents.encoding_letters import COMMON_LEADS, FREQUENT, MULTI, SINGLE

_TYPOGRAPHY = frozenset(
    "\u2018\u2019\u201c\u201d\u201e\u2013\u2014\u2026\u00ab\u00bb\u00a0\u20ac\u00a3\u00a7\u00b0\u00a9\u00bd"
    "\u00bf\u00a1\u2022\u2116\u00ae\u2122\u00b2"
)
_BEYOND = re.compile(rb"[\x80-\xff]")
_FOREIGN = re.compile("[^\0-\x7f]")
_END = re.compile(rb"[\n ]")
CHUNK, SAMPLE = 512, 4096


def guessed(data: bytes) -> str | None:
    """The codec; None where nothing looks like a language. data: not UTF-8, without NULs."""
    sample = sample_of(data)
    best, most = None, 0.0
    for codec, score in _scores(sample):
        if score > most:
            best, most = codec, score
    return best


def sample_of(data: bytes) -> bytes:
    """Pieces that hold bytes beyond ASCII; each begins and ends where a letter does in every encoding."""
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


def _scores(sample: bytes) -> Iterator[tuple[str, float]]:
    for codec, start, languages in SINGLE:
        try:
            text = sample.decode(codec)
        except UnicodeDecodeError:
            continue
        yield codec, _like(text, languages, start)
    for codec in MULTI:
        try:
            text = codecs.getincrementaldecoder(codec)().decode(sample)
        except UnicodeDecodeError:
            continue
        yield codec, _like_asian(text, codec)


@cache
def _ranks(language: str) -> dict[str, float]:
    """Letter -> 3 for the most frequent one, down to 0."""
    ranks: dict[str, float] = {}
    for place, letter in enumerate(language):
        ranks[letter] = 3 - 3 * place / len(language)
        ranks.setdefault(letter.upper(), ranks[letter] - 0.5)
    return ranks


def _like(text: str, languages: tuple[str, ...], start: float) -> float:
    """A mean over the signs beyond ASCII, for the language that fits best."""
    signs: Counter[str] = Counter()
    faults, mixed = 0.0, 0
    for found in _FOREIGN.finditer(text):
        sign, before, after = found[0], text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        signs[sign] += 1
        faults += 3.0 * (sign.isupper() and before.islower())
        mixed += sign.isalpha() and (_is_plain(before) or _is_plain(after))
        faults += 2.5 * (sign in _TYPOGRAPHY and before.isalpha() and after.isalpha() and sign != "\u2019")
    return max(_fit(signs, _ranks(language), faults, mixed, start) for language in languages)


def _fit(signs: Counter[str], ranks: dict[str, float], faults: float, mixed: int, start: float) -> float:
    total = start - faults + sum(times * (ranks.get(sign) or _other(sign)) for sign, times in signs.items())
    if min(ranks) > "\u0250":
        total -= 4.0 * mixed  # a word is not written in two alphabets
    return total / max(1, signs.total())


def _other(sign: str) -> float:
    """Of a sign that is no letter of the language."""
    return 0.5 if sign in _TYPOGRAPHY else -10.0 if sign < "\xa0" else -4.0


def _is_plain(sign: str) -> bool:
    return sign.isascii() and sign.isalpha()


def _like_asian(text: str, codec: str) -> float:
    total, count, before = 0.0, 0, " "
    frequent, judge = FREQUENT.get(codec, ""), _kana if codec in ("shift_jis", "euc_jp") else _no_kana
    for place, sign in enumerate(text):
        if sign > "\x7f":
            count += 1
            total += 4.0 if sign in frequent else judge(sign) or _by_lead(sign, codec)
            around = (before, text[place + 1 : place + 2])
            total -= sum(2.0 for neighbour in around if _is_plain(neighbour) and neighbour.islower())
        before = sign
    return total / count if count else 0.0


def _by_lead(sign: str, codec: str) -> float:
    """The encodings put common characters first, by sound or strokes, and the others after them."""
    if "\uff61" <= sign <= "\uff9f":
        return -2.0  # half-width kana: one byte each, so anything can be read as such
    lead = sign.encode(codec, "replace")[0]
    low, high = COMMON_LEADS[codec]
    if low <= lead <= high and ("\u3400" <= sign <= "\u9fff" or "\uac00" <= sign <= "\ud7a3"):
        return 2.0
    return 1.5 if "\u3000" <= sign <= "\u3011" or "\uff01" <= sign <= "\uff5e" else -1.5


def _kana(sign: str) -> float:
    return 3.0 if "\u3041" <= sign <= "\u3096" else 2.0 if "\u30a1" <= sign <= "\u30fc" else 0.0


def _no_kana(sign: str) -> float:
    return -1.5 if "\u3041" <= sign <= "\u30fc" else 0.0
