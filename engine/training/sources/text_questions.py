"""Questions made from the text itself, without annotation: what it says of names, dates, numbers, terms, headings and
list items is asked back by templates. The answer is the value or the sentence that holds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from engine.training.corpus import Document
from engine.training.sources.base import Asked, Piece
from engine.training.sources.requests import Question

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_SENTENCE = re.compile(r"[A-Z][^.!?\n]{40,220}[.!?](?=\s|$)")
_DATE = re.compile(rf"\b(?:\d{{1,2}} )?(?:{_MONTH})(?: \d{{1,2}})?(?:,? \d{{4}})\b|\b(?:1[5-9]|20)\d\d\b(?![\d.,]*\d)")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])%?")
_COUNTED = re.compile(r"(?<![\w.,-])(?!(?:1[5-9]|20)\d\d )(\d{1,3}(?:,\d{3})+|\d+) ([a-z]{3,}s)\b")
_NOT_COUNTED = re.compile(
    r"(?:.*(?:ss|us|is)|always|becomes|begins|besides|brings|comes|contains|does|gives|goes|has|includes|makes|means|needs|"
    r"perhaps|provides|says|seems|shows|sometimes|supports|takes|unless|uses|was|whereas|works|.*wards)"
)
_TOPIC = re.compile(r"(?<=[a-z,] )(?:[A-Z][a-z]+(?: [A-Z][a-z]+)*|[a-z]{8,})")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)+")
_TERM = re.compile(
    r"((?:An? |The )?)([A-Za-z][\w-]*(?: [A-Za-z][\w-]*){0,3}) "
    r"(?:(?:is|are) (?:an? |the |one of )[a-z]|(?:means|refers to|stands for) )"
)
# Words that no term holds: what begins a clause, points back, counts, or says nothing by itself.
_NO_TERM = re.compile(
    r"(?i:a|after|all|also|an|and|another|any|as|at|because|before|both|but|by|each|either|even|every|few|first|for|from|"
    r"good|he|her|here|his|how|i|if|in|it|its|last|latter|many|more|most|much|my|neither|next|no|none|not|now|of|on|once|"
    r"one|only|other|our|same|second|she|since|so|some|such|than|that|the|their|then|there|these|they|third|this|those|"
    r"though|thus|to|two|until|we|what|when|where|whether|which|while|who|why|with|yet|you|your|"
    r"aim|answer|case|difference|example|fact|goal|idea|point|problem|purpose|question|reason|rest|result|things?|truth|"
    r"way|\w+ly|\w)"
)
_LONGEST_BARE_TERM = 2  # words, with no article before and no capitals
_HEADING = re.compile(r"^(?:#+ *)?([A-Z0-9][^\n]{2,78}[^\s.,:;!?])\n+([A-Z][^.!?\n]{20,220}[.!?])", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*\u2022\u2013]|\(?\d{1,2}[.)])\s+(\S[^\n]{2,160})$", re.MULTILINE)
_ABOUT = (
    "What does the document say about {}?",
    "What do you know about {} from this text?",
    "Where is {} mentioned? Quote the sentence.",
    "Find the sentence about {}.",
    "{}?",
)
_GAPS = (
    'What belongs in the gap: "{}"',
    'Complete this sentence of the document: "{}"',
    'In the document, what stands in the place of the dots: "{}"',
)
_WHEN = ('Which date or year is missing here: "{}"', 'When was this, according to the document: "{}"')
_WHO = ('Which name is missing here: "{}"', 'Who or what is meant in the document: "{}"')
_HOW_MANY = (
    'How many {noun} are there in the sentence that begins "{begin}"?',
    'What number of {noun} goes with "{begin}"?',
)
_MEANS = ("What is {}?", "How does the document define {}?", "What does {} mean here?")
_SECTION = ('What does the section "{}" say first?', 'What stands under the heading "{}"?', "How does {} begin?")
_NEXT_ITEM = ('What follows "{}" in the list?', 'Which point comes after "{}"?')
_GAP = "..."


@dataclass(frozen=True)
class TextQuestions:
    """count: how many questions are asked where the text gives as many, both ends included."""

    count: tuple[int, int] = (3, 8)
    name: str = "text"
    adds: int = 0
    asks_pairs: bool = False

    def suits(self, document: Document) -> bool:
        return bool(document.text)

    def ask(self, piece: Piece, rng: Random) -> Asked:
        return Asked(text_questions(piece.text, rng, rng.randint(*self.count)))


def text_questions(text: str, rng: Random, count: int) -> list[Question]:
    """Up to that many questions, of different kinds where it can be, each about another place of the text."""
    found: list[Question] = []
    for kind in _cycle(list(KINDS.values()), rng, 3 * count):
        if len(found) == count:
            break
        question = kind(text, rng)
        if question is not None and question.answer not in {other.answer for other in found}:
            found.append(question)
    return found


Kind = Callable[[str, Random], Question | None]


def _cycle(kinds: list[Kind], rng: Random, most: int) -> Iterator[Kind]:
    order: list[Kind] = []
    for _ in range(most):
        order = order or rng.sample(kinds, len(kinds))
        yield order.pop()


def about(text: str, rng: Random) -> Question | None:
    """A name or a long word, and the sentence that speaks of it."""
    sentence = _sentence_with(_TOPIC, text, rng)
    if sentence is None:
        return None
    return Question(rng.choice(_ABOUT).format(rng.choice(_TOPIC.findall(sentence))), sentence, sentence)


def date(text: str, rng: Random) -> Question | None:
    """A sentence with dots for the date or year in it."""
    return _gap(_DATE, (*_GAPS, *_WHEN), text, rng)


def number(text: str, rng: Random) -> Question | None:
    """A sentence with dots for a number in it."""
    return _gap(_NUMBER, _GAPS, text, rng)


def name(text: str, rng: Random) -> Question | None:
    """A sentence with dots for a name of several words in it."""
    return _gap(_NAME, (*_GAPS, *_WHO), text, rng)


def how_many(text: str, rng: Random) -> Question | None:
    """A number before a plural."""
    sentences = [sentence for sentence in _SENTENCE.findall(text) if _counted(sentence)]
    if not sentences:
        return None
    sentence = rng.choice(sentences)
    counted = rng.choice(_counted(sentence))
    begin = " ".join(sentence.split()[:5])
    return Question(rng.choice(_HOW_MANY).format(noun=counted[2], begin=begin), f"{counted[1]} {counted[2]}.", sentence)


def _counted(sentence: str) -> list[re.Match[str]]:
    return [found for found in _COUNTED.finditer(sentence) if not _NOT_COUNTED.fullmatch(found[2])]


def definition(text: str, rng: Random) -> Question | None:
    """`X is a ...`, at a sentence's beginning."""
    defined = [(term, s) for s in _SENTENCE.findall(text) if (term := _term(s)) is not None]
    if not defined:
        return None
    term, sentence = rng.choice(defined)
    return Question(rng.choice(_MEANS).format(term), sentence, sentence)


