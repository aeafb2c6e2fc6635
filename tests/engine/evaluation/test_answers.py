"""What counts as a right answer, and where an answer ends."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from engine.chat_format import ChatFormat
from engine.evaluation.answers import ANSWER_TOKENS, ask, found, question_tokens
from engine.evaluation.drafts import Drafts
from tests.engine.fake_runtime import END, FakeRuntime

CHAT = ChatFormat("<open>", "<answer>", "<next>")
DOCUMENT = [5, 6, 7, 8]


@pytest.mark.parametrize(
    ("answer", "accepted", "right"),
    [
        ("It was  DOROTHEA\nPeabody.", "Dorothea Peabody", True),
        ("It was Mr. D. Peabody-Smith", "peabody smith", True),
        ("192.168.122.0/24", "192.168.122.0", True),
        ("the U.S. and it's", "US and its", True),
        ("about 5,000 years", "5000", True),
        ("the number 74108531", "7410853", False),
        ("the number 17410853", "7410853", False),
        ("number7410853.", "7410853", True),
        ("On 4 March 1968", "14 March 1968", False),
        ("On 14 March 1968", "4 March 1968", False),
        ("Brockway's own", "Brockway", True),
        ("nothing", "", True),
    ],
)
def test_an_answer_is_judged_by_what_it_contains(answer: str, accepted: str, right: bool) -> None:
    assert found(answer, ["something else", accepted]) is right


class Talker(FakeRuntime):
    """Says a text token by token after the question "What?", whatever else was read; counts its forwards."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forwards = 0
        self._text = self.tokenize(text, special=False)
        self._begin = len(DOCUMENT) + len(question_tokens(self, CHAT, "What?"))
        self.forward(DOCUMENT)

    def forward(self, tokens: Sequence[int]) -> Tensor:
        self.forwards += 1
        return super().forward(tokens)

    def every_logits(self, tokens: Sequence[int]) -> Tensor:
        before = self.forwards
        rows = super().every_logits(tokens)
        self.forwards = before + 1
        return rows

    def logits(self) -> Tensor:
        said = self.length - self._begin
        scores = torch.zeros(302)
        scores[self._text[said] if 0 <= said < len(self._text) else END] = 1
        return scores


def asked(text: str, accepted: str) -> tuple[bool, int]:
    """Whether it was right, and how many tokens the answer has."""
    runtime, drafts = Talker(text), Drafts()
    right = ask(runtime, CHAT, "What?", [accepted], drafts)
    question = question_tokens(runtime, CHAT, "What?")
    assert question == runtime.tokenize("\n\nWhat?", False) + runtime.tokenize("<answer>", True)
    assert runtime.forwarded[len(DOCUMENT) :][: len(question)] == question
    return right, len(drafts.after([], []))


def test_an_answer_ends_as_soon_as_it_is_right() -> None:
    assert asked("It is 77, I think so", "77") == (True, len("It is 77,"))
    assert asked("It is 778 then", "77") == (False, len("It is 778 then"))


def test_an_answer_ends_at_a_line_break_after_text() -> None:
    assert asked("\nno idea\n77", "77") == (False, len("\nno idea\n"))


def test_an_answer_ends_by_itself_and_after_so_many_tokens() -> None:
    assert asked("It is 77", "77") == (True, len("It is 77"))
    assert asked("a" * 100, "77") == (False, ANSWER_TOKENS)


@pytest.mark.parametrize(
    ("drafted", "forwards"),
    [
        ("The code is 4711.", 1),
        ("The code is 4711, and so on", 1),
        ("The code is", 6),
        ("The code was 4711.", 4),
        ("no", 17),
        ("", 17),
    ],
)
def test_whatever_was_drafted_the_answer_is_the_same_and_the_cache_as_it_was(drafted: str, forwards: int) -> None:
    runtime, drafts = Talker("The code is 4711."), Drafts()
    drafts.add(runtime.tokenize(drafted, special=False))
    before, read = runtime.cache.clone(), runtime.forwards
    assert ask(runtime, CHAT, "What?", ["4711"], drafts)
    assert drafts.after([], []) == runtime.tokenize("The code is 4711.", special=False)
    assert torch.equal(runtime.cache, before)
    assert runtime.forwards - read == forwards


def test_what_an_answer_repeats_is_drafted() -> None:
    drafts = Drafts()
    drafts.add([50, 51, 52, 53])
    assert drafts.after([1, 2, 3, 4], []) == [50, 51, 52, 53]
    assert drafts.after([1, 2, 3, 4], [50, 51]) == [52, 53]
    assert drafts.after([1, 2, 3, 4], [9, 51, 52]) == [53], "of an answer that began otherwise"
    assert drafts.after([1, 2, 3, 4], [9, 1, 2]) == [3, 4, 9, 1], "of the question"
    assert drafts.after([1, 2], [7, 8, 9, 7, 8]) == [9, 7], "of itself"
    assert drafts.after([1, 2, 3, 4], [9, 4]) == []
