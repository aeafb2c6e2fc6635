"""One training prompt as text: a piece of a document with facts planted in it, and what may be asked or come after it.

Formatted like the product's own stream (document and question in one user turn). It knows no tokens and no model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from engine.training.corpus import Document
from engine.training.facts import Fact, make_fact, short_answer

CHARACTERS_PER_TOKEN = 4.3
_NAMES = ("report", "notes", "lease", "chapter", "manual", "letter")
_EXTENSIONS = ("pdf", "txt", "md", "docx")
_TEXT_QUESTIONS = (
    "What does the document say about {}?",
    "What do you know about {} from this text?",
    "Where is {} mentioned? Quote the sentence.",
    "Find the sentence about {}.",
    "{}?",
)
_SHORT_ASIDES = ("", "", "", "Answer briefly. ", "Please answer from the document. ")


@dataclass(frozen=True)
class Prompt:
    """document: what is read. answers: (question, answer) pairs, all about it. continuation: the text after it."""

    document: str
    answers: list[tuple[str, str]]
    continuation: str


def make_prompt(documents: Sequence[Document], rng: Random, tokens: int, facts: int, text_questions: int) -> Prompt:
    """A piece of about `tokens` tokens of a random document, `facts` facts of different kinds planted in it."""
    text, continuation = cut(rng.choice(documents).text, rng, tokens)
    planted = distinct_facts(rng, facts)
    answers = [ask(fact, rng) for fact in planted] + text_answers(text, rng, text_questions)
    document = plant([fact.sentence for fact in planted], text, rng)
    return Prompt(as_document(document, rng), answers, continuation)


def cut(text: str, rng: Random, tokens: int) -> tuple[str, str]:
    """A piece of a text of about that many tokens, starting where a paragraph does, and the text after it."""
    length = int(tokens * CHARACTERS_PER_TOKEN)
    starts = [0, *(match.end() for match in re.finditer("\n\n", text[: max(1, len(text) - length - 2000)]))]
    begin = rng.choice(starts)
    end = text.rfind(" ", begin, begin + length)
    end = end if end > begin else begin + length
    return text[begin:end], text[end : end + 2000]


def distinct_facts(rng: Random, count: int, held_out: bool = False) -> list[Fact]:
    """Facts of different kinds, so that no question has two answers."""
    facts: dict[str, Fact] = {}
    while len(facts) < count:
        fact = make_fact(rng, held_out)
        facts.setdefault(fact.kind, fact)
    return list(facts.values())


def plant(sentences: Sequence[str], text: str, rng: Random) -> str:
    """Puts each sentence between two sentences of the text, or on a line of its own, at random places."""
    pieces = re.split(r"(?<=[.!?;:])\s+", text) if text else [""]
    gaps = sorted((rng.randrange(len(pieces) + 1), sentence) for sentence in sentences)
    for gap, sentence in reversed(gaps):
        pieces.insert(gap, f"\n\n{sentence}.\n\n" if rng.random() < 0.3 else f"{sentence}.")
    return re.sub(r" ?\n\n ?", "\n\n", " ".join(pieces)).strip()


def ask(fact: Fact, rng: Random) -> tuple[str, str]:
    """The fact's question, now and then with an instruction, and its answer in full or as the value alone."""
    answer = short_answer(fact) if rng.random() < 0.35 else f"{fact.answer}."
    return rng.choice(_SHORT_ASIDES) + fact.question, answer


def text_answers(text: str, rng: Random, count: int) -> list[tuple[str, str]]:
    """Questions that the text itself answers: about a name or a number in a sentence; the answer is the sentence."""
    sentences = [found.strip() for found in re.findall(r"[A-Z][^.!?\n]{40,220}[.!?]", text)]
    answers: list[tuple[str, str]] = []
    for sentence in rng.sample(sentences, min(len(sentences), 4 * count)):
        topics = re.findall(r"(?<=[a-z,] )(?:[A-Z][a-z]+(?: [A-Z][a-z]+)*|[a-z]{8,})", sentence)
        if topics and len(answers) < count:
            answers.append((rng.choice(_TEXT_QUESTIONS).format(rng.choice(topics)), sentence))
    return answers


def as_document(text: str, rng: Random) -> str:
    """The text as the product shows it to the model: with or without its name, page markers, wrapped lines."""
    if rng.random() < 0.4:
        text = wrap(text, rng.choice((60, 75, 90)))
    if rng.random() < 0.7:
        text = with_pages(text, rng)
    if rng.random() < 0.7:
        text = f"[Document: {rng.choice(_NAMES)}.{rng.choice(_EXTENSIONS)}]\n{text}"
    return text


def wrap(text: str, width: int) -> str:
    """Lines broken at spaces, as text comes out of a PDF."""
    return "\n".join(re.sub(rf"(.{{1,{width}}})(?: |$)", r"\1\n", line).rstrip("\n") for line in text.split("\n"))


def with_pages(text: str, rng: Random) -> str:
    """A marker `[Page n]` at the beginning and after about every 2,000 characters, at a paragraph's end."""
    page, size = rng.randint(1, 300), rng.randint(1200, 3000)
    parts, current = [], f"[Page {page}]"
    for paragraph in text.split("\n\n"):
        if len(current) > size:
            parts.append(current)
            page += 1
            current = f"[Page {page}]"
        current += ("\n" if current.endswith("]") else "\n\n") + paragraph
    return "\n\n".join([*parts, current])
