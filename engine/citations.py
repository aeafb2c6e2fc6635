"""Which pages an answer stands on: those that hold its own distinctive words.

Words that the question gave, and words that most pages hold, say nothing. It knows text alone; a page that it names
does hold these words, which is all that it claims.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)
MOST = 3
# A comma belongs to a number alone: cells that stand side by side in a file of commas are words of their own.
_WORD = re.compile(r"\w(?:[\w.:'-]|(?<=\d),(?=\d))*\w|\w")


def words(text: str) -> set[str]:
    """Lower-case words and numbers, '4.6' and '58-juniper' whole, without those that carry no meaning of their own."""
    return {word for word in _WORD.findall(text.casefold()) if len(word) > 3 or any(c.isdigit() for c in word)}


def cite(answer: str, question: str, pages: Mapping[Place, str]) -> list[Place]:
    """The places, best first, at most MOST, whose text holds what is new in the answer; none when nothing fits.

    pages: the text of each place, (document, page) for instance, in reading order.
    """
    asked = words(question)
    told = words(answer) - asked
    if not told or not pages:
        return []
    found = {place: words(text) for place, text in pages.items()}
    spread = Counter(word for held in found.values() for word in held & (told | asked))
    weight = {word: math.log((1 + len(pages)) / count) for word, count in spread.items()}
    scores: dict[Place, float] = {}
    for place, held in found.items():
        new = sum(weight[word] for word in told & held)
        if new > 0:
            scores[place] = new + sum(weight[word] for word in asked & held) / 2
    best = max(scores.values(), default=0.0)
    ranked = sorted(scores, key=lambda place: -scores[place])
    return [place for place in ranked if scores[place] >= best / 2][:MOST]
