"""A training run: started, paused, gone on with, found again by its folder, and never taken for another process."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from engine.errors import UserError
from engine.training_runs import TrainingRuns, process
from engine.training_runs.log import LONGEST, last_words, tail
from tests.engine.training_runs.waiting import command, until

FINGERPRINT = "a1b2c3d4" + "0" * 56
MakeRuns = Callable[..., TrainingRuns]


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[MakeRuns]:
    """Makes views of the same folder, with options of the stand-in; what runs at the end is ended."""

    def make(*options: str) -> TrainingRuns:
        return TrainingRuns(tmp_path / "data", command(*options))

    yield make
    make().forget()


def start(runs: TrainingRuns, words: Sequence[str] = ()) -> None:
    runs.start("/models/llama.gguf", "llama.gguf", "Llama 3 (tiny)", FINGERPRINT, lambda _: words)


def pid_of(runs: TrainingRuns) -> int:
    (found,) = runs.folder.glob("*/pid")
    return int(found.read_text())


def test_there_is_none_before_one_is_started(runs: MakeRuns) -> None:
    assert runs().status() is None
    assert runs().log() == {"text": "", "path": ""}


def test_it_tells_of_its_steps_and_ends_with_heads(runs: MakeRuns, tmp_path: Path) -> None:
    (tmp_path / "trained").write_text("heads")
    started = runs("--heads", str(tmp_path / "trained"), "--seconds", "0.1")
    start(started, ["--data", "/texts"])
    running = until(started.status, "running")
    assert (running["model"], running["name"], running["steps"]) == ("llama.gguf", "Llama 3 (tiny)", 20)
    assert running["seconds_left"] > 0
    done = until(started.status, "done")
    assert (done["step"], done["seconds_left"], done["message"]) == (20, None, None)
    assert done["losses"][-1] == done["loss"] == 2.0
    assert (tmp_path / "data" / "heads" / "Llama-3-tiny--a1b2c3d4.safetensors").read_text() == "heads"
    assert "training on ['/texts'] from step 0" in started.log()["text"]


def test_it_works_at_low_priority_in_a_session_of_its_own(runs: MakeRuns) -> None:
    started = runs("--seconds", "0.2")
    start(started)
    until(started.status, "running")
    pid = pid_of(started)
    if os.name != "nt":
        assert psutil.Process(pid).nice() >= process.NICENESS
        assert os.getsid(pid) == pid != os.getsid(0)


def test_paused_it_goes_on_where_it_was(runs: MakeRuns) -> None:
    started = runs()
    start(started)
    until(started.status, "running")
    started.pause()
    assert started.status()["state"] in ("pausing", "paused")
    paused = until(started.status, "paused")
    assert 0 < paused["step"] < 20
    assert paused["seconds_left"] is None
    started.resume()
    assert started.status()["state"] in ("starting", "running")
    assert until(started.status, "done")["step"] == 20
    assert f"from step {paused['step']}" in started.log()["text"]


def test_a_pause_right_after_start_or_resume_is_not_lost(runs: MakeRuns) -> None:
    started = runs()
    start(started)
    started.pause()
    paused = until(started.status, "paused")
    started.resume()
    started.pause()
    again = until(started.status, "paused")
    assert paused["step"] <= again["step"] < 3


def test_another_engine_finds_it_and_can_pause_it(runs: MakeRuns) -> None:
    start(runs("--seconds", "0.1"))
    another = runs()
    until(another.status, "running")
    another.pause()
    until(another.status, "paused")


def test_a_run_whose_process_is_gone_was_stopped_and_goes_on(runs: MakeRuns) -> None:
    started = runs("--dies-at", "5")
    start(started)
    stopped = until(started.status, "stopped")
    assert stopped["step"] == 4
    again = runs()
    again.resume()
    assert until(again.status, "done")["step"] == 20


def test_a_process_that_was_given_its_number_is_not_taken_for_it(runs: MakeRuns) -> None:
    started = runs("--dies-at", "5")
    start(started)
    until(started.status, "stopped")
    (run,) = started.folder.glob("*/pid")
    told = json.loads((run.parent / "progress.json").read_text())
    run.write_text(str(os.getpid()))
    (run.parent / "progress.json").write_text(json.dumps({**told, "pid": os.getpid()}))
    assert started.status()["state"] == "stopped"
    started.forget()  # and it is not ended, or this test would be


def test_one_that_never_began_has_failed_with_its_last_sentence(runs: MakeRuns) -> None:
    refusing = runs("--refuses")
    start(refusing)
    assert until(refusing.status, "failed")["message"] == "There is too little text. Add some more."
    wrong = runs("--no-such-option")
    start(wrong)
    assert until(wrong.status, "failed")["message"] == "The training ended before it began. The log says more."
    again = runs()
    again.resume()
    until(again.status, "done")


def test_two_at_once_are_refused_until_the_first_is_discarded(runs: MakeRuns) -> None:
    started = runs("--seconds", "0.2")
    start(started)
    until(started.status, "running")
    pid = pid_of(started)
    with pytest.raises(UserError) as refused:
        start(started)
    assert refused.value.code == "training_under_way"
    assert "Llama 3 (tiny)" in refused.value.message
    started.forget()
    assert started.status() is None
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    start(runs())
    until(started.status, "done")
    start(runs())
    until(started.status, "running")


def test_a_failed_run_that_can_go_on_is_not_forgotten(runs: MakeRuns) -> None:
    started = runs("--fails-at", "3")
    start(started)
    failed = until(started.status, "failed")
    assert failed["message"] == "The texts have changed. Discard this training, and train again."
    for other in (FINGERPRINT, "f" * 64):
        with pytest.raises(
            UserError, match=r"Llama 3 \(tiny\) failed, but can go on\. Try it again, or discard it"
        ) as no:
            started.start("/models/other.gguf", "other.gguf", "Other", other, lambda _: [])
        assert no.value.code == "training_under_way"
    again = runs()
    again.resume()
    assert until(again.status, "done")["step"] == 20
    assert "from step 2" in again.log()["text"]


def test_an_ended_run_is_forgotten_only_when_the_next_one_is_started(runs: MakeRuns, tmp_path: Path) -> None:
    def none(_: Path) -> Sequence[str]:
        raise UserError("too_little_text", "There is too little text.")

    started = runs("--refuses")
    start(started)
    failed = until(started.status, "failed")
    for fingerprint in (FINGERPRINT, "f" * 64):
        with pytest.raises(UserError, match="too little"):
            started.start("/models/other.gguf", "other.gguf", "Llama 3 (tiny)", fingerprint, none)
        assert started.status() == failed
    with pytest.raises(UserError, match="cannot be started"):
        start(TrainingRuns(tmp_path / "data", ["/nowhere/python"]))
    assert started.status() == failed
    start(runs("--seconds", "0.01"))
    until(started.status, "done")
    assert len([path for path in started.folder.iterdir() if (path / "run.json").exists()]) == 1


def test_it_is_known_from_its_first_moment(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import time; time.sleep(60)", str(tmp_path)]
    for _ in range(20):
        pid = process.start(command, tmp_path / "log.txt", {})
        try:
            assert process.works_in(pid, tmp_path), "it was not seen to be at work"
        finally:
            process.end(pid)


def test_a_program_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    missing = TrainingRuns(tmp_path / "data", ["/nowhere/python"])
    with pytest.raises(UserError) as refused:
        start(missing)
    assert refused.value.code == "training_failed"


def test_the_end_of_a_log_is_whole_lines_and_its_last_sentence(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("a line\n" * LONGEST + "This model has a kind of its own. Choose another.\n\n")
    assert tail(log).startswith("a line\n")
    assert last_words(log) == "This model has a kind of its own. Choose another."
    log.write_text("Traceback\nKeyError: 'x'\n")
    assert last_words(log) == ""
