"""The engine's state: the store, the settings, and the one model that is loaded, with its session.

Jobs (reading_job, answer_job) work on it; it knows nothing of how calls arrive.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine import paths
from engine.budget import MB, Plan, most_units, plan, selection_for, short_context
from engine.configuration import Configuration
from engine.errors import UserError
from engine.head_files import find_heads
from engine.model_shape import ModelShape, model_name
from engine.model_source import fetch, find, fingerprint
from engine.selection_options import UNCHANGED, SelectionChange
from engine.store import Store
from engine.store.store import FILE_NAME
from engine.target import Target
from engine.training_runs import TrainingRuns

if TYPE_CHECKING:
    from engine.conversation import Conversation
    from engine.loaded_model import LoadedModel
    from engine.locret.ranking import Ranking
    from engine.locret.selection import Selection
    from engine.session import Session

REMEMBERED = 63
# Where heads lie that were chosen for a while; those in the folder above are taken without being asked for.
CHOSEN = "chosen"

Emit = Callable[[str, dict[str, Any]], None]


@dataclass(frozen=True)
class Choice:
    """What decides the loaded model. units: a budget given in units, which wins over budget_mb. heads: as chosen.
    change, ranking: as in the engine.
    """

    model: Path
    target: Target
    policy: Any
    heads: str | None
    budget_mb: float | None = None
    units: int | None = None
    seed: int = 0
    change: SelectionChange = UNCHANGED
    ranking: Ranking | None = None


@dataclass
class Loaded:
    """A model with the session on its cache. fingerprint: of the model's content; head_file: the mark of its retaining
    heads' file.
    """

    choice: Choice
    model: LoadedModel
    session: Session
    conversation: Conversation
    fingerprint: str
    head_file: str | None


class Engine:
    """Opens the store at once and the model when it is first needed. overrides: settings for this process alone.

    Of this process alone are, too: units, the budget in units (None: as in the settings); seed, of the random policy;
    change, what is selected otherwise than by default; ranking, how Locret ranks (None: as by default).
    cancelled: set to stop the running job; working: whether there is one. aside_cancelled: set to stop what goes on
    beside the jobs; view_cancelled: to stop what a person looks at. training: the runs that train retaining heads.
    live: what is known of the documents being read and stored nowhere. in_memory: the conversation that the cache
    holds. configuration: the settings and what they buy.
    """

    def __init__(self, data_dir: Path | None = None, overrides: Mapping[str, Any] | None = None) -> None:
        self.data_dir = data_dir or paths.data_dir()
        self.models_dir, self.heads_dir = self.data_dir / "models", self.data_dir / "heads"
        self.units: int | None = None
        self.seed = 0
        self.change = UNCHANGED
        self.ranking: Ranking | None = None
        self.store = Store(self.data_dir / FILE_NAME)
        self.store.purge()
        self.cancelled, self.aside_cancelled = threading.Event(), threading.Event()
        self.view_cancelled = threading.Event()
        self.working = False
        self.training = TrainingRuns(self.data_dir)
        self.configuration = Configuration(self.store, self.models_dir, self.training, overrides)
        self.live: dict[str, dict[str, Any]] = {}
        self.in_memory: str | None = None
        self._loaded: Loaded | None = None

    def close(self) -> None:
        self.unload()
        self.store.close()

    # --- settings ----------------------------------------------------------------------------------------------------

    def settings(self) -> dict[str, Any]:
        """All settings with their values; `model` is a path, `budget_mb` a number even if never set."""
        return self.configuration.values()

    def change_settings(self, changes: Mapping[str, Any]) -> None:
        """Raises UserError as Configuration.change."""
        self.configuration.change(changes)

    def plan(self, changes: Mapping[str, Any] | None = None) -> Plan:
        """What the settings buy, or would with these changes. Raises UserError for a model that cannot be read."""
        return self.configuration.plan(changes)

    def model_status(self) -> dict[str, Any]:
        """For `status`: what is loaded or would be, without loading it."""
        chosen, message = self.settings()["model"], None
        path = find(chosen, self.models_dir)
        try:
            self.configuration.shape(self.configuration.path({"model": chosen}))
        except UserError as error:
            message = error.message
        loaded = self._loaded if self._loaded and self._loaded.choice.model == path else None
        return {
            "name": model_name(path) if path else chosen,
            "path": str(path or chosen),
            "ready": loaded is not None,
            "eviction": loaded is None or loaded.model.selection is not None,
            "message": self._notice_of(loaded) if loaded else message,
        }

    # --- the model ---------------------------------------------------------------------------------------------------

    def loaded(self, emit: Emit) -> Loaded:
        """The model that the settings ask for, loaded if it is not yet, and again once there are newer retaining heads
        for it. Emits `loading` before it takes time.
        """
        choice = self._choice(emit)
        if self._loaded is None or self._loaded.choice != choice or self._has_other_heads(self._loaded):
            self.unload()
            emit("loading", {"message": f"Loading {model_name(choice.model)}"})
            self._loaded = self._load(choice, emit)
        return self._loaded

    def unload(self) -> None:
        if self._loaded is not None:
            from engine.backends.heap import give_back

            self._loaded.model.runtime.close()
            self._loaded = None
            give_back()

    def memory(self, conversation: str) -> dict[str, Any]:
        """What the cache holds now of this conversation; all zero where it is not the one in memory."""
        bought = self._planned_units()
        loaded = self._loaded
        policy = self.settings()["policy"]
        if loaded is None or self.in_memory != conversation:
            eviction = policy != "full"
            return {
                "units": 0,
                "budget": bought,
                "tokens_read": 0,
                "cache_bytes": 0,
                "eviction": eviction,
                "policy": policy,
                "notice": None,
            }
        return {
            "units": loaded.model.runtime.length,
            "budget": bought if loaded.model.selection else loaded.model.capacity,
            "tokens_read": loaded.session.reader.tokens_read,
            "cache_bytes": loaded.model.runtime.cache_bytes,
            "eviction": loaded.model.selection is not None,
            "policy": loaded.choice.policy if loaded.model.selection else "full",
            "notice": self._notice_of(loaded),
        }

    def measures(self) -> dict[str, Any]:
        """For a report: what was read, what is kept of it, and what it took."""
        nothing = {"tokens_read": 0, "units_kept": 0, "cache_bytes": 0}
        held = self._loaded.session.measures() if self._loaded else nothing
        return {**held, "peak_rss_mb": round(peak_rss_mb(), 1)}

    def _planned_units(self) -> int:
        try:
            return self.units or self.plan().units
        except UserError:
            return 0

    def notice(self) -> str | None:
        """A sentence when the loaded model gives less than was asked for, else None."""
        return self._loaded.model.notice if self._loaded else None

    def heads_name(self) -> str | None:
        return self._loaded.model.heads_name if self._loaded else None

    def pace_key(self) -> str:
        """What the speed of reading depends on: the model and what runs it. Raises UserError "not_downloaded"."""
        values = self.settings()
        how = [str(values[name]) for name in ("runtime", "device", "dtype", "weights", "allocation", "policy")]
        return " ".join([str(self.configuration.path(values)), *how])

    def keeps_everything(self) -> bool:
        """Whether nothing is ever evicted. A model that was never loaded may turn out to be one of these."""
        values, loaded = self.settings(), self._loaded
        if values["policy"] == "full" or loaded is None or loaded.model.selection is not None:
            return bool(values["policy"] == "full")
        return loaded.choice.model == self.configuration.path(values)

    def _choice(self, emit: Emit) -> Choice:
        """What the settings ask for; a model that is not on this machine yet is downloaded."""
        values = self.settings()
        path = fetch(values["model"], self.models_dir, emit, self.cancelled.is_set)
        target = self.configuration.target(self.configuration.shape(path), values)
        choice = Choice(
            path,
            target,
            values["policy"],
            values["heads"],
            values["budget_mb"],
            seed=self.seed,
            change=self.change,
            ranking=self.ranking,
        )
        return replace(choice, budget_mb=None, units=self.units) if self.units else choice

    def _bought(self, choice: Choice, target: Target) -> tuple[Selection, int | None]:
        """The parameters of the reading, and how many layers the device holds (None: all)."""
        shape = self.configuration.shape(choice.model)
        if choice.units:
            most = most_units(shape, target)
            if choice.units > most:
                raise UserError("bad_params", f"{shape.name} can use at most {most} units.")
            if message := short_context(shape, target):
                raise UserError("bad_params", message)
            return choice.change.of(selection_for(choice.units, target)), None
        bought = plan(shape, target, round((choice.budget_mb or 0) * MB))
        if not bought.ok:
            raise UserError("budget_too_small", bought.message or "", minimum_mb=bought.minimum_mb)
        return choice.change.of(selection_for(bought.units, target)), bought.layers_on_device

    def _load(self, choice: Choice, emit: Emit) -> Loaded:
        from engine.conversation import Conversation
        from engine.loaded_model import load_model
        from engine.locret.heads import head_width
        from engine.session import Session

        shape = self.configuration.shape(choice.model)
        known = self.fingerprint_of(choice.model, self.cancelled.is_set)
        head_file = self._head_file(choice, shape, known, emit)
        target = choice.target if head_file is None else replace(choice.target, head_hidden=head_width(head_file))
        selection, layers_on_device = self._bought(choice, target)
        model = load_model(
            shape,
            known,
            selection,
            choice.policy,
            [],
            self.cancelled.is_set,
            choice.seed,
            target=target,
            layers_on_device=layers_on_device,
            head_file=head_file,
            ranking=choice.ranking,
        )
        session = Session(model, self.store, self._stored)
        return Loaded(choice, model, session, Conversation(model, self.store), known, _mark(head_file))

    def _has_other_heads(self, loaded: Loaded) -> bool:
        """Whether another head file is found by itself now than when the model was loaded."""
        choice = loaded.choice
        if choice.policy != "locret" or choice.heads or self.configuration.shape(choice.model).head_hidden:
            return False
        found = self.heads_known_for(loaded.fingerprint)
        return _mark(found) != loaded.head_file

    def _notice_of(self, loaded: Loaded) -> str | None:
        """What the loaded model gives less of; nothing once the next reading loads it with other heads."""
        return None if self._has_other_heads(loaded) else loaded.model.notice

    def heads_known_for(self, fingerprint: str) -> Path | None:
        """The head file that is found by itself for a model: one trained or fetched here, else one of ours."""
        return find_heads(fingerprint, [self.heads_dir, paths.heads_dir()])

    def chosen_model(self) -> ModelShape:
        """What the settings name. Raises UserError for what cannot be read or is not there yet."""
        return self.configuration.shape(self.configuration.path(self.settings()))

    def fingerprint_of(self, model: Path, abort: Callable[[], bool]) -> str:
        """What a model's content is known by; takes a while the first time. Raises UserError("cancelled")."""
        return fingerprint(model, lambda path: self._sha256(path, abort))

    def _head_file(self, choice: Choice, shape: ModelShape, known: str, emit: Emit) -> Path | None:
        """Heads that the person chose, or that the model's weights hold, converted once; else those known for it."""
        from engine.chosen_heads import usable_heads

        if choice.policy != "locret":
            return None
        if not (choice.heads or shape.head_hidden):
            return self.heads_known_for(known)
        source = shape.path
        if choice.heads:
            source = fetch(choice.heads, self.models_dir, emit, self.cancelled.is_set, heads=True)
        return usable_heads(source, shape, known, self.heads_dir / CHOSEN)

    def _sha256(self, path: Path, abort: Callable[[], bool]) -> str:
        """Of a file, remembered by size and time of change: gigabytes take many seconds."""
        from engine.documents.extract import file_sha256

        known = self.store.settings().get("fingerprints", {})
        mark = _mark(path)
        if mark not in known:
            known = {mark: file_sha256(path, abort), **dict(list(known.items())[:REMEMBERED])}
            self.store.save_settings({"fingerprints": known})
        return str(known[mark])

    def _stored(self, key: str) -> None:
        self.store.enforce_quota(int(self.settings()["store_mb"]) * MB, protect=[key])


def _mark(file: Path | None) -> str | None:
    """What tells a file from another, and from itself once written anew. Raises OSError."""
    if file is None:
        return None
    facts = file.stat()
    return f"{file}:{facts.st_size}:{facts.st_mtime_ns}"


def peak_rss_mb() -> float:
    """The most memory that this process has held, in MB."""
    import sys

    if sys.platform == "win32":
        import psutil

        return float(psutil.Process().memory_info().peak_wset) / MB
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / MB if sys.platform == "darwin" else most * 1024 / MB
