"""Small documents of which every page tells things apart by its markers alone, and questions about them.

The forms in which markers are written are here too; what a model makes of them is the affair of `markers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from engine.documents.page import Page
from engine.documents.render import render

DOCUMENTS, PAGES, LARGEST_NUMBER = 2, 3, 9
_NAMES = ("budget", "letter", "contract", "report", "diary", "manual", "survey", "speech", "memo", "review", "invoice")
_ENDINGS = (".pdf", ".docx", ".txt", ".md")
_PEOPLE = (
    "Alice", "Bob", "Charles", "Diana", "Edward", "Frank", "George", "Helen", "Ian", "Jack", "Kate", "Laura", "Martin",
    "Nancy", "Oliver", "Peter", "Rachel", "Simon", "Thomas", "Victoria",
)  # fmt: skip
_THINGS = (
    "lighthouse", "orchard", "mill", "ferry", "library", "bakery", "tower", "garden", "school", "bridge", "chapel",
    "market", "harbour", "theatre", "stable", "cottage", "museum", "station",
)  # fmt: skip
_DEEDS = ("painted", "repaired", "bought", "inherited", "measured", "sold")
_SHARED = {
    "colour": ("red", "blue", "green", "yellow", "black", "white", "orange", "purple", "pink", "brown", "grey", "gold"),
    "animal": (
        "dog", "cat", "horse", "cow", "fox", "wolf", "bear", "mouse", "frog", "snake", "goat", "lion",
    ),
    "town": (
        "Paris", "London", "Rome", "Berlin", "Madrid", "Vienna", "Moscow", "Dublin", "Oslo", "Prague", "Athens",
        "Lisbon",
    ),
}  # fmt: skip
_FILLERS = (
    "The weather had been dry for most of the week.",
    "Nothing else of note was written down that day.",
    "A copy of this was kept in the office upstairs.",
    "Most of those who came stayed until the evening.",
    "The road to the village was closed for some hours.",
    "It was agreed to talk about the matter once more.",
    "The old maps show the place in a different form.",
    "Some of the costs were shared among the neighbours.",
)


@dataclass(frozen=True)
class Text:
    """A document: its name and, page by page, the page's number and its text."""

    name: str
    pages: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Question:
    """begun: the answer's beginning, after which one of the candidates stands. right: the index of the right one."""

    task: str
    text: str
    begun: str
    candidates: tuple[str, ...]
    right: int


@dataclass(frozen=True)
class Case:
    texts: tuple[Text, ...]
    questions: tuple[Question, ...]


def case(seed: int, number: int) -> Case:
    """A function of its arguments alone; a question of each task about each page.

    By whom what was done to what stands on one page each; a word of one kind, a colour for instance, stands on every
    page, on each another one.
    """
    rng = Random(f"markers:{seed}:{number}")
    names = [f"{name}{rng.choice(_ENDINGS)}" for name in rng.sample(_NAMES, DOCUMENTS)]
    people, things = rng.sample(_PEOPLE, DOCUMENTS * PAGES), rng.sample(_THINGS, DOCUMENTS * PAGES)
    deeds = rng.sample(_DEEDS, DOCUMENTS * PAGES)
    kind = rng.choice(sorted(_SHARED))
    words = rng.sample(_SHARED[kind], DOCUMENTS * PAGES)
    firsts = [rng.randint(1, LARGEST_NUMBER - PAGES + 1) for _ in names]

    def text(place: int) -> str:
        said = f"The {things[place]} was {deeds[place]} by {people[place]}."
        sentences = [f"The {kind} here is {words[place]}.", said, *rng.sample(_FILLERS, 2)]
        rng.shuffle(sentences)
        return " ".join(sentences)

    texts = [
        Text(name, tuple((firsts[file] + page, text(file * PAGES + page)) for page in range(PAGES)))
        for file, name in enumerate(names)
    ]

    def questions(place: int) -> list[Question]:
        file, page = divmod(place, PAGES)
        name, numbers = names[file], [str(number) for number, _ in texts[file].pages]
        done = f"the {things[place]} was {deeds[place]} by"
        said, at = f"{done} {people[place]}", f"The {kind} on page {numbers[page]} of {name}"
        return [
            Question("file", f"Which file says that {said}?", "It is in the file", _spaced(names), file),
            Question("page", f"Which page of {name} says that {said}?", "It is on page", _spaced(numbers), page),
            Question("at page", f"What is the {at[4:]}?", f"{at} is", _spaced(words), place),
            Question("plain", f"Who {deeds[place]} the {things[place]}?", f"T{done[1:]}", _spaced(people), place),
        ]

    return Case(tuple(texts), tuple(question for place in range(DOCUMENTS * PAGES) for question in questions(place)))


def _spaced(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(f" {word}" for word in words)


def _brackets(text: Text) -> list[str]:
    parts = [f"[Page {number}]\n{said}\n\n" for number, said in text.pages]
    parts[0] = f"[Document: {text.name}]\n{parts[0]}"
    return parts


def _as_written(text: Text) -> list[str]:
    """As Keepsake writes them."""
    return [part for _, part in render(text.name, [Page(number, "read", None, said) for number, said in text.pages])]


def _of_the_name(text: Text) -> list[str]:
    return [f"[Page {number} of {text.name}]\n{said}\n\n" for number, said in text.pages]


def _rules(text: Text) -> list[str]:
    return [f"--- {text.name}, page {number} ---\n{said}\n\n" for number, said in text.pages]


def _xml(text: Text) -> list[str]:
    parts = [f'<page number="{number}">\n{said}\n</page>\n' for number, said in text.pages]
    parts[0] = f'<document name="{text.name}">\n{parts[0]}'
    parts[-1] += "</document>\n\n"
    return parts


def _markdown(text: Text) -> list[str]:
    parts = [f"## Page {number}\n\n{said}\n\n" for number, said in text.pages]
    parts[0] = f"# {text.name}\n\n{parts[0]}"
    return parts


def _nothing(text: Text) -> list[str]:
    return [f"{said}\n\n" for _, said in text.pages]


def _false_lines(text: Text) -> Text:
    """Each page claims, in its first line, to be the next page of its document, and the last one to be the first."""
    numbers = [number for number, _ in text.pages]
    claimed = zip(text.pages, [*numbers[1:], numbers[0]], strict=True)
    return Text(text.name, tuple((number, f"[{text.name}, page {false}]\n{said}") for (number, said), false in claimed))


def _misled(text: Text) -> list[str]:
    """With false lines, as they would stand there if they were not told apart."""
    return [f"[{text.name}, page {number}]\n{said}\n\n" for number, said in _false_lines(text).pages]


def _told_apart(text: Text) -> list[str]:
    """With false lines, as Keepsake writes them."""
    return _as_written(_false_lines(text))


FORMS: dict[str, Callable[[Text], list[str]]] = {
    "[Document: name] [Page n]": _brackets,
    "[name, page n]": _as_written,
    "[Page n of name]": _of_the_name,
    "--- name, page n ---": _rules,
    "XML": _xml,
    "Markdown": _markdown,
    "nothing": _nothing,
    "false lines": _misled,
    "false lines told apart": _told_apart,
}
