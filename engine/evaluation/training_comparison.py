"""The two comparisons of training, from options to rows: kinds of labels and of heads, then kinds of text.

Checkpointed as they go. It knows no table and no picture.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.errors import UserError
from engine.evaluation.training_experiment import Experiment, Judgement, Row, constant_rows, judgement
from engine.evaluation.training_variants import (
    ASKED,
    ASKED_FOR_TEXTS,
    EVERYTHING,
    JUDGED,
    KINDS,
    MANUALS,
    TEXTS,
    Kinds,
    Variant,
    label_variants,
    lacking,
    text_of,
    text_variants,
)
from engine.loaded_model import file_sha256
from engine.locret.heads import save_heads
from engine.locret.training import calibrate
from engine.model_shape import read_shape
from engine.model_source import fingerprint
from engine.paths import data_dir, starter_model
from engine.runtimes import target_for
from engine.training.corpus import Document
from engine.training.data import read_data
from engine.training.held_out import split
from engine.training.job import open_backbone
from engine.training.run_folder import load_checkpoint, save_checkpoint
from engine.training.samples import LayerLabels, Recipe
from engine.training.session import TrainingSession
from engine.training.sources.mixture import parse
from engine.training.stopping import Stopping
from engine.training.training_run import duration

LABELS, DATA = "labels", "data"
CHECKS = 6
HELD_OUT_CONTEXTS, HELD_OUT_OF_A_KIND = 12, 8
CHECKPOINT_STEPS, REPORT_STEPS = 50, 10
_REDRAWS = 20
# So that what is drawn in a step's place is no other step's.
_REDRAWN = 10_000_000


class Comparison:
    """Model and text are loaded here. Raises UserError where they are missing or the checkpoint is another run's."""

    def __init__(self, options: argparse.Namespace, stopping: Stopping, say: Callable[[str], None]) -> None:
        self.options, self._stopping, self._say = options, stopping, say
        shape = read_shape(options.model or starter_model() or Path())
        target = target_for(shape, "torch", options.device, options.dtype)
        data = read_data(options.data, data_dir() / "corpus", say)
        documents = split(data.documents, data.test)
        self._training, self._held_out = documents.training, documents.validation
        self._fingerprint = fingerprint(shape.path, file_sha256)
        self.parameters: dict[str, Any] = {
            "steps": options.steps,
            "data_steps": options.data_steps,
            "longest": options.longest,
            "seeds": options.seeds,
            "learning_rate": options.learning_rate,
            "model": self._fingerprint,
            "data": data.digest,
            "precision": [target.device, target.dtype],
            "variants": [variant.key for variant in label_variants(options.seeds)],
        }
        self.about: dict[str, Any] = {
            "model": shape.name,
            "text": data.described,
            "documents": {"training": len(self._training), "held_out": len(self._held_out)},
        }
        self.rows: list[Row] = []
        self._finished: list[str] = []
        self._interrupted: dict[str, Any] | None = None
        self._load()
        self._backbone = open_backbone(shape, target, options.longest)

    def go(self) -> None:
        """Both experiments, or what is left of them. Raises UserError("cancelled") when asked to stop."""
        for name, build, steps in (
            (LABELS, self._of_labels, self.options.steps),
            (DATA, self._of_texts, self.options.data_steps),
        ):
            if steps and name not in self._finished:
                self._run(build(steps))
                self._finished.append(name)
                self._save(None)

    def close(self) -> None:
        """Frees the weights."""
        self._backbone.close()

    def write_figures(self) -> None:
        """Replaces figures.json with what there is so far."""
        self.options.out.mkdir(parents=True, exist_ok=True)
        file = self.options.out / "figures.json"
        head = json.dumps({"parameters": self.parameters, **self.about})
        lines = ",\n".join(json.dumps(row) for row in self.rows)
        scratch = file.with_name(file.name + ".partial")
        scratch.write_text(f'{head[:-1]}, "rows": [\n{lines}\n]}}\n', encoding="utf-8")
        scratch.replace(file)

    # --- training ----------------------------------------------------------------------------------------------------

    def _run(self, experiment: Experiment | None) -> None:
        if experiment is not None:
            self._train(experiment)
            self._write_heads(experiment)

    def _train(self, experiment: Experiment) -> None:
        if self._interrupted and self._interrupted["name"] == experiment.name:
            experiment.resume(self._interrupted["experiment"])
            self._say(f"{experiment.name}: going on after step {experiment.step}")
        else:
            self.rows += constant_rows(experiment.name, experiment.held_out) + experiment.judge()
            self._say(f"{experiment.name}: {len(experiment.trainers)} heads judged untrained")
        self._interrupted = None
        seconds: deque[float] = deque(maxlen=3 * REPORT_STEPS)
        check = 0.0
        between = max(1, experiment.steps // CHECKS)
        while experiment.step < experiment.steps:
            self._stop_if_asked(experiment)
            began = time.monotonic()
            experiment.advance()
            seconds.append(time.monotonic() - began)
            if judged := experiment.step % between == 0 or experiment.step == experiment.steps:
                began = time.monotonic()
                self.rows += experiment.judge()
                self.write_figures()
                check = time.monotonic() - began
            if judged or experiment.step % CHECKPOINT_STEPS == 0:
                self._save(experiment)
            if judged or experiment.step % REPORT_STEPS == 0:
                left = experiment.steps - experiment.step
                a_step = statistics.fmean(seconds)
                self._say(
                    f"{experiment.name}: step {experiment.step} of {experiment.steps}, {a_step:.1f} s a step, "
                    f"{duration(left * a_step + left // between * check)} left in this part"
                )

    def _stop_if_asked(self, experiment: Experiment) -> None:
        if self._stopping.signal is None:
            return
        self._save(experiment)
        kept = "The same command goes on." if self.options.checkpoint else "Nothing was kept: there is no --checkpoint."
        raise UserError("cancelled", f"Stopped after step {experiment.step} of {experiment.steps}. {kept}")

    def _write_heads(self, experiment: Experiment) -> None:
        folder: Path | None = self.options.save_heads
        if folder is None:
            return
        samples = [one.sample for one in experiment.held_out]
        for variant, trainer in experiment.trainers.items():
            heads = trainer.heads.requires_grad_(False)
            heads.calibration = calibrate(heads, samples)
            save_heads(heads, folder / f"{variant.key}.safetensors", self._metadata(variant, experiment.steps))

    def _metadata(self, variant: Variant, steps: int) -> dict[str, str]:
        return {
            "model": self.about["model"],
            "model_sha256": self._fingerprint,
            "steps": str(steps),
            "seed": str(variant.seed),
            "hidden": str(variant.hidden),
            "labels": ",".join(f"{source}=1" for source in sorted(KINDS[variant.labels])),
            "smoothing": str(variant.smoothing),
            "text": variant.text,
        }

    # --- what is compared --------------------------------------------------------------------------------------------

    def _of_labels(self, steps: int) -> Experiment:
        session = self._session(ASKED, self._training, self._held_out)
        held_out = self._contexts(session, HELD_OUT_CONTEXTS, JUDGED)

        def draw(step: int) -> dict[str, list[LayerLabels]]:
            return {EVERYTHING: _whole(session.labelled, step, JUDGED)}

        variants = label_variants(self.options.seeds)
        return Experiment(LABELS, variants, self._backbone, draw, held_out, steps, self.options.learning_rate)

    def _of_texts(self, steps: int) -> Experiment | None:
        """None where the text is of one kind."""
        mixed = KINDS["mixed"]
        training, there = _by_text(self._training), _by_text(self._held_out)
        if len(training) < 2:
            self._say("The text is of one kind, so kinds of text are not compared.")
            return None
        sessions = {
            text: self._session(ASKED_FOR_TEXTS, documents, there.get(text, [])) for text, documents in training.items()
        }
        everything = self._session(ASKED_FOR_TEXTS, self._training, self._held_out)
        held_out = self._contexts(everything, HELD_OUT_CONTEXTS, {EVERYTHING: mixed})
        for text, session in sessions.items():
            if session.held_out:
                held_out += self._contexts(session, HELD_OUT_OF_A_KIND, {text: mixed})

        def draw(step: int) -> dict[str, list[LayerLabels]]:
            return {text: _whole(session.labelled, step, {"mixed": mixed}) for text, session in sessions.items()}

        variants = text_variants(list(sessions), self.options.seeds[0])
        return Experiment(DATA, variants, self._backbone, draw, held_out, steps, self.options.learning_rate)

    def _session(self, asked: str, training: Sequence[Document], held_out: Sequence[Document]) -> TrainingSession:
        recipe = Recipe(self.options.longest, mixture=parse(asked))
        return TrainingSession(self._backbone, training, held_out, recipe, self.options.seeds[0])

    def _contexts(self, session: TrainingSession, count: int, kinds: Kinds) -> list[Judgement]:
        self._say(f"Labelling {count} held-out contexts to judge by: {', '.join(kinds)}")
        return [judgement(_whole(session.held_out_labelled, number, kinds), kinds) for number in range(count)]

    # --- the checkpoint ----------------------------------------------------------------------------------------------

    def _save(self, experiment: Experiment | None) -> None:
        if self.options.checkpoint is not None:
            running = experiment and {"name": experiment.name, "experiment": experiment.state()}
            state = {"parameters": self.parameters, "rows": self.rows, "finished": self._finished, "running": running}
            save_checkpoint(self.options.checkpoint, state)

    def _load(self) -> None:
        path: Path | None = self.options.checkpoint
        if path is None or not path.exists():
            return
        state = _state_in(path)
        there = state["parameters"]
        if other := sorted(name for name, value in self.parameters.items() if there.get(name) != value):
            message = f"{path} was made with other values of: {', '.join(other)}."
            raise UserError("bad_params", f"{message} Use the same ones, or name another file with --checkpoint.")
        self.rows, self._finished, self._interrupted = state["rows"], state["finished"], state["running"]


def _state_in(path: Path) -> dict[str, Any]:
    """Raises UserError for a file that is no checkpoint of this command."""
    try:
        state: Any = load_checkpoint(path)
    except UserError as error:
        message = f"{path} is no checkpoint that can be read. Name another file with --checkpoint, and begin anew."
        raise UserError(error.code, message, **error.details) from error
    if not isinstance(state, dict) or not state.keys() >= {"parameters", "rows", "finished", "running"}:
        message = f"{path} is the checkpoint of something else. Name another file with --checkpoint."
        raise UserError("bad_params", message)
    found: dict[str, Any] = state
    return found


def _by_text(documents: Sequence[Document]) -> dict[str, list[Document]]:
    """The documents by kind of text, those kinds that there are."""
    found = {text: [one for one in documents if text_of(one.name) == text] for text in (*TEXTS, MANUALS)}
    return {text: chosen for text, chosen in found.items() if chosen}


def _whole(labelled: Callable[[int], list[LayerLabels]], number: int, kinds: Kinds) -> list[LayerLabels]:
    """A context with labels of all these kinds: where the one of that number has not, another is drawn in its place."""
    drawn: list[LayerLabels] = []
    for redraw in range(_REDRAWS):
        drawn = labelled(number + redraw * _REDRAWN)
        if not lacking(drawn, kinds):
            return drawn
    message = f"There are no labels of {', '.join(lacking(drawn, kinds))} in this text. Name longer text with --data."
    raise UserError("no_data", message)
