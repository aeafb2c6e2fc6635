"""The command lines that training from the window starts: what they ask of `train`, read by its own parser, not run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.engine import Engine
from engine.errors import UserError
from engine.training.train_command import add_arguments
from engine.training_runs import process
from engine.training_runs.methods import training_start, training_trial
from engine.training_runs.runs import COMMAND
from tests.engine.backends import tiny_folder

Asked = Callable[[Mapping[str, Any]], argparse.Namespace]


def nothing(_event: str, _data: dict[str, object]) -> None:
    return


@pytest.fixture(params=["training_start", "training_trial"])
def asked(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Calls the method under settings: what the command would be asked for."""
    seen: list[Sequence[str]] = []

    def start(command: Sequence[str], *_: object) -> int:
        seen.append(command)
        return 0

    def start_child(command: Sequence[str], *_: object) -> None:
        seen.append(command)
        raise OSError("not started")

    monkeypatch.setattr(process, "start", start)
    monkeypatch.setattr(process, "start_child", start_child)
    model = tiny_folder.write(tmp_path / "tiny", seed=3)
    texts = {"texts": "folder", "folder": str(tmp_path)}

    def under(settings: Mapping[str, Any]) -> argparse.Namespace:
        engine = Engine(tmp_path / "data", {"model": str(model), **settings})
        try:
            if request.param == "training_start":
                training_start(engine, texts, nothing)
            else:
                with pytest.raises(UserError, match="cannot be started"):
                    training_trial(engine, texts, nothing)
        finally:
            engine.close()
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        (command,) = seen
        assert tuple(command[: len(COMMAND)]) == COMMAND
        return parser.parse_args(command[len(COMMAND) :])

    return under


def test_training_runs_where_and_as_the_settings_say(asked: Asked) -> None:
    options = asked({"device": "cuda", "dtype": "bfloat16", "weights": "8bit"})
    assert (options.device, options.dtype, options.weights) == ("cuda", "bfloat16", "8bit")
    assert Path(options.model).name == "tiny"


def test_without_a_choice_the_command_chooses(asked: Asked) -> None:
    options = asked({})
    assert (options.device, options.dtype, options.weights) == ("auto", "auto", "full")
