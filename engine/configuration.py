"""What the person has chosen, completed with what follows from it, and what it buys. It loads no model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine import paths, settings
from engine.budget import MB, Plan, budget_for, least_mb, plan
from engine.errors import UserError
from engine.model_shape import ModelShape, read_shape
from engine.model_source import find, not_downloaded
from engine.runtimes import target_for
from engine.store import Store
from engine.target import Target
from engine.training_runs import TrainingRuns

DEFAULT_UNITS = 2048
# The policy that is offered for a model without heads, and where the store keeps which run's heads took its place.
STAND_IN, TAKEN_UP = "keydiff", "run_taken_up"
# Settings that decide what a budget buys.
PLANNED = {"budget_mb", "model", "runtime", "device", "dtype", "weights", "allocation", "heads"}


class Configuration:
    """overrides: settings for this process alone. changed: called when a setting has changed by itself."""

    def __init__(
        self, store: Store, models_dir: Path, training: TrainingRuns, overrides: Mapping[str, Any] | None = None
    ) -> None:
        self.models_dir = models_dir
        self.overrides = settings.checked(overrides or {})
        self.changed: Callable[[], None] = lambda: None
        self._store, self._training = store, training
        self._taking_up = threading.Lock()
        self._shapes: dict[Path, ModelShape] = {}

    def values(self) -> dict[str, Any]:
        """All settings with their values; `model` is a path, `budget_mb` a number even if never set."""
        self._take_up_new_heads()
        known = {k: v for k, v in self._store.settings().items() if k in settings.SETTINGS and v is not None}
        return self._complete({**settings.defaults(), **known, **self.overrides})

    def _take_up_new_heads(self) -> None:
        """Heads were trained to be used: the policy that stood in for them makes room, whichever engine finds them
        written first, and once. What the person chooses after that stays.
        """
        run = self._training.finished()
        if run is None:
            return
        with self._taking_up:
            known = self._store.settings()
            model = str(known.get("model") or paths.starter_model() or "")
            if known.get(TAKEN_UP) == run.id or model != run.model:
                return
            room = {"policy": "locret"} if known.get("policy") == STAND_IN else {}
            self._store.save_settings({TAKEN_UP: run.id, **room})
        if room:
            self.changed()

    def _complete(self, values: dict[str, Any]) -> dict[str, Any]:
        """With the starter model where no other is chosen, and a budget where none is."""
        values = {**values, "model": str(values["model"] or paths.starter_model() or "")}
        if values["budget_mb"] is None:
            try:
                shape = self.shape(self.path(values))
                values["budget_mb"] = float(least_mb(budget_for(shape, self.target(shape, values), DEFAULT_UNITS)))
            except UserError:
                values["budget_mb"] = 1000.0
        return values

    def change(self, changes: Mapping[str, Any]) -> None:
        """Raises UserError "bad_params", "budget_too_small" or what is wrong with the model; then nothing is
        changed. A model that has to be downloaded first is looked at when it is there.
        """
        wanted = self._complete({**self.values(), **settings.checked(changes)})
        if changes.get("heads"):
            self._refuse_missing_heads(wanted["heads"])
        if PLANNED & changes.keys() and find(wanted["model"], self.models_dir):
            bought = self.plan(changes)
            if not bought.ok:
                raise UserError("budget_too_small", bought.message or "", minimum_mb=bought.minimum_mb)
        self._store.save_settings(settings.checked(changes))

    def _refuse_missing_heads(self, chosen: str) -> None:
        source = find(chosen, self.models_dir, heads=True)
        if source is not None and not source.exists():
            raise UserError("heads_unusable", f"There are no retaining heads at {chosen}. Choose others.")

    def plan(self, changes: Mapping[str, Any] | None = None) -> Plan:
        """What the settings buy, or would with these changes. Raises UserError for a model that cannot be read."""
        wanted = self._complete({**self.values(), **settings.checked(changes or {})})
        shape = self.shape(self.path(wanted))
        return plan(shape, self.target(shape, wanted), round(wanted["budget_mb"] * MB))

    def target(self, shape: ModelShape, values: Mapping[str, Any]) -> Target:
        """What runs the model, and where."""
        chosen = {name: values[name] for name in ("runtime", "device", "dtype", "weights", "allocation")}
        return target_for(shape, **chosen, chosen_heads=bool(values["heads"]))

    def path(self, values: Mapping[str, Any]) -> Path:
        """Of the model's file or folder. Raises UserError for one that has to be downloaded first."""
        path = find(values["model"], self.models_dir)
        if path is None:
            raise not_downloaded(values["model"])
        return path

    def shape(self, path: Path) -> ModelShape:
        if not str(path) or path == Path():
            raise UserError("model_missing", "No model is installed. Run the installer again, or choose a GGUF file.")
        if path not in self._shapes:
            self._shapes[path] = read_shape(path)
        return self._shapes[path]
