"""Which of the forms in which a message says the same is read: the plain text, a page, or both (RFC 2046, 5.1.4).

It knows no parts: a form is its texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# Only a picture of the text, or a few words to those who cannot see it.
LEAST_PLAIN = 0.2
MOST_OTHER_WORDS = 0.1
"""Of a form's words that another may lack and still say the same: "view in browser"."""
# Where something lies, marks of links, and what a picture is called say nothing.
_NOT_SAID = re.compile(r"(?:https?://|www\.|mailto:)\S+|\[Picture: [^\]\n]*\]|\[\d+\]", re.I)
# Letters of scripts that have no blanks between words count one by one.
_WITHOUT_BLANKS = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_WITHOUT_BLANKS}]|\d+|[^\W\d_{_WITHOUT_BLANKS}]+")


def best_of(forms: Sequence[list[str]]) -> list[str]:
    """forms: at least one, the plainest first, each with text. The plainest that is no stand-in, unless another says
    what it leaves out; then that one, and both where each does.
    """
    least = LEAST_PLAIN * max(map(_length, forms))
    first = next(number for number, form in enumerate(forms) if _length(form) >= least)
    best, said = forms[first], _words(forms[first])
    for form in forms[first + 1 :]:
        words = _words(form)
        if _says_more(words, said):
            best = best + form if _says_more(said, words) else form
            said = said | words
    return best


def _length(form: list[str]) -> int:
    return sum(map(len, form))


def _words(form: list[str]) -> set[str]:
    return {word for text in form for word in _WORD.findall(_NOT_SAID.sub(" ", text).casefold())}


def _says_more(words: set[str], others: set[str]) -> bool:
    new = words - others
    return any(word.isdecimal() for word in new) or len(new) > MOST_OTHER_WORDS * len(words)
