"""`keepsake-engine train` from text to head file, on a tiny model: run folder, pause, resume, trial, refusals."""

from __future__ import annotations

import argparse
import errno
import json
import os
import re
import signal
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
import torch

from engine.errors import UserError
from engine.head_files import find_heads
from engine.loaded_model import file_sha256
from engine.locret.heads import head_metadata, load_heads
from engine.locret.training import Figures, Sample, Trainer
from engine.model_source import fingerprint
from engine.training import run_lock, training_run
from engine.training.prompts import Prompt
from engine.training.run_folder import RunFolder
from engine.training.samples import TokenPrompt, tokenize_prompt
from engine.training.session import TrainingSession
from engine.training.sources.base import Words
from engine.training.train_command import CHOICES, NUMBERS, add_arguments, run
from engine.training.training_run import TrainingRun
from tests.engine.backends import tiny_folder
from tests.engine.training.test_data import prose
from tests.engine.training.test_prompts import SENTENCE


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder.write(tmp_path_factory.mktemp("models") / "tiny", max_position_embeddings=1024)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    for number in range(12):
        own = SENTENCE.replace("old", f"{number}th")
        text = "\n\n".join(f"Paragraph {number}-{part}. {own} It was in {1800 + part}." for part in range(30))
        (folder / f"{number}.txt").write_text(text)
    return folder


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_run, "REPORT_STEPS", 2)
    monkeypatch.setattr(training_run, "CHECKPOINT_STEPS", 2)
    monkeypatch.setattr(training_run, "HELD_OUT_SAMPLES", 2)
    monkeypatch.setattr("engine.training.job.HELD_OUT_SAMPLES", 2)


def options(model: Path, data: Path, out: Path, *more: object) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    fixed = ["--steps", 6, "--hidden", 8, "--longest", 100, "--check-steps", 3, "--device", "cpu", "--dtype", "float32"]
    return parser.parse_args([*map(str, ["--model", model, "--data", data, "--out", out, *fixed, *more])])


