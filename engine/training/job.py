"""One run of `train` from its options: what is loaded for it, and what is written when it ends.

It knows neither the words of the command line nor the order of the steps.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import torch

from engine.errors import UserError
from engine.loaded_model import file_sha256
from engine.locret.heads import RetainingHeads, save_heads
from engine.locret.training import OVERLAP_SHARES, Optimisation, Trainer, calibrate
from engine.model_shape import ModelShape, model_name, read_shape
from engine.model_source import fetch as fetch_model
from engine.model_source import fingerprint
from engine.paths import data_dir, packaged_model, starter_model, unpacked_model
from engine.runtimes import target_for
from engine.target import Target
from engine.training.card import card
from engine.training.corpus import Document
from engine.training.counted import counted
from engine.training.data import Data, read_data, refuse_too_little
from engine.training.disk_errors import sentence_for
from engine.training.held_out import split
from engine.training.long_contexts import told
from engine.training.plot import draw
from engine.training.record import Record
from engine.training.run_claim import Claim, claimed, is_stop
from engine.training.run_folder import CHECKPOINT, Progress, RunFolder, forget_old_pause, load_checkpoint
from engine.training.samples import Recipe
from engine.training.session import TrainingSession
from engine.training.sources.requests import LONGEST_BRANCH
from engine.training.stopping import Stopping
from engine.training.train_checks import (
    refuse_changed,
    refuse_other_shape,
    refuse_to_overwrite,
    refuse_too_wide,
    written,
)
from engine.training.training_run import HELD_OUT_SAMPLES, Plan, TrainingRun


@contextmanager
def training_job(args: argparse.Namespace, stopping: Stopping, tell: Callable[[str], None]) -> Iterator[TrainingJob]:
    """A run that has its folder alone, and leaves it as it was if it never begins. Raises UserError."""
    accelerator = _accelerator(args.device)
    first = bool(accelerator.is_main_process)
    run, heads = (args.run, None if args.trial else args.out.parent) if first else (None, None)
    with claimed(run, heads) as claim:
        if first:
            refuse_to_overwrite(args)
        if run and not args.trial:
            forget_old_pause(run)
        job = TrainingJob(args, accelerator, claim, stopping, tell)
        with job.told_when_it_fails():
            yield job


class TrainingJob:
    """A run from its options: everything is loaded in `prepared`. Only the first of several processes writes.

    claim: its hold on the run's folder.
    """

    def __init__(
        self, args: argparse.Namespace, accelerator: Any, claim: Claim, stopping: Stopping, tell: Callable[[str], None]
    ) -> None:
        self.args, self.accelerator, self._claim, self.stopping, self._tell = args, accelerator, claim, stopping, tell
        first = bool(accelerator.is_main_process)
        self.writes = first and not args.trial
        self._there = written(args) if self.writes else []
        progress = Progress(out=str(args.out), steps=args.steps, model=args.model or "")
        self.folder = RunFolder(args.run if first else None, progress)

    @contextmanager
    def told_when_it_fails(self) -> Iterator[None]:
        """However it ends: what was stopped can go on, and everything else is a failure with its reason. What never
        began tells nothing.
        """
        try:
            yield
        except (KeyboardInterrupt, UserError) as error:
            self._end("paused" if is_stop(error) else "failed", str(error) or None)
            raise
        except OSError as error:
            message = sentence_for(error)
            if message is None:
                self._fail(error)
                raise
            self._end("failed", message)
            raise UserError("disk", message, cause=str(error)) from error
        except BaseException as error:
            self._fail(error)
            raise

    def _fail(self, error: BaseException) -> None:
        self._end("failed", f"Training failed: {error or type(error).__name__}")

    def _end(self, state: str, message: str | None) -> None:
        if self._claim.begun:
            self.folder.close(state=state, message=message)
        else:
            self.folder.abandon()

    def prepared(self) -> TrainingRun:
        """Model, data and heads, at the checkpoint where the run goes on from one."""
        args = self.args
        path = self._model()
        shape = read_shape(path)
        self.name = model_name(path)
        for other in args.also_for:
            refuse_other_shape(read_shape(other), shape)
        self.fingerprints = [_fingerprint(file) for file in (path, *args.also_for)]
        self.folder.tell(model=self.name, fingerprint=self.fingerprints[0])
        self.data = self._data()
        documents = split(self.data.documents, self.data.test)
        if documents.copies:
            self._say(f"Left out, nearly the same as others: {counted(documents.copies, 'document')}")
        refuse_too_little(documents.characters, len(self.data.documents), documents.copies)
        self._ask_pairs([*documents.training, *documents.validation])
        for part, which in ((documents.training, "train on"), (documents.validation, "hold out")):
            if not args.mixture.suits(part):
                message = (
                    f"There is nothing that --labels {args.mixture} can ask in what to {which}. {args.mixture.wants}"
                )
                raise UserError("no_data", message)
        self._say(f"{counted(len(documents.training), 'document')} to train on, {len(documents.validation)} held out")
        recipe = Recipe(args.longest, mixture=args.mixture)
        self.session = TrainingSession(
            self._backbone(shape), documents.training, documents.validation, recipe, args.seed
        )
        self._tell_of_long_contexts()
        self.trainer = self._trainer()
        self.record = self._record()
        self.run = TrainingRun(
            self.trainer,
            self.session,
            Plan(args.steps, args.check_steps, args.patience),
            self.folder,
            self.accelerator,
            self.record.identity(),
            self.name,
            lambda: self.stopping.signal is not None,
            self._say,
        )
        self.session.refuse_what_asks_nothing()
        if self._resumes:
            self.run.resume(load_checkpoint(args.run / CHECKPOINT))
        self._claim.begun = not args.trial
        if self.writes and not self._resumes:
            self._begin_anew()
        return self.run

    def finish(self) -> None:
        """Writes the heads, their card and the plot, and says so."""
        if self.writes:
            heads, args = self.trainer.heads.cpu().requires_grad_(False), self.args
            heads.calibration = calibrate(heads, _on_cpu(self.session.held_out_samples(range(HELD_OUT_SAMPLES))))
            rows = self.folder.rows()
            metadata = self.record.metadata(rows)
            refuse_changed(args, self._there)
            save_heads(heads, args.out, metadata)
            text = card(args.out.name, metadata, self.record.recipe(), self.data.described, rows)
            args.out.with_suffix(".md").write_text(text, encoding="utf-8")
            self._plot(rows)
            assert self.folder.checkpoint is not None
            self.folder.checkpoint.unlink(missing_ok=True)
            best = self.run.best
            shares = " and ".join(f"{share:.1%}" for share in OVERLAP_SHARES)
            mean = f"mean of the held-out overlaps at {shares} {best.quality:.1%}"
            self._say(f"Wrote {args.out}: the weights of step {best.step}, {mean}")
        self.folder.close(state="done", step=self.trainer.step)
        self._part()

    def pause(self) -> None:
        self._plot(self.folder.rows())
        self._say(f"Paused at step {self.trainer.step} of {self.args.steps}. Go on with --resume.")
        self.folder.close(state="paused", step=self.trainer.step)
        self._part()

    def trial(self) -> dict[str, Any] | None:
        """What the whole run would take, by its first steps; None in all processes but the first."""
        took = self.prepared().time(self.args.trial)
        self.folder.close(state="done")
        self._part()
        return took if self.accelerator.is_main_process else None

    def _part(self) -> None:
        """The processes wait for each other and go their own ways; without it one can hang on another that is gone."""
        self.accelerator.wait_for_everyone()
        self.accelerator.end_training()

    # --- what is loaded ----------------------------------------------------------------------------------------------

    def _model(self) -> Path:
        args, folder = self.args, self._data_dir / "models"
        if args.model:
            with self.accelerator.main_process_first():
                return fetch_model(args.model, folder, self._tell_loading, lambda: self.stopping.signal is not None)
        starter = starter_model()
        if starter is None:
            raise UserError("model_missing", "The starter model is not installed. Name a model with --model.")
        same = [path for path in (packaged_model(), unpacked_model()) if path and path.is_file() and path != starter]
        args.also_for = [*args.also_for, *same]
        return starter

    def _data(self) -> Data:
        with self.accelerator.main_process_first():
            return read_data(self.args.data, self._data_dir / "corpus", self._say)

    def _ask_pairs(self, documents: Sequence[Document]) -> None:
        """Pairs that came with the texts are asked unless --labels leaves them out. Either is told."""
        args, count = self.args, sum(len(document.pairs) for document in documents)
        if not count or args.mixture.asks_pairs:
            return
        pairs = f"{counted(count, 'question-answer pair')} {'is' if count == 1 else 'are'}"
        if args.labels is None:
            args.mixture = args.mixture.with_pairs()
            self._say(f"{pairs} asked too: --labels {args.mixture}")
        else:
            self._say(f"{pairs} not asked: add answer=1 to --labels.")

    def _tell_of_long_contexts(self) -> None:
        mixture, line = self.args.mixture, told(self.session.shortened, self.args.longest)
        if line is None or not mixture.asks_pairs:
            return
        if not all(mixture.suits(part) for part in (self.session.training, self.session.held_out)):
            raise UserError("no_data", f"{line}. That leaves too few. Say a larger --longest, or add other --labels.")
        self._say(line)

    def _backbone(self, shape: ModelShape) -> Any:
        args = self.args
        target = target_for(shape, "torch", args.device, args.dtype, args.weights)
        weights = shape.layers * args.hidden * (shape.feature_width + shape.kv_heads)
        refuse_too_wide(args.hidden, weights, target.device_bytes or psutil.virtual_memory().available)
        return open_backbone(shape, target, args.longest)

    def _trainer(self) -> Trainer:
        args, backbone = self.args, self.session.backbone
        torch.manual_seed(args.seed)
        heads = RetainingHeads(backbone.layers, backbone.feature_width, args.hidden, backbone.kv_heads)
        self.optimisation = optimisation(args.steps, args.learning_rate, args.smoothing)
        return Trainer(heads.to(backbone.device), self.optimisation, self.accelerator)

    # --- what is written ---------------------------------------------------------------------------------------------

    @property
    def _resumes(self) -> bool:
        return self.args.resume and not self.args.trial and (self.args.run / CHECKPOINT).exists()

    @property
    def _data_dir(self) -> Path:
        return self.args.data_dir or data_dir()

    def _begin_anew(self) -> None:
        """Only once model and texts are there: what cannot begin takes nothing of an earlier run away."""
        for name in ("log.jsonl", CHECKPOINT, "plot.png"):
            (self.args.run / name).unlink(missing_ok=True)

    def _record(self) -> Record:
        backbone = self.session.backbone
        return Record(
            self.args,
            self.name,
            self.fingerprints,
            self.data,
            self.accelerator.num_processes,
            backbone.device.type,
            str(backbone.dtype).removeprefix("torch."),
            self.optimisation,
        )

    def _plot(self, rows: list[dict[str, Any]]) -> None:
        if self.folder.plot is not None and rows:
            draw(rows, self.folder.plot)

    def _tell_loading(self, _event: str, told: dict[str, Any]) -> None:
        self._say(str(told.get("message", "")))

    def _say(self, line: str) -> None:
        if self.accelerator.is_main_process:
            self._tell(line)


def open_backbone(shape: ModelShape, target: Target, longest: int) -> Any:
    """The frozen model. Raises UserError where it cannot see so many tokens and what is asked after them."""
    from engine.backends.torch_model import Placement
    from engine.training.backbone import Backbone

    backbone = Backbone(shape.path, Placement(target.device, target.dtype, target.weight_bits))
    if longest + LONGEST_BRANCH > backbone.context_length:
        most = backbone.context_length - LONGEST_BRANCH
        message = f"{shape.name} sees {backbone.context_length:,} tokens at once. Say --longest {most} or less."
        raise UserError("bad_params", message)
    return backbone


def optimisation(steps: int, learning_rate: float, smoothing: float) -> Optimisation:
    """The optimiser's numbers of a run of so many steps: a warm-up of 60, then down to a tenth of the rate."""
    return Optimisation(
        steps=steps,
        warm_up=min(60, steps // 5),
        learning_rate=learning_rate,
        final_rate=learning_rate / 10,
        smoothing=smoothing,
    )


def _fingerprint(path: Path) -> str:
    try:
        return fingerprint(path, file_sha256)
    except OSError as error:
        raise UserError("model_missing", f"{path} cannot be read: {error.strerror}. Choose another model.") from error


def _accelerator(device: str) -> Any:
    """Hugging Face's: one process, or those that `accelerate launch` started."""
    from accelerate import Accelerator

    from engine.backends.torch_devices import device_for

    kind = device_for(device)
    mixed = "bf16" if kind == "cuda" and torch.cuda.is_bf16_supported() else "no"
    return Accelerator(cpu=kind == "cpu", mixed_precision=mixed)


def _on_cpu(samples: Iterator[Any]) -> Iterator[Any]:
    return ([type(part)(*(tensor.cpu() for tensor in part)) for part in sample] for sample in samples)
