"""A training run: steps, reports, held-out checks, checkpoints, early stop. One screen says what happens when.

It knows no command line and writes no heads. accelerate spreads it over processes; each draws samples of its own.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from engine.errors import UserError
from engine.locret.training import OVERLAP_SHARES, Figures, Trainer
from engine.training.checks import quality
from engine.training.plot import draw
from engine.training.run_folder import RunFolder
from engine.training.session import TrainingSession

REPORT_STEPS = 20
CHECKPOINT_STEPS = 50
HELD_OUT_SAMPLES = 12
COLUMNS = ("loss", "smoothing", *(f"overlap_{share:g}" for share in OVERLAP_SHARES))
_TIMED_STEPS = 30

Ending = Literal["done", "paused"]


@dataclass(frozen=True)
class Plan:
    """steps: at most. check_steps: between held-out checks. patience: checks without better heads before the run
    stops early; 0: it never does.
    """

    steps: int
    check_steps: int = 100
    patience: int = 5

    @property
    def checks(self) -> int:
        return -(-self.steps // self.check_steps)


@dataclass
class Best:
    """The weights with the highest `checks.quality` so far. waited: checks since then."""

    step: int = 0
    quality: float = float("-inf")
    heads: dict[str, Tensor] | None = None
    waited: int = 0


class TrainingRun:
    """identity: what a checkpoint must have in common with the run that goes on from it, by the option's name. model:
    what people call it.
    """

    def __init__(
        self,
        trainer: Trainer,
        session: TrainingSession,
        plan: Plan,
        folder: RunFolder,
        accelerator: Any,
        identity: dict[str, Any],
        model: str,
        stop_asked: Callable[[], bool],
        say: Callable[[str], None],
    ) -> None:
        self.trainer, self.session, self.plan, self.folder = trainer, session, plan, folder
        self.best = Best()
        self._accelerator, self._stop_asked, self._say = accelerator, stop_asked, say
        self._identity, self._model = identity, model
        self._recent: deque[list[float]] = deque(maxlen=REPORT_STEPS)
        self._step_seconds: deque[float] = deque(maxlen=_TIMED_STEPS)
        self._check_seconds = 0.0
        self._saved_at: int | None = None

    def go(self) -> Ending:
        """Trains to the end, to the early stop or to a pause; with the first two the heads are the best ones."""
        self._tell("running")
        while self.trainer.step < self.plan.steps and not self._out_of_patience():
            if self._pause_asked():
                self._save()
                return "paused"
            self._one_step()
            step = self.trainer.step
            if step % REPORT_STEPS == 0 or step == self.plan.steps:
                self._report()
            if step % self.plan.check_steps == 0 or step == self.plan.steps:
                self._check()
            if step % CHECKPOINT_STEPS == 0 or step % self.plan.check_steps == 0:
                self._save()
            self._tell("running")
        if self._saved_at != self.trainer.step:
            self._save()  # heads that cannot be written yet are not lost
        if self.best.heads is not None:
            self.trainer.heads.load_state_dict(self.best.heads)
        return "done"

    def time(self, steps: int) -> dict[str, Any]:
        """Runs some steps and one held-out sample, and says what the whole run would take, or one of other length:
        steps * seconds_per_step + seconds_at_end. A step has its share of the held-out checks.
        """
        self.folder.tell(state="running", steps=steps)
        for done in range(1, steps + 1):
            if self._stop_asked():
                raise UserError("cancelled", "Stopped.")
            self._one_step()
            self.folder.tell(step=done)
            self._say(f"Trial: step {done} of {steps}")
        seconds = list(self._step_seconds)[1 if steps > 1 else 0 :]
        began = time.monotonic()
        for sample in self.session.held_out_samples(range(1)):
            self.trainer.check(sample)
        check = HELD_OUT_SAMPLES * (time.monotonic() - began)
        a_step = statistics.fmean(seconds) + check / self.plan.check_steps
        return {
            "seconds_per_step": round(a_step, 4),
            "seconds_at_end": round(check, 1),
            "steps": self.plan.steps,
            "seconds": round(self.plan.steps * a_step + check, 1),
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Goes on from a checkpoint. Raises UserError for another run's."""
        theirs = {**state["identity"], "model": self._named(state)}
        ours = {**self._identity, "model": self._model}
        other = [name for name, value in self._identity.items() if state["identity"].get(name) != value]
        was = [f"{name} {theirs.get(name)} and not {ours[name]}" for name in other if name != "data"]
        if was:
            options, those = ("another option", "that") if len(was) == 1 else ("other options", "those")
            begun = f"This run was begun with {options}: {', '.join(was)}."
            raise UserError("bad_params", f"{begun} Use {those}, or begin anew with --overwrite.")
        if other:
            changed = "The texts have changed since this run began."
            raise UserError("bad_params", f"{changed} Bring the former ones back, or begin anew with --overwrite.")
        self.trainer.resume(state["trainer"])
        self.best = Best(**state["best"])
        self._recent.extend(state["recent"])
        self._saved_at = self.trainer.step
        self.folder.forget_rows_after(self.trainer.step)

    def _named(self, state: dict[str, Any]) -> str:
        """The model of a checkpoint; older ones have no name of it."""
        name = str(state.get("model", "other"))
        return f"{name} (other weights)" if name == self._model else name

    # --- a step ------------------------------------------------------------------------------------------------------

    def _one_step(self) -> None:
        began = time.monotonic()
        share = self._accelerator.num_processes
        number = self.trainer.step * share + self._accelerator.process_index
        self._recent.append(_finite(_numbers(self.trainer.train_on(self.session.sample(number)))))
        self._step_seconds.append(time.monotonic() - began)

    def _report(self) -> None:
        means = self._over_processes(_means(list(self._recent)))
        row = dict(zip(COLUMNS, means, strict=True))
        self.folder.log({"step": self.trainer.step, "kind": "train", **row})
        left = self._seconds_left()
        self._say(
            f"step {self.trainer.step} of {self.plan.steps}: loss {row['loss']:.4f}, "
            f"overlap {means[2]:.0%} at {OVERLAP_SHARES[0]:.0%}, {duration(left)} left"
        )

    def _check(self) -> None:
        """The held-out figures; each process looks at its share of the samples."""
        began = time.monotonic()
        share, index = self._accelerator.num_processes, self._accelerator.process_index
        mine = range(index, HELD_OUT_SAMPLES, share) or range(index % HELD_OUT_SAMPLES, index % HELD_OUT_SAMPLES + 1)
        found = [_numbers(self.trainer.check(sample)) for sample in self.session.held_out_samples(mine)]
        means = _finite(self._over_processes(_means(found)))
        row = dict(zip(COLUMNS, means, strict=True))
        self.folder.log({"step": self.trainer.step, "kind": "held-out", **row})
        overlap = f"overlap {means[2]:.0%} at {OVERLAP_SHARES[0]:.0%}"
        self._say(f"step {self.trainer.step}: held-out loss {row['loss']:.4f}, {overlap}")
        if self.folder.plot is not None:
            draw(self.folder.rows(), self.folder.plot)
        if quality(row) > self.best.quality:
            heads = {name: weight.detach().cpu().clone() for name, weight in self.trainer.heads.state_dict().items()}
            self.best = Best(self.trainer.step, quality(row), heads)
        else:
            self.best.waited += 1
        self._check_seconds = time.monotonic() - began

    def _out_of_patience(self) -> bool:
        return 0 < self.plan.patience <= self.best.waited

    # --- what is told and kept ---------------------------------------------------------------------------------------

    def _save(self) -> None:
        self.folder.save(
            {
                "identity": self._identity,
                "model": self._model,
                "trainer": self.trainer.state(),
                "best": dict(vars(self.best)),
                "recent": list(self._recent),
            }
        )
        self._saved_at = self.trainer.step

    def _tell(self, state: str) -> None:
        means = _means(list(self._recent)) if self._recent else [None] * len(COLUMNS)
        per_step = statistics.median(self._step_seconds) if self._step_seconds else None
        self.folder.tell(
            state=state,
            step=self.trainer.step,
            seconds_left=self._seconds_left(),
            seconds_per_step=per_step,
            loss=means[0],
            overlap=means[2],
        )

    def _seconds_left(self) -> float | None:
        """Of steps, held-out checks and, at the end, calibration, where the first process takes all the samples."""
        if not self._step_seconds:
            return None
        processes: int = self._accelerator.num_processes
        steps = self.plan.steps - self.trainer.step
        checks = self.plan.checks - self.trainer.step // self.plan.check_steps
        a_check = self._check_seconds or HELD_OUT_SAMPLES / processes * self._a_step()
        return steps * self._a_step() + (checks + processes) * a_check

    def _a_step(self) -> float:
        return statistics.fmean(self._step_seconds)

    # --- several processes -------------------------------------------------------------------------------------------

    def _pause_asked(self) -> bool:
        """The same answer in every process."""
        asked = self.folder.pause_asked() or self._stop_asked()
        if self._accelerator.num_processes == 1:
            return asked
        return bool(self._over_processes([float(asked)])[0])

    def _over_processes(self, values: Sequence[float]) -> list[float]:
        """The means over all processes."""
        if self._accelerator.num_processes == 1:
            return list(values)
        tensor = torch.tensor(values, device=self._accelerator.device)
        means: list[float] = self._accelerator.reduce(tensor, "mean").tolist()
        return means


def _numbers(figures: Figures) -> list[float]:
    """In the order of COLUMNS."""
    overlaps = [figures.overlap[share].item() for share in OVERLAP_SHARES]
    return [figures.loss.regression.item(), figures.loss.smoothing.item(), *overlaps]


def _finite(figures: list[float]) -> list[float]:
    """Raises UserError where there is a figure that is no number: the heads are beyond mending."""
    if all(map(math.isfinite, figures)):
        return figures
    message = (
        "The training has diverged: its loss is no number any more. Begin anew (--overwrite) with a smaller "
        "--learning-rate, or let the model compute in full precision (--dtype float32)."
    )
    raise UserError("training_failed", message)


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    return [statistics.fmean(column) for column in zip(*rows, strict=True)]


def duration(seconds: float | None) -> str:
    """In words, as a line of progress says it."""
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