def contents(folder: Path) -> dict[str, bytes]:
    """Of each file in it but the lock, which is gone with the process."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "lock"}


def progress(out: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((out.with_name(out.name + ".run") / "progress.json").read_text())
    return told


def test_heads_their_card_and_the_record_are_written(
    model: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "heads" / "tiny.safetensors"
    assert run(options(model, data, out)) == 0
    heads, metadata = load_heads(out), head_metadata(out)
    assert (heads.layers, heads.hidden) == (tiny_folder.LAYERS, 8)
    assert heads.calibration is not None
    name = fingerprint(model, file_sha256)
    assert metadata["model_sha256"] == name
    assert find_heads(name, [out.parent]) == out
    told = progress(out)
    assert told == {
        **told,
        "state": "done",
        "pid": os.getpid(),
        "step": 6,
        "steps": 6,
        "seconds_left": None,
        "message": None,
        "model": "tiny",
        "fingerprint": name,
        "out": str(out),
    }
    assert 0 < told["overlap"] <= 1
    assert told["loss"] > 0
    record = out.with_name(out.name + ".run")
    rows = [json.loads(line) for line in (record / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows if row["kind"] == "held-out"] == [3, 6]
    assert [row["step"] for row in rows if row["kind"] == "train"] == [2, 4, 6]
    assert (record / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert not (record / "checkpoint.pt").exists()
    best = max(fmean((row["overlap_0.25"], row["overlap_0.125"])) for row in rows if row["kind"] == "held-out")
    said = "".join(capsys.readouterr())
    assert f"mean of the held-out overlaps at 25.0% and 12.5% {best:.1%}" in said
    card = out.with_suffix(".md").read_text()
    assert name in card
    assert "12 documents of your own" in card
    assert f"{min(row['loss'] for row in rows if row['kind'] == 'held-out'):.4f}" in card


@pytest.mark.parametrize("how", ["file", "SIGTERM", "SIGINT"])
def test_a_paused_run_goes_on_as_if_nothing_had_happened(
    how: str, model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out = tmp_path / "whole.safetensors", tmp_path / "paused.safetensors"
    assert run(options(model, data, whole)) == 0
    step = TrainingRun._one_step
    pause = out.with_name(out.name + ".run") / "pause"

    def interrupted(self: TrainingRun) -> None:
        step(self)
        if self.trainer.step == 4:
            if how == "file":
                pause.touch()
            else:
                os.kill(os.getpid(), getattr(signal, how))

    with monkeypatch.context() as patch:
        patch.setattr(TrainingRun, "_one_step", interrupted)
        assert run(options(model, data, out)) == (130 if how == "SIGINT" else 0)
    assert (progress(out)["state"], progress(out)["step"]) == ("paused", 4)
    assert not out.exists()
    with pytest.raises(UserError, match="unfinished run"):
        run(options(model, data, out))
    assert run(options(model, data, out, "--resume")) == 0
    assert not pause.exists()
    one, other = load_heads(whole), load_heads(out)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    logs = [(path.with_name(path.name + ".run") / "log.jsonl").read_text() for path in (whole, out)]
    assert logs[0] == logs[1]


def test_a_pause_asked_for_while_the_run_is_being_started_is_not_lost(model: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.safetensors"
    folder = out.with_name(out.name + ".run")
    folder.mkdir()
    (folder / "progress.json").write_text('{"state": "starting", "pid": null}')
    (folder / "pause").touch()
    assert run(options(model, data, out, "--resume")) == 0
    assert (progress(out)["state"], progress(out)["step"]) == ("paused", 0)
    assert run(options(model, data, out, "--resume")) == 0
    assert progress(out)["state"] == "done"


@pytest.mark.parametrize(("other", "said"), [(("--hidden", 9), "hidden 8"), (("--dtype", "bfloat16"), "dtype float32")])
def test_a_run_of_other_options_is_not_gone_on_with(
    other: tuple[object, ...], said: str, model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "a.safetensors"
    monkeypatch.setattr(RunFolder, "pause_asked", lambda _: True)
    assert run(options(model, data, out)) == 0
    folder = out.with_name(out.name + ".run")
    (folder / "pause").touch()
    before = contents(folder)
    with pytest.raises(UserError, match=said):
        run(options(model, data, out, "--resume", *other))
    assert contents(folder) == before


def test_another_model_is_refused_by_its_name(
    model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "a.safetensors"
    monkeypatch.setattr(RunFolder, "pause_asked", lambda _: True)
    assert run(options(model, data, out)) == 0
    other = tiny_folder.write(tmp_path / "small", seed=5, max_position_embeddings=1024)
    with pytest.raises(UserError, match=r"with another option: model tiny and not small\. Use that, or"):
        run(options(other, data, out, "--resume"))
    namesake = tiny_folder.write(tmp_path / "tiny", seed=6, max_position_embeddings=1024)
    with pytest.raises(UserError, match=r"model tiny \(other weights\) and not tiny"):
        run(options(namesake, data, out, "--resume"))


def test_a_run_that_is_being_trained_is_left_alone(
    model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lock, "SECONDS_TO_WAIT", 0.0)
    step, refused = TrainingRun._one_step, []

    def a_second(self: TrainingRun) -> None:
        step(self)
        if self.trainer.step == 4:
            for words in ((), ("--resume",), ("--overwrite",), ("--trial", 1, "--run", self.folder.path)):
                before = contents(self.folder.path)
                with pytest.raises(UserError) as error:
                    run(options(model, data, out, *words))
                assert contents(self.folder.path) == before
                refused.append(error.value.message)

    out = tmp_path / "a.safetensors"
    monkeypatch.setattr(TrainingRun, "_one_step", a_second)
    assert run(options(model, data, out)) == 0
    assert len(refused) == 4
    assert all(f"A training runs in {out}.run (process {os.getpid()}). Pause it first" in line for line in refused)
    assert progress(out)["state"] == "done"


def test_a_finished_run_is_said_to_be_finished(model: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.safetensors"
    assert run(options(model, data, out)) == 0
    with pytest.raises(UserError, match=rf"is finished: its heads were written to {re.escape(str(out))}\. To train"):
        run(options(model, data, out, "--resume"))
    assert progress(out)["state"] == "done"


def test_the_run_stops_early_and_keeps_the_best_weights(
    model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "a.safetensors"
    arguments = ("--steps", 60, "--check-steps", 1, "--patience", 2, "--learning-rate", 3.0)
    assert run(options(model, data, out, *arguments)) == 0
    rows = [json.loads(line) for line in (tmp_path / "a.safetensors.run" / "log.jsonl").read_text().splitlines()]
    checks = [row for row in rows if row["kind"] == "held-out"]
    best = max(checks, key=lambda row: row["overlap_0.25"] + row["overlap_0.125"])
    assert len(checks) < 60
    assert checks[-1]["step"] == best["step"] + 2
    assert head_metadata(out)["steps"] == str(best["step"])


@pytest.mark.parametrize("which", ["train_on", "check"])
def test_a_run_that_diverges_fails_and_writes_no_heads(
    which: str, model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = getattr(Trainer, which)

    def diverged(self: Trainer, sample: Sample) -> Figures:
        with torch.no_grad():
            next(iter(self.heads.parameters())).fill_(torch.nan)
        figures: Figures = measured(self, sample)
        return figures

    monkeypatch.setattr(Trainer, which, diverged)
    out = tmp_path / "a.safetensors"
    with pytest.raises(UserError, match=r"smaller --learning-rate.*--dtype float32"):
        run(options(model, data, out))
    assert progress(out)["state"] == "failed"
    assert "diverged" in progress(out)["message"]
    assert not out.exists()


def test_a_trial_tells_the_time_and_leaves_nothing(
    model: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out" / "a.safetensors"
    assert run(options(model, data, out, "--trial", 3)) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"seconds_per_step", "seconds_at_end", "steps", "seconds"}
    assert told["steps"] == 6
    assert told["seconds"] == pytest.approx(6 * told["seconds_per_step"] + told["seconds_at_end"], abs=0.1)
    assert not out.parent.exists()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """`now` stands still while anything but labelling is done: a context to train on takes 10 seconds, one of those
    held out 5.
    """
    clock = SimpleNamespace(now=1000.0)
    for name, seconds in (("labelled", 10.0), ("held_out_labelled", 5.0)):
        label = getattr(TrainingSession, name)

        def slowly(self: TrainingSession, number: int, label: Any = label, seconds: float = seconds) -> Any:
            clock.now += seconds
            return label(self, number)

        monkeypatch.setattr(TrainingSession, name, slowly)
    monkeypatch.setattr(training_run, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_a_trial_estimates_what_the_run_then_takes(
    clock: SimpleNamespace, model: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.safetensors"
    assert run(options(model, data, out, "--trial", 2)) == 0
    estimate = json.loads(capsys.readouterr().out)
    began = clock.now
    assert run(options(model, data, out)) == 0
    assert clock.now - began == 6 * 10 + 2 * 2 * 5 + 2 * 5, "steps, two checks and the calibration"
    assert estimate["seconds"] == clock.now - began
    assert estimate["seconds_per_step"] == pytest.approx(10 + 2 * 5 / 3, abs=1e-3)


def test_the_time_left_is_what_the_run_still_takes(
    clock: SimpleNamespace, model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell, told = RunFolder.tell, {}

    def noted(self: RunFolder, **changes: Any) -> None:
        tell(self, **changes)
        if self.progress.seconds_left is not None:
            told[self.progress.step] = (clock.now, self.progress.seconds_left)

    monkeypatch.setattr(RunFolder, "tell", noted)
    assert run(options(model, data, tmp_path / "a.safetensors")) == 0
    takes = {step: clock.now - at for step, (at, _) in told.items()}
    left = {step: seconds for step, (_, seconds) in told.items()}
    assert [left[step] for step in (3, 4, 5, 6)] == [takes[step] for step in (3, 4, 5, 6)]
    # Until the first check a held-out context counts as one to train on.
    assert [left[step] - takes[step] for step in (1, 2)] == [3 * 2 * (10 - 5)] * 2


def test_a_trial_tells_its_steps_where_it_was_given_a_folder(model: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "a.safetensors"
    words = ["--trial", 3, "--run", out.with_name(out.name + ".run")]
    assert run(options(model, data, out, *words)) == 0
    told = progress(out)
    assert (told["state"], told["step"], told["steps"]) == ("done", 3, 3)
    assert not out.exists()
    (words[-1] / "checkpoint.pt").write_bytes(b"of a run that goes on some day")
    with pytest.raises(UserError, match="unfinished run"):
        run(options(model, data, out, *words, "--overwrite"))


def test_a_trial_is_stopped_after_its_step(
    model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one_step = TrainingRun._one_step

    def step_and_interrupt(self: TrainingRun) -> None:
        one_step(self)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(TrainingRun, "_one_step", step_and_interrupt)
    with pytest.raises(UserError) as stopped:
        run(options(model, data, tmp_path / "a.safetensors", "--trial", 3))
    assert stopped.value.code == "cancelled"
    said = capsys.readouterr()
    assert (said.out, said.err.count("Trial: step")) == ("", 1)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "The disk is full. Make room on it, then go on."),
        (errno.EDQUOT, "Your share of the disk is used up."),
        (errno.EFBIG, "The disk takes no file of that size."),
        (errno.EIO, "The disk failed"),
        (errno.EROFS, "it is read-only now"),
    ],
)
def test_what_the_disk_refuses_is_a_sentence_and_the_heads_can_be_written_later(
    number: int, said: str, model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(number, "in the system's words")

    out = tmp_path / "a.safetensors"
    arguments = ("--steps", 1, "--check-steps", 1)
    with monkeypatch.context() as patch:
        patch.setattr("engine.training.job.save_heads", refused)
        with pytest.raises(UserError, match=said):
            run(options(model, data, out, *arguments))
    assert progress(out)["state"] == "failed"
    assert said in progress(out)["message"]
    assert run(options(model, data, out, *arguments, "--resume")) == 0
    assert load_heads(out).hidden == 8


def test_other_files_with_the_same_weights_are_named(model: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.safetensors"
    other = tiny_folder.write(tmp_path / "other", seed=5, max_position_embeddings=1024)
    assert run(options(model, data, out, "--also-for", other, "--steps", 1)) == 0
    assert find_heads(fingerprint(other, file_sha256), [tmp_path]) == out


def test_files_of_other_models_are_refused_before_anything_is_read(model: Path, tmp_path: Path) -> None:
    out, texts = tmp_path / "a.safetensors", tmp_path / "no-texts"
    fewer = tiny_folder.write(tmp_path / "fewer", num_key_value_heads=1)
    with pytest.raises(UserError, match=r"fewer is another model than tiny: it has 1 KV heads and not 2\. Name a file"):
        run(options(model, texts, out, "--also-for", fewer))
    notes = tmp_path / "notes.txt"
    notes.write_text("no model")
    with pytest.raises(UserError) as refused:
        run(options(model, texts, out, "--also-for", notes))
    assert refused.value.code == "model_broken"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--out", "a.bin"), "safetensors"),
        (("--steps", 0), "--steps is from 1 to 1,000,000, and not 0"),
        (("--hidden", 10**9), "--hidden is from 1 to 16,384"),
        (("--seed", 2**70), "--seed is from 0"),
        (("--smoothing", "nan"), "--smoothing is from 0 to 1,000, and not nan"),
        (("--smoothing", "inf"), "--smoothing is"),
        (("--learning-rate", "inf"), "--learning-rate is above 0 and at most 100, and not inf"),
        (("--learning-rate", 0), "--learning-rate is above 0"),
        (("--threads", 0), "--threads is from 1"),
        (("--threads", -1), "--threads is from 1"),
        (("--also-for", "missing.gguf"), r"no model at missing\.gguf\. Name another file with --also-for"),
        (("--labels", "facts=1,text=0.5"), "text or facts, which stands for it, more than once"),
        (("--labels", "guesses=1"), "no source of labels called guesses"),
        (("--labels", "answer=1"), "nothing that --labels answer=1 can ask.* say --labels facts=1,continue=1"),
        (("--model", "nowhere"), "nowhere"),
        (("--data", "nowhere.txt"), "no text at"),
        (("--longest", 900), "--longest 512 or less"),
        (("--trial", 0), "--trial is from 1"),
        (("--trial", 1, "--run", "model.md"), "Nothing can be written to model.md: there is a file of that name"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    words: tuple[object, ...], said: str, model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.md").write_text("no folder")
    with pytest.raises(UserError, match=said):
        run(options(model, data, tmp_path / "deep" / "a.safetensors", *words))
    assert [path.name for path in tmp_path.iterdir()] == ["model.md"], "a refused run left something"


@pytest.mark.parametrize("name", ["a.safetensors", "a.md"])
def test_a_folder_is_no_place_for_heads_or_their_card(name: str, model: Path, data: Path, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(UserError, match=rf"{name} is a folder\. Choose another file for --out"):
        run(options(model, data, tmp_path / "a.safetensors", "--overwrite"))


def test_heads_too_wide_for_the_memory_are_refused_before_the_model_is_loaded(
    model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loaded(*_: object) -> None:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr("engine.training.job.open_backbone", loaded)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=30_000))
    with pytest.raises(UserError, match=r"Say --hidden \d+ or less"):
        run(options(model, data, tmp_path / "a.safetensors", "--hidden", 512))


def test_each_default_is_in_the_help_and_in_the_documentation() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    told, page = " ".join(parser.format_help().split()), (Path("docs") / "training.md").read_text(encoding="utf-8")
    for name, default, *_ in (*NUMBERS, *CHOICES):
        assert f"(default: {default})" in told.partition(f" --{name} ")[2].partition(" --")[0]
        assert f"| `--{name}` | {default} |" in page


def test_what_is_counted_is_counted_in_words(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "book.txt"
    text.write_text(prose(1, 600))
    assert run(options(model, text, tmp_path / "a.safetensors", "--steps", 1)) == 0
    assert "1 document to train on, 1 held out" in capsys.readouterr().err


def test_copies_of_one_text_are_said_to_be(model: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(30):
        (texts / f"{number}.txt").write_text(prose(1, 40))
    with pytest.raises(UserError, match=r"The 30 documents are copies of one text\. Name more files"):
        run(options(model, texts, tmp_path / "a.safetensors"))


def test_heads_that_are_there_are_not_overwritten(model: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.safetensors"
    out.write_bytes(b"dear to somebody")
    with pytest.raises(UserError, match="there already"):
        run(options(model, data, out))
    assert out.read_bytes() == b"dear to somebody"
    assert run(options(model, data, out, "--overwrite")) == 0
    assert load_heads(out).hidden == 8
    notes = tmp_path / "b.md"
    notes.write_text("dear to somebody")
    with pytest.raises(UserError, match=r"b\.md is there already"):
        run(options(model, data, tmp_path / "b.safetensors"))
    assert notes.read_text() == "dear to somebody"


def test_heads_that_another_run_has_written_meanwhile_are_not_replaced(
    model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, step = tmp_path / "a.safetensors", TrainingRun._one_step
    arguments = ("--steps", 1, "--run", tmp_path / "own.run")

    def meanwhile(self: TrainingRun) -> None:
        step(self)
        out.write_bytes(b"dear to somebody")

    with monkeypatch.context() as patch:
        patch.setattr(TrainingRun, "_one_step", meanwhile)
        with pytest.raises(UserError, match=r"written by another.*--resume --run .*own\.run and another --out"):
            run(options(model, data, out, *arguments))
    os.utime(out)  # now, so that it is newer than the checkpoint
    with pytest.raises(UserError, match=r"written by another.*or with --resume --overwrite"):
        run(options(model, data, out, *arguments, "--resume"))
    assert out.read_bytes() == b"dear to somebody"
    assert run(options(model, data, tmp_path / "b.safetensors", *arguments, "--resume")) == 0
    assert load_heads(tmp_path / "b.safetensors").hidden == 8
    assert not (tmp_path / "own.run" / "checkpoint.pt").exists()


def test_what_cannot_begin_takes_nothing_of_an_earlier_run_away(model: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.safetensors"
    folder = out.with_name(out.name + ".run")
    folder.mkdir()
    (folder / "checkpoint.pt").write_bytes(b"hours of work")
    with pytest.raises(UserError, match="There is no text at"):
        run(options(model, tmp_path / "missing.txt", out, "--overwrite"))
    assert (folder / "checkpoint.pt").read_bytes() == b"hours of work"


def test_a_place_that_cannot_be_written_to_is_told(model: Path, data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(UserError, match="Nothing can be written"):
        run(options(model, data, tmp_path / "file" / "a.safetensors"))


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Contexts of 570 letters with two pairs each, of which one answer stands in the text, in ShareGPT's form."""
    path = tmp_path_factory.mktemp("asked") / "questions.json"
    records = []
    for number in range(40):
        lines = [f"In the year {1700 + n} the {number}th harbour counted {n * 7 + number} ships." for n in range(11)]
        asked = (f"{' '.join(lines)}\n\nWhich harbour?", f"The {number}th.", "How was it?", f"Busy, as {number} said.")
        turns = [{"from": who, "value": text} for who, text in zip(("human", "gpt") * 2, asked, strict=True)]
        records.append({"conversations": turns})
    path.write_text(json.dumps(records))
    return path


