"""Asks a cache a question, and judges the answer by whether it contains an accepted one, and how likely that one is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from engine.backends.base import Runtime
from engine.chat_format import ChatFormat
from engine.evaluation.drafts import Drafts
from engine.evaluation.surprisal import mean_surprisal

ANSWER_TOKENS = 24


def found(answer: str, accepted: Sequence[str]) -> bool:
    """Whether the answer contains one of them, whatever its case, spacing and punctuation; a number as a whole."""
    text = _plain(answer)
    return any(re.search(_whole(_plain(value)), text) for value in accepted)


def question_tokens(runtime: Runtime, chat: ChatFormat, question: str) -> list[int]:
    """What is read after a document, up to the answer, as the product asks."""
    asked = runtime.tokenize(f"\n\n{question}", special=False)
    return asked + runtime.tokenize(chat.closing, special=True)


def ask(runtime: Runtime, chat: ChatFormat, question: str, accepted: Sequence[str], drafts: Drafts) -> bool:
    """Whether the greedy answer of at most ANSWER_TOKENS tokens contains an accepted one.

    It ends with the model's own end, at a line break after some text, or as soon as it is right. The answer
    is the same whatever was drafted, but for rounding: `drafts`, to which it is added, only say which tokens to forward
    together on trial (the greedy case of speculative decoding, arXiv 2211.17192). The cache is left as it was.
    """
    answer: list[int] = []
    asked = tokens = question_tokens(runtime, chat, question)
    units = runtime.length
    while tokens:
        draft = drafts.after(asked, answer)
        rows = _logits(runtime, tokens, draft)
        begun = len(answer)
        tokens = []
        for row, drafted in zip(rows, [*draft, None], strict=True):
            token = int(row.argmax())
            if token in runtime.end_tokens:
                break
            answer.append(token)
            if _over(runtime, answer, accepted):
                break
            if token != drafted:
                tokens = [token]
                runtime.rewind(begun + len(draft) + 1 - len(answer))
                break
    runtime.rewind(runtime.length - units)
    drafts.add(answer)
    return found(_text(_said(runtime, answer)), accepted)


def surprise(runtime: Runtime, chat: ChatFormat, question: str, answer: str) -> float:
    """NLL of an answer to the question, the mean in nats a token. The cache is left as it was."""
    asked, answered = question_tokens(runtime, chat, question), runtime.tokenize(answer, special=False)
    units = runtime.length
    logits: Any = runtime.every_logits([*asked, *answered[:-1]])
    found = mean_surprisal(logits[len(asked) - 1 :], answered)
    runtime.rewind(runtime.length - units)
    return found


def _logits(runtime: Runtime, tokens: list[int], draft: list[int]) -> Tensor:
    """float32 (1 + drafted, vocabulary): what follows the tokens, and each drafted one after them."""
    if draft:
        return runtime.every_logits([*tokens, *draft])[len(tokens) - 1 :]
    runtime.forward(tokens)
    return runtime.logits()[None]


def _over(runtime: Runtime, answer: list[int], accepted: Sequence[str]) -> bool:
    said = _said(runtime, answer)
    return len(answer) == ANSWER_TOKENS or b"\n" in said.lstrip() or found(_settled(said), accepted)


def _said(runtime: Runtime, answer: list[int]) -> bytes:
    return b"".join(map(runtime.token_bytes, answer))


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