def _term(sentence: str) -> str | None:
    """What the sentence defines, with its article; None where it defines nothing."""
    found = _TERM.match(sentence)
    if found is None:
        return None
    article, words = found[1], found[2].split()
    long = len(words) > _LONGEST_BARE_TERM and not article and not all(word[0].isupper() for word in words)
    if long or any(_NO_TERM.fullmatch(word) for word in words):
        return None
    return article.lower() + found[2]


def heading(text: str, rng: Random) -> Question | None:
    """A line on its own, and the first sentence below it."""
    found = _drawn(_HEADING, text, rng)
    return Question(rng.choice(_SECTION).format(found[1]), found[2], found[2]) if found else None


def list_item(text: str, rng: Random) -> Question | None:
    """The item of a list that follows another of the same list."""
    items = list(_ITEM.finditer(text))
    pairs = [pair for pair in pairwise(items) if not text[pair[0].end() : pair[1].start()].strip()]
    if not pairs:
        return None
    before, after = (item[1].strip() for item in rng.choice(pairs))
    return Question(rng.choice(_NEXT_ITEM).format(" ".join(before.split()[:8])), after, after)


KINDS: dict[str, Kind] = {
    kind.__name__: kind for kind in (about, date, number, name, how_many, definition, heading, list_item)
}


def _gap(pattern: re.Pattern[str], templates: tuple[str, ...], text: str, rng: Random) -> Question | None:
    """A sentence with dots in the place of what the pattern finds in it, which is the answer."""
    sentence = _sentence_with(pattern, text, rng)
    if sentence is None:
        return None
    found = rng.choice(list(pattern.finditer(sentence)))
    gapped = sentence[: found.start()] + _GAP + sentence[found.end() :]
    return Question(rng.choice(templates).format(gapped), f"{found[0]}.", sentence)


def _sentence_with(pattern: re.Pattern[str], text: str, rng: Random) -> str | None:
    sentences = [sentence for sentence in _SENTENCE.findall(text) if pattern.search(sentence)]
    return rng.choice(sentences) if sentences else None


def _drawn(pattern: re.Pattern[str], text: str, rng: Random) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return rng.choice(found) if found else None
