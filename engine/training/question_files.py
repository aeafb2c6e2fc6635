"""Question-answer pairs about contexts, from JSON as ShareGPT and LongAlpaca lay it out.

Pairs about the same context become one document. It knows no tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from engine.training.corpus import Document

# A context shorter than this has nothing that could be evicted.
SHORTEST_CONTEXT = 500
_LONGEST_QUESTION = 1500
# How LongAlpaca parts a text from what is asked about it.
_TEXT_ENDS = re.compile(r"\bNow,? the \w+ ends?\.?\s*|\bThe \w+ ends?\.\s+", re.IGNORECASE)
_PEOPLE, _MODELS = ("human", "user"), ("gpt", "assistant", "chatgpt", "bard", "bing")

Turn = tuple[str, str]


def read_questions(path: Path) -> list[Document]:
    """A document for each context, with all pairs about it; none where the file holds no pairs. Raises ValueError."""
    contexts: dict[str, list[tuple[str, str]]] = {}
    try:
        for record in _records(path.read_text(encoding="utf-8-sig")):
            for context, question, answer in _asked(record):
                pairs = contexts.setdefault(context, [])
                if (question, answer) not in pairs:
                    pairs.append((question, answer))
    except RecursionError as error:
        raise ValueError("lists or objects lie too deep in each other") from error
    return [Document(path.name, text, tuple(pairs)) for text, pairs in contexts.items()]


def _records(text: str) -> list[Any]:
    """Of a JSON list, of an object that is a record or holds a list of them, or of one object a line."""
    try:
        data = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(data, Mapping) and any(True for _ in _turns(data)):
        return [data]
    if isinstance(data, Mapping):
        lists = [value for value in data.values() if isinstance(value, list)]
        return lists[0] if lists else [data]
    return data if isinstance(data, list) else []


def _asked(record: Any) -> Iterator[tuple[str, str, str]]:
    """(context, question, answer) of a record; nothing of one that has no context."""
    if not isinstance(record, Mapping):
        return
    turns = list(_turns(record))
    if not turns or turns[0][0] != "human":
        return
    context, first = _parted(turns[0][1])
    if len(context) < SHORTEST_CONTEXT:
        return
    for (who, said), (whose, answer) in pairwise(turns):
        question = first if said is turns[0][1] else said.strip()
        if who == "human" and whose == "model" and question and answer.strip():
            yield context, question, answer.strip()


def _turns(record: Mapping[str, Any]) -> Iterator[Turn]:
    """ShareGPT's `conversations` (or `messages`), or LongAlpaca's `instruction`, `input` and `output`."""
    turns = record.get("conversations") or record.get("messages")
    for turn in turns if isinstance(turns, list) else []:
        if isinstance(turn, Mapping):
            who = str(turn.get("from") or turn.get("role") or "").lower()
            said = _text(turn.get("value") or turn.get("content") or "")
            if who in _PEOPLE or who in _MODELS:
                yield ("human" if who in _PEOPLE else "model"), said
    if record.get("instruction") and record.get("output"):
        yield "human", "\n\n".join(_text(record[name]) for name in ("input", "instruction") if record.get(name))
        yield "model", _text(record["output"])


def _text(found: Any) -> str:
    """JSON can name half a surrogate pair, which can be neither stored nor tokenized."""
    return str(found).encode("utf-8", "replace").decode()


def _parted(text: str) -> tuple[str, str]:
    """A person's first words as the text and the question after it: behind words that end the text, or the last
    paragraph or line.
    """
    ends = list(_TEXT_ENDS.finditer(text))
    if ends and 0 < len(text) - ends[-1].end() <= _LONGEST_QUESTION:
        return text[: ends[-1].start()].strip(), text[ends[-1].end() :].strip()
    for separator in ("\n\n", "\n"):
        context, found, question = text.strip().rpartition(separator)
        if found and len(question) <= _LONGEST_QUESTION:
            return context.strip(), question.strip()
    return "", text
