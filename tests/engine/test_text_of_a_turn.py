"""What goes around a question, which pages an answer stands on, and how the next token is chosen."""

from __future__ import annotations

import random

import pytest
import torch

from engine.chat_format import PLAIN, chat_format
from engine.citations import cite
from engine.errors import UserError
from engine.sampling import chooser, is_looping

CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def test_the_pieces_of_a_template_join_to_what_it_renders() -> None:
    pieces = chat_format(CHATML)
    assert pieces.opening == "<|im_start|>user\n"
    assert pieces.closing == "<|im_end|>\n<|im_start|>assistant\n"
    assert pieces.next == "<|im_end|>\n<|im_start|>user\n"
    assert chat_format(None) is PLAIN


@pytest.mark.parametrize("template", ["{{ raise_exception('no') }}", "{% for %}", "nothing of the messages"])
def test_a_template_that_cannot_be_used_is_named(template: str) -> None:
    with pytest.raises(UserError, match="chat template") as refused:
        chat_format(template)
    assert refused.value.code == "model_broken"


def test_the_page_with_the_answers_own_words_is_cited() -> None:
    pages = {1: "The crew meets on Monday.", 7: "Never launch above 4.6 metres on the gauge.", 9: "The gauge is red."}
    assert cite("Above 4.6 metres.", "Above which gauge reading is a launch forbidden?", pages) == [7]
    assert cite("Purple.", "Which colour?", pages) == []
    rows = {1: "Horak,555-0172\nNovak,555-0188", 2: "1,200 paid"}
    assert cite("555-0188", "What is the phone of Novak?", rows) == [1]
    assert cite("1,200", "How much?", rows) == [2]
    assert cite("", "Which colour?", pages) == []


def test_temperature_zero_is_greedy_and_a_seed_repeats_itself() -> None:
    logits = torch.tensor([0.1, 2.0, 1.9, -3.0])
    assert chooser(0, 1)(logits) == 1
    first, second = chooser(1.0, 5), chooser(1.0, 5)
    drawn = [first(logits) for _ in range(40)]
    assert drawn == [second(logits) for _ in range(40)]
    assert len(set(drawn)) > 1
    assert 3 not in drawn, "the tail is cut off"


def test_an_answer_that_goes_round_in_circles_is_noticed() -> None:
    rng = random.Random(1)
    said = [rng.randrange(1000) for _ in range(200)]
    for period in (1, 7, 60):
        circle = said[:period]
        times = max(4, -(-48 // period))
        assert is_looping(said + circle * times)
        assert not is_looping(said + circle * 3)
    assert not is_looping(said)
    assert not is_looping([])


def test_rows_of_a_table_are_no_circle() -> None:
    rows = [token for row in range(40) for token in (5, 6, 7, 100 + row, 8, 9)]
    assert not is_looping(rows)
