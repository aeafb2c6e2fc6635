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

# Letters beyond ASCII, the most frequent first.
WESTERN = (
    "\u00e9\u00e8\u00e0\u00ea\u00e7\u00f4\u00e2\u00fb\u00ee\u00f9\u00ef\u00eb\u0153",  # French
    "\u00fc\u00e4\u00f6\u00df\u00e9",  # German
    "\u00f3\u00ed\u00e1\u00e9\u00f1\u00fa\u00fc",  # Spanish
    "\u00e3\u00e7\u00e1\u00e9\u00ed\u00ea\u00f3\u00f5\u00fa\u00e0\u00e2\u00f4",  # Portuguese
    "\u00e4\u00e5\u00f6\u00e9\u00fc",  # Swedish, Finnish
    "\u00f8\u00e5\u00e6\u00e9",  # Danish, Norwegian
    "\u00e0\u00e8\u00f9\u00ec\u00f2\u00e9",  # Italian
    "\u00e1\u00ed\u00f0\u00fe\u00f3\u00e6\u00f6\u00fa\u00e9\u00fd",  # Icelandic
    "\u00e0\u00e9\u00f3\u00e8\u00ed\u00e7\u00fa\u00f2\u00ef\u00fc",  # Catalan
    "\u00e4\u00f5\u00fc\u00f6\u0161\u017e",  # Estonian
    "\u00e9\u00eb\u00ef\u00f3\u00e8",  # Dutch
)
CENTRAL = (
    "\u0142\u0119\u00f3\u0105\u017c\u015b\u0107\u0144\u017a",  # Polish
    "\u00ed\u00e1\u011b\u00e9\u0159\u010d\u0161\u017e\u00fd\u016f\u00fa\u0165\u00f3\u0148\u010f",  # Czech
    "\u00e1\u00ed\u010d\u0161\u017e\u00e9\u00fd\u013e\u00fa\u0165\u00f4\u0148\u00f3\u00e4\u010f\u013a\u0155",  # Slovak
    "\u00e1\u00e9\u00f6\u00f3\u0151\u00fc\u00ed\u00fa\u0171",  # Hungarian
    "\u010d\u0161\u017e\u0107\u0111",  # Croatian, Slovene
    "\u0103\u00ee\u015f\u0163\u00e2\u0219\u021b",  # Romanian
)
TURKISH = ("\u0131\u00fc\u015f\u011f\u00e7\u00f6\u0130\u00e2\u00ee",)
BALTIC = (
    "\u0117\u0161\u017e\u0173\u016b\u012f\u0105\u010d\u0119",  # Lithuanian
    "\u0101\u012b\u0113\u0161\u016b\u013c\u0146\u017e\u0137\u010d\u0123",  # Latvian
)
CYRILLIC = (
    "\u043e\u0435\u0430\u0438\u043d\u0442\u0441\u0440\u0432\u043b\u043a\u043c\u0434\u043f\u0443\u044f\u044b"
    "\u044c\u0433\u0437\u0431"
    "\u0447\u0439\u0445\u0436\u0448\u044e\u0446\u0449\u044d\u0444\u0451"
    "\u044a",  # Russian, and without its last, Bulgarian
    "\u043e\u0430\u0438\u043d\u0442\u0456\u0432\u0440\u0435\u0441\u043a\u043b\u0434\u0443\u043c\u043f\u044f"
    "\u0437\u044c\u0431\u0433"
    "\u0447\u0439\u0445\u0457\u0436\u0446\u044e\u0448\u0454\u0449\u0444\u0491",  # Ukrainian
    "\u0430\u0438\u043e\u0435\u043d\u0440\u0441\u0442\u0443\u043a\u0458\u0432\u0434\u043c\u043f\u043b\u0437"
    "\u0433\u0431\u0447\u0446"
    "\u0448\u0436\u0445\u045a\u0459\u045b\u0452\u0444\u045f",  # Serbian
)
GREEK = (
    "\u03b1\u03bf\u03b9\u03c4\u03b5\u03c3\u03bd\u03b7\u03c1\u03c0\u03ba\u03c5\u03bc\u03bb\u03c2\u03c9\u03af"
    "\u03ac\u03cc\u03ad\u03ae"
    "\u03b3\u03b4\u03b8\u03c7\u03cd\u03c6\u03b2\u03ce\u03b6\u03be\u03c8\u03ca\u0390\u03cb\u03b0",
)
HEBREW = (
    "\u05d9\u05d5\u05d4\u05dc\u05d0\u05de\u05e8\u05ea\u05d1\u05e9\u05e0\u05dd\u05d7\u05d3\u05e2\u05e7\u05e4"
    "\u05db\u05d8\u05d2\u05e6"
    "\u05d6\u05e1\u05df\u05da\u05e3\u05e5",
)
ARABIC = (
    "\u0627\u0644\u064a\u0645\u0646\u0648\u0631\u062a\u0647\u0628\u0643\u0639\u0641\u062f\u0642\u0633\u062d"
    "\u0629\u062c\u0634\u0623"
    "\u0635\u062e\u0637\u0649\u0630\u0632\u0636\u062b\u063a\u0626\u0621\u0638\u0625\u0624\u0622\u064e\u0650"
    "\u064f\u064b",
    "\u0627\u06cc\u0631\u0646\u062f\u0647\u0645\u0648\u062a\u0633\u0628\u0634\u06a9\u0632\u0644\u06af\u062e"
    "\u0641\u067e\u0642\u0639"
    "\u062d\u062c\u0686\u0637\u0635\u0636\u0622\u063a\u0630\u062b\u0638\u0698",  # Persian
)
THAI = (
    "\u0e32\u0e19\u0e23\u0e2d\u0e01\u0e40\u0e07\u0e21\u0e22\u0e25\u0e27\u0e14\u0e17\u0e48\u0e2a\u0e15\u0e49"
    "\u0e30\u0e31\u0e35\u0e1b\u0e1a\u0e34"
    "\u0e2b\u0e04\u0e41\u0e44\u0e08\u0e1e\u0e0a\u0e43\u0e02\u0e33\u0e39\u0e38\u0e37\u0e42\u0e47\u0e1c\u0e16"
    "\u0e13\u0e4c\u0e0b\u0e18\u0e28\u0e20\u0e29"
    "\u0e09\u0e1f\u0e36\u0e0d\u0e0e\u0e10\u0e2e\u0e46",
)
# Codec, what it starts with, and the languages written in it. Older and rarer ones have to make up for it.
SINGLE: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("cp1252", 3.0, WESTERN),
    ("cp1251", 1.0, CYRILLIC),
    ("koi8_r", 0.0, CYRILLIC[:1]),
    ("koi8_u", -0.5, CYRILLIC[1:2]),
    ("cp866", -1.0, CYRILLIC[:1]),
    ("iso8859-5", -1.0, CYRILLIC),
    ("mac_cyrillic", -2.0, CYRILLIC),
    ("cp1253", 0.5, GREEK),
    ("iso8859-7", 0.0, GREEK),
    ("cp1255", 0.5, HEBREW),
    ("iso8859-8", 0.0, HEBREW),
    ("cp1256", 0.5, ARABIC),
    ("iso8859-6", 0.0, ARABIC[:1]),
    ("cp1250", 0.5, CENTRAL),
    ("iso8859-2", 0.0, CENTRAL),
    ("cp1254", 0.5, TURKISH),
    ("cp1257", -0.5, BALTIC),
    ("cp874", 0.0, THAI),
    ("mac_roman", -1.0, WESTERN[:7]),
    ("cp850", -1.5, WESTERN[:7]),
    ("cp437", -2.0, WESTERN[:3]),
    ("cp852", -2.0, CENTRAL),
)
MULTI = ("gb18030", "shift_jis", "euc_jp", "big5", "euc_kr")
FREQUENT = {
    "gb18030": "\u7684\u4e00\u662f\u4e0d\u4e86\u5728\u4eba\u6709\u6211\u4ed6\u8fd9\u4e2a\u4eec\u4e2d\u6765"
    "\u4e0a\u5927\u4e3a\u548c\u56fd\u5730\u5230"
    "\u4ee5\u8bf4\u65f6\u8981\u5c31\u51fa\u4f1a\u53ef\u4e5f\u4f60\u5bf9\u751f\u80fd\u800c\u5b50\u90a3\u5f97"
    "\u4e8e\u7740\u4e0b\u81ea\u4e4b\u5e74\u8fc7",
    "big5": "\u7684\u4e00\u662f\u4e0d\u4e86\u5728\u4eba\u6709\u6211\u4ed6\u9019\u500b\u5011\u4e2d\u4f86\u4e0a"
    "\u5927\u70ba\u548c\u570b\u5730\u5230"
    "\u4ee5\u8aaa\u6642\u8981\u5c31\u51fa\u6703\u53ef\u4e5f\u4f60\u5c0d\u751f\u80fd\u800c\u5b50\u90a3\u5f97"
    "\u65bc\u8457\u4e0b\u81ea\u4e4b\u5e74\u904e",
    "euc_kr": "\uc774\ub2e4\ub294\uc5d0\uc758\uc744\uac00\uace0\ud558\uc9c0\ub97c\ud55c\uc740\uae30\ub3c4"
    "\ub85c\uc0ac\uc11c\ub4e4\ub2c8\uc5b4\uc788",
}
COMMON_LEADS = {
    "gb18030": (0xB0, 0xD7),
    "shift_jis": (0x88, 0x97),
    "euc_jp": (0xB0, 0xCF),
    "big5": (0xA4, 0xC6),
    "euc_kr": (0xB0, 0xC8),
}
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
