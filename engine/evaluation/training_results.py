"""The rows of figures.json, looked up and averaged over seeds. It knows neither Markdown nor pictures."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import UserError

Row = Mapping[str, Any]


class Spread(NamedTuple):
    """A measure's mean over seeds, and the lowest and highest of them."""

    mean: float
    low: float
    high: float
    seeds: int


@dataclass(frozen=True)
class Results:
    """about: model, text, documents. parameters: of the command."""

    about: Mapping[str, Any]
    parameters: Mapping[str, Any]
    rows: Sequence[Row]

    @classmethod
    def read(cls, path: Path) -> Results:
        """Raises UserError where there is no such file or it holds something else."""
        try:
            held = json.loads(path.read_text(encoding="utf-8"))
            return cls(held, held["parameters"], held["rows"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            message = f"There are no figures in {path}. Make them first: run the command without --draw."
            raise UserError("bad_params", message, cause=str(error)) from error

    def find(self, **wanted: Any) -> list[Row]:
        """The rows with these values."""
        return [row for row in self.rows if all(row.get(name) == value for name, value in wanted.items())]

    def steps(self, experiment: str) -> list[int]:
        """When it was judged, ascending; empty where it was not run."""
        return sorted({row["step"] for row in self.rows if row["experiment"] == experiment and "step" in row})

    def values(self, name: str, **wanted: Any) -> list[Any]:
        """The different values of a field, in the order of the rows."""
        return list(dict.fromkeys(row[name] for row in self.find(**wanted) if name in row))

    def spread(self, measure: str, **wanted: Any) -> Spread | None:
        """Over all rows with these values, which differ by the seed alone; None where there are none."""
        found = [row[measure] for row in self.find(**wanted) if measure in row]
        return Spread(statistics.fmean(found), min(found), max(found), len(found)) if found else None

    def mean(self, measure: str, **wanted: Any) -> float:
        """The spread's mean; NaN where there is none."""
        spread = self.spread(measure, **wanted)
        return float("nan") if spread is None else spread.mean
