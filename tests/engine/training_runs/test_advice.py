"""Sentences of the command line, as the window shows them: no option in them, and something that can be done there."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.errors import UserError
from engine.model_shape import read_shape
from engine.runtimes import target_for
from engine.training.data import refuse_too_little
from engine.training.run_folder import load_checkpoint
from engine.training.train_checks import refuse_too_wide
from engine.training.training_run import TrainingRun, _finite
from engine.training_runs.advice import in_the_window


def said_by(failing: object, *arguments: object) -> str:
    with pytest.raises(UserError) as refused:
        failing(*arguments)  # type: ignore[operator]
    return refused.value.message


def gone_on_with(theirs: dict[str, object]) -> str:
    run = SimpleNamespace(_identity={"hidden": 8, "data": "b"}, _model="tiny", _named=lambda _: "tiny")
    return said_by(TrainingRun.resume, run, {"identity": theirs})


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (said_by(refuse_too_little, 5), r"5 characters .*\. Discard this training, and choose more texts\.$"),
        (said_by(refuse_too_little, 5, 3, 2), r"The 3 documents are copies of one text\. Discard .* more texts\.$"),
        (gone_on_with({"hidden": 9, "data": "b"}), r"option: hidden 9 and not 8\. Discard .*, and train again\.$"),
        (gone_on_with({"hidden": 8, "data": "a"}), r"^The texts have changed .*\. Discard .*, and train again\.$"),
        (said_by(load_checkpoint, "nowhere/checkpoint.pt"), r"damaged\. Discard this training, and train again\.$"),
        (said_by(_finite, [float("nan")]), r"no number any more\. Discard .*, and train again with other texts\.$"),
        (
            said_by(refuse_too_wide, 256, 10**9, 10**6),
            r"^Training takes 16\.0 GB, .* close other programs and",
        ),
        (said_by(read_shape, Path("nowhere")), r"^There is no model at nowhere\. Choose .* in the settings\.$"),
        (
            said_by(target_for, SimpleNamespace(path=Path("a.gguf"), name="a"), "auto", "auto", "auto", "8bit"),
            r"packed already, .*\. Choose full weights\.$",
        ),
        (
            "A sentence of later days. Say --other 7.",
            r"^A sentence of later days\. Discard .*, and train again",
        ),
        ("The disk is full. Make room on it, then go on.", r"^The disk is full\. Make room on it, then go on\.$"),
    ],
)
def test_what_is_advised_can_be_done_in_the_window(message: str, shown: str) -> None:
    words = in_the_window(message, run=True)
    assert re.search(shown, words)
    assert "--" not in words


def test_where_nothing_is_to_be_discarded_it_is_not_said() -> None:
    assert in_the_window("There is no text. Name more files or folders with --data.", run=False) == (
        "There is no text. Choose more texts."
    )
