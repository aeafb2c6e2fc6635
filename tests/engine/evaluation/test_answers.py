"""What counts as a right answer, and where an answer ends."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from engine.chat_format import ChatFormat
from engine.evaluation.answers import ANSWER_TOKENS, ask, found
from tests.engine.fake_runtime import END, FakeRuntime

CHAT = ChatFormat("<open>", "<answer>", "<next>")


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
    """Says a text token by token, whatever it is asked."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = self.tokenize(text, special=False)
        self._said = -1

    def forward(self, tokens: Sequence[int]) -> Tensor:
        self._said += 1
        return super().forward(tokens)

    def logits(self) -> Tensor:
        scores = torch.zeros(302)
        scores[self._text[self._said] if self._said < len(self._text) else END] = 1
        return scores


def asked(text: str, accepted: str) -> tuple[bool, int]:
    """Whether it was right, and how many tokens of the answer were read."""
    runtime = Talker(text)
    right = ask(runtime, CHAT, "What?", [accepted])
    question = runtime.tokenize("\n\nWhat?", False) + runtime.tokenize("<answer>", True)
    assert runtime.forwarded[: len(question)] == question
    return right, len(runtime.forwarded) - len(question)


def test_an_answer_ends_as_soon_as_it_is_right() -> None:
    assert asked("It is 77, I think so", "77") == (True, len("It is 77"))
    assert asked("It is 778 then", "77") == (False, len("It is 778 then"))


def test_an_answer_ends_at_a_line_break_after_text() -> None:
    assert asked("\nno idea\n77", "77") == (False, len("\nno idea"))


def test_an_answer_ends_by_itself_and_after_so_many_tokens() -> None:
    assert asked("It is 77", "77") == (True, len("It is 77"))
    assert asked("a" * 100, "77") == (False, ANSWER_TOKENS - 1)