@pytest.mark.parametrize(
    ("labels", "said", "asked"),
    [
        ((), "80 question-answer pairs are asked too: --labels planted=1,text=1,continue=1,answer=1", True),
        (("--labels", "continue=1"), "80 question-answer pairs are not asked: add answer=1 to --labels.", False),
        (("--labels", "answer=1"), None, True),
    ],
)
def test_pairs_that_come_with_a_text_are_asked_or_it_is_said_that_they_are_not(
    labels: tuple[str, ...],
    said: str | None,
    asked: bool,
    model: Path,
    questions: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    labelled: list[str] = []

    def noted(prompt: Prompt, words: Words) -> TokenPrompt:
        labelled.extend(prompt.asked)
        return tokenize_prompt(prompt, words)

    monkeypatch.setattr("engine.training.session.tokenize_prompt", noted)
    out = tmp_path / "a.safetensors"
    assert run(options(model, questions, out, "--longest", 500, "--steps", 2, *labels)) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "question-answer" in line]
    assert lines[:1] == ([said] if said else [])
    assert ("answer" in labelled) is asked
    assert ("answer=1" in head_metadata(out)["labels"]) is asked


def test_of_contexts_that_are_cut_only_what_stands_in_what_is_left_is_asked(
    model: Path, questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.safetensors"
    arguments = ("--longest", 500, "--steps", 2, "--labels", "answer=1")
    assert run(options(model, questions, out, *arguments)) == 0
    line = (
        "Longer than --longest 500 allows, so that only the beginning is read: 40 contexts. "
        "Not asked about, since the answer does not stand word for word in what is read: 40 of 80 questions"
    )
    assert line in capsys.readouterr().err.splitlines()
    records = json.loads(questions.read_text())
    for record in records:
        record["conversations"] = record["conversations"][:1] + record["conversations"][3:]
    (tmp_path / "free.json").write_text(json.dumps(records))
    with pytest.raises(UserError, match=r"40 of 40 questions\. That leaves too few\. Say a larger --longest"):
        run(options(model, tmp_path / "free.json", tmp_path / "b.safetensors", *arguments))
