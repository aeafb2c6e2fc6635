"""Asks a cache a question, and judges the answer by whether it contains an accepted one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.backends.base import Runtime
from engine.chat_format import ChatFormat

ANSWER_TOKENS = 24


def found(answer: str, accepted: Sequence[str]) -> bool:
    """Whether the answer contains one of them, whatever its case, spacing and punctuation; a number as a whole."""
    text = _plain(answer)
    return any(re.search(_whole(_plain(value)), text) for value in accepted)


def question_tokens(runtime: Runtime, chat: ChatFormat, question: str) -> list[int]:
    """What is read after a document, up to the answer, as the product asks."""
    asked = runtime.tokenize(f"\n\n{question}", special=False)
    return asked + runtime.tokenize(chat.closing, special=True)


def ask(runtime: Runtime, chat: ChatFormat, question: str, accepted: Sequence[str]) -> bool:
    """Whether the greedy answer of at most ANSWER_TOKENS tokens contains an accepted one.

    It ends with the model's own end, at a line break after some text, or as soon as it is right. The cache has grown by
    question and answer then.
    """
    answer = b""
    runtime.forward(question_tokens(runtime, chat, question))
    for left in range(ANSWER_TOKENS - 1, -1, -1):
        token = int(runtime.logits().argmax())
        if token in runtime.end_tokens:
            break
        answer += runtime.token_bytes(token)
        if not left or b"\n" in answer.lstrip() or found(_settled(answer), accepted):
            break
        runtime.forward([token])
    return found(_text(answer), accepted)


def _settled(answer: bytes) -> str:
    """Without its last word, which may go on."""
    return re.sub(r"\w+$", "", _text(answer))


def _text(answer: bytes) -> str:
    return answer.decode("utf-8", errors="replace")


def _whole(value: str) -> str:
    """A pattern of the value that no digit goes before or after where it begins or ends with one."""
    before = r"(?<!\d)" if value[:1].isdigit() else ""
    after = r"(?!\d)" if value[-1:].isdigit() else ""
    return before + re.escape(value) + after


def _plain(text: str) -> str:
    """Lower-case words: marks within a number or a word (5,000; U.S.; it's) are left out, others part words."""
    joined = re.sub(r"(?<=\w)[.,'\u2019](?=\w)", "", text.casefold())
    return " ".join(re.sub(r"[\W_]+", " ", joined).split())
