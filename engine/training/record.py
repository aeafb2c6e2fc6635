"""What a run says of itself: in its checkpoint, so that no other run goes on from it, and in the heads it leaves."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.locret.training import OVERLAP_SHARES, Optimisation
from engine.training.checks import best_check
from engine.training.data import Data


@dataclass(frozen=True)
class Record:
    """model: by name. fingerprints: of the model and of those that the heads are for too. device, dtype: by name, those
    that the frozen model runs in.
    """

    args: argparse.Namespace
    model: str
    fingerprints: Sequence[str]
    data: Data
    processes: int
    device: str
    dtype: str
    optimisation: Optimisation

    def identity(self) -> dict[str, Any]:
        """What must be the same where a run goes on, by the names of the options."""
        args = self.args
        names = ("steps", "longest", "hidden", "seed", "smoothing", "learning_rate", "check_steps", "patience")
        return {
            "model": self.fingerprints[0],
            "labels": str(args.mixture),
            **{name.replace("_", "-"): getattr(args, name) for name in names},
            "data": self.data.digest,
            "processes": self.processes,
            "device": self.device,
            "dtype": self.dtype,
            "weights": args.weights,
        }

    def recipe(self) -> dict[str, Any]:
        """How the heads were trained, whatever the model and the data."""
        told = {name.replace("-", "_"): value for name, value in self.identity().items()}
        recipe = {**told, **asdict(self.optimisation)}
        return {name: value for name, value in recipe.items() if name not in ("model", "data")}

    def metadata(self, rows: list[dict[str, Any]]) -> dict[str, str]:
        """Of the heads' file. rows: of the run's log."""
        best = best_check(rows)
        return {
            "model": self.model,
            "model_sha256": " ".join(dict.fromkeys(self.fingerprints)),
            "steps": str(best["step"]),
            "seed": str(self.args.seed),
            "hidden": str(self.args.hidden),
            "labels": str(self.args.mixture),
            "recipe": json.dumps(self.recipe()),
            "data": ", ".join(self.data.described),
            "data_sha256": self.data.digest,
            "held_out_regression": f"{best['loss']:.4f}",
            "held_out_smoothing": f"{best['smoothing']:.4f}",
            **{f"held_out_overlap_{share:g}": f"{best[f'overlap_{share:g}']:.4f}" for share in OVERLAP_SHARES},
        }
