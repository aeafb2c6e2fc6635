"""The engine's settings: one table with each one's type, limits and meaning. The window has settings of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from engine.errors import UserError
from engine.runtimes import ALLOCATIONS, DEVICES, DTYPES, RUNTIMES, WEIGHTS

PolicyName = Literal["locret", "full", "newest", "random", "keydiff", "expected-attention"]
POLICIES: tuple[PolicyName, ...] = get_args(PolicyName)


@dataclass(frozen=True)
class Setting:
    """least, most: limits of a number. choices: what a text may be; empty: anything."""

    kind: type[float] | type[int] | type[str]
    default: float | int | str | None
    label: str
    least: float = 0
    most: float = 1e9
    choices: tuple[str, ...] = ()


SETTINGS: dict[str, Setting] = {
    "budget_mb": Setting(float, None, "Memory that the model and what it remembers may take, in MB", least=1),
    "policy": Setting(str, "locret", "How the units that stay are chosen", choices=POLICIES),
    "model": Setting(str, None, "The model: a GGUF file, a folder or owner/name; empty for the starter model"),
    "heads": Setting(str, None, "Its retaining heads: a file, a folder or owner/name; empty: found by themselves"),
    "runtime": Setting(str, "auto", "What the model runs with; auto: torch for folders", choices=RUNTIMES),
    "device": Setting(str, "auto", "What torch runs on", choices=DEVICES),
    "dtype": Setting(str, "auto", "The precision that torch computes in", choices=DTYPES),
    "weights": Setting(str, "full", "How torch holds the weights", choices=tuple(WEIGHTS)),
    "allocation": Setting(str, "uniform", "How torch shares the units kept among heads", choices=ALLOCATIONS),
    "recognition": Setting(
        str,
        "auto",
        "Whether text in pictures is recognised; auto: where language data is found",
        choices=("auto", "off"),
    ),
    "recognition_languages": Setting(
        str, "", "The languages of text in pictures, as Tesseract names them (eng+deu); empty: the system's and English"
    ),
    "temperature": Setting(float, 0.0, "0 gives the same answer each time; higher values vary it", most=2),
    "max_tokens": Setting(int, 512, "The longest answer, in tokens", least=1, most=1024),
    "store_mb": Setting(int, 8000, "Disk space for stored readings, in MB", least=100),
}


def defaults() -> dict[str, Any]:
    return {name: setting.default for name, setting in SETTINGS.items()}


def checked(changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes with numbers as their type. Raises UserError("bad_params") naming what is wrong."""
    return {name: _checked(name, value) for name, value in changes.items()}


def _checked(name: str, value: Any) -> Any:
    setting = SETTINGS.get(name)
    if setting is None:
        raise UserError("bad_params", f"There is no setting called {name}.")
    if value is None or value == "":
        return setting.default
    if setting.kind is str:
        if setting.choices and value not in setting.choices:
            raise UserError("bad_params", f"{name} is one of {', '.join(setting.choices)}.")
        return str(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not setting.least <= value <= setting.most:
        raise UserError("bad_params", f"{name} is a number from {setting.least:g} to {setting.most:g}.")
    return setting.kind(value)


def checked_seed(value: Any) -> int:
    """Raises UserError("bad_params") for what torch does not take for a seed."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise UserError("bad_params", "seed is a whole number from 0 on.")
    return value
