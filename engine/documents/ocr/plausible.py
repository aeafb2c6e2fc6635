"""How much of a text looks like words and numbers: tells what was recognised from what noise, or a page that stands on
its head, was taken for. It knows no language.
"""

from __future__ import annotations

import re

PLAUSIBLE = ((40, 0.75), (150, 0.55), (10**9, 0.35))
"""(fewer characters than, share from which on something is text): a little noise looks like a word by chance."""
# Letters of one word, written as people write them: small, with a capital, all capitals, or of a script without case.
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019\-\u2010][^\W\d_]+)*")
_NUMBER = re.compile(r"[\d€$£%+\-]*\d[\d.,:/\-%€$£]*\d[%€$£]?|\d+[%€$£]|[$€£]\d+")
_EDGES = "\"'\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb()[]{}<>.,;:!?\u2026*"
_LEAST_LETTERS = 3
# Of a text: enough to tell.
_LONGEST = 4000
# Scripts in which a word may be one letter: Chinese, Japanese, Korean.
_SYLLABLES = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def plausible_share(text: str) -> float:
    """Characters in words of three letters or more and in numbers, as a share of all that are no white space; 0 for
    none. Prose in good print gives 0.8 and more, the same on its head 0.5 and less, a photograph next to nothing.
    """
    pieces = text[:_LONGEST].split()
    every = sum(len(piece) for piece in pieces)
    return sum(len(piece) for piece in pieces if _is_plausible(piece.strip(_EDGES))) / every if every else 0.0


def is_plausible(text: str) -> bool:
    """Whether a text is more than noise."""
    return plausible_share(text) >= next(share for most, share in PLAUSIBLE if len(text) < most)


def _is_plausible(piece: str) -> bool:
    if _SYLLABLES.search(piece) or _NUMBER.fullmatch(piece):
        return True
    if len(piece) < _LEAST_LETTERS or not _WORD.fullmatch(piece):
        return False
    if len(set(piece.lower())) < min(3, len(piece) - 1):  # "oeeoe", "lll": what patterns are taken for
        return False
    return all(part == part.lower() or part == part.upper() or part[1:] == part[1:].lower() for part in _parts(piece))


def _parts(piece: str) -> list[str]:
    return [part for part in re.split(r"['\u2019\-\u2010]", piece) if part]
