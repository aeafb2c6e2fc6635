"""What the protocol's methods about training do: parameters in, result out. It knows nothing of threads or lines."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.config_shape import ARCHITECTURES
from engine.errors import UserError
from engine.training_runs import texts
from engine.training_runs.trial import STEPS, Trial

if TYPE_CHECKING:
    from engine.engine import Emit, Engine
    from engine.model_shape import ModelShape

MOST_STEPS = 1_000_000
# Training's usual context with what it asks about it, and room for the latter.
USUAL_TOKENS, QUESTIONS_TOKENS = 2512, 512

Params = Mapping[str, Any]
Answer = dict[str, Any]


def training_status(engine: Engine, _params: Params) -> Answer:
    """run: null where there is none."""
    run = engine.training.status()
    return {"run": run and {**run, "for_model": run["model"] == engine.settings()["model"]}}


def training_texts(engine: Engine, _params: Params) -> Answer:
    return texts.available(engine.store)


def training_log(engine: Engine, _params: Params) -> Answer:
    return engine.training.log()


def training_pause(engine: Engine, params: Params) -> Answer:
    engine.training.pause()
    return training_status(engine, params)


def training_resume(engine: Engine, params: Params) -> Answer:
    engine.training.resume()
    return training_status(engine, params)


def training_discard(engine: Engine, params: Params) -> Answer:
    engine.training.forget()
    return training_status(engine, params)


def heads_find(engine: Engine, _params: Params, _emit: Emit) -> Answer:
    """Which retaining heads the chosen model is read with, known without loading it; null where it has none. trainable:
    whether heads for it can be trained, as far as its kind tells.
    """
    values, shape = engine.settings(), engine.chosen_model()
    found = values["heads"] or (shape.name if shape.head_hidden else None)
    if found is None:
        known = engine.heads_known_for(engine.fingerprint_of(shape.path, engine.aside_cancelled.is_set))
        found = known and known.stem
    return {
        "model": shape.name,
        "heads": found,
        "policy": values["policy"],
        "context": shape.context,
        "trainable": shape.architecture in ARCHITECTURES,
    }


def training_trial(engine: Engine, params: Params, emit: Emit) -> Answer:
    """What training would take here. Jobs go on meanwhile and come first."""
    engine.training.refuse_a_second()
    shape = engine.chosen_model()
    with _new_folder(engine.training.folder / "trial") as folder:
        options = [*_torch(engine), *_context(shape), *texts.options(engine.store, params, folder)]
        command = [*engine.training.command, "--model", str(shape.path), *options]
        trial = Trial(command, folder, engine.training.environment)
        return trial.run(
            lambda step: emit("trial", {"step": step, "steps": STEPS}),
            engine.aside_cancelled.is_set,
            lambda: engine.working,
        )


def training_start(engine: Engine, params: Params, _emit: Emit) -> Answer:
    length = _length(params)
    shape = engine.chosen_model()
    known = engine.fingerprint_of(shape.path, engine.aside_cancelled.is_set)
    engine.training.start(
        str(shape.path),
        engine.settings()["model"],
        shape.name,
        known,
        lambda folder: [*length, *_torch(engine), *_context(shape), *texts.options(engine.store, params, folder)],
    )
    return training_status(engine, params)


def _length(params: Params) -> list[str]:
    """The option of the number of steps, where a call names one. Raises UserError("bad_params")."""
    steps = params.get("steps")
    if steps is None:
        return []
    if not isinstance(steps, int) or isinstance(steps, bool) or not 1 <= steps <= MOST_STEPS:
        raise UserError("bad_params", f"steps is a whole number from 1 to {MOST_STEPS:,}.")
    return ["--steps", str(steps)]


def _torch(engine: Engine) -> list[str]:
    """The options of where the model runs and in which numbers, as the settings have them for all that torch does."""
    values = engine.settings()
    return [word for name in ("device", "dtype", "weights") for word in (f"--{name}", values[name])]


def _context(shape: ModelShape) -> list[str]:
    """The option of the longest context, for a model that does not hold the usual one beside questions about it."""
    return ["--longest", str(max(64, shape.context - QUESTIONS_TOKENS))] if shape.context < USUAL_TOKENS else []


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """An empty folder that is removed at the end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


IMMEDIATE: dict[str, Callable[[Engine, Params], Answer]] = {
    method.__name__: method
    for method in (
        training_status,
        training_texts,
        training_log,
        training_pause,
        training_resume,
        training_discard,
    )
}
ASIDE: dict[str, Callable[[Engine, Params, Emit], Answer]] = {
    method.__name__: method for method in (heads_find, training_trial, training_start)
}
