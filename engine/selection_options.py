"""Options of what is kept, as text: `consensus=0.5,own=3` of the ranking, `newest=0.25,sinks=8` of the selection.

It knows what they are called and what they change (docs/selection.md), not where they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar, cast, get_args

from engine.errors import UserError
from engine.locret.ranking import MOST_CONSENSUS, MOST_NEIGHBOURS, Ranking
from engine.locret.selection import Allocation, Selection

T = TypeVar("T")


@dataclass(frozen=True)
class SelectionChange:
    """What is wanted otherwise than `budget.selection_for` has it; None: as that has it.

    newest, stabilizers, tail: shares of the budget, from 0 to 1; stabilizers: a chunk at most. sinks: units.
    """

    newest: float | None = None
    stabilizers: float | None = None
    tail: float | None = None
    sinks: int | None = None

    def of(self, selection: Selection) -> Selection:
        """The selection with these changes. Raises UserError where they leave no room in its budget."""
        units = {
            name: round(share * selection.budget)
            for name in ("newest", "stabilizers", "tail")
            if (share := getattr(self, name)) is not None
        }
        if "stabilizers" in units:
            units["stabilizers"] = min(units["stabilizers"], selection.chunk)
        if self.sinks is not None:
            units["sinks"] = self.sinks
        try:
            return replace(selection, **units)
        except ValueError as error:
            raise UserError("bad_params", f"That cannot be kept: {error}. Choose smaller shares.") from error


UNCHANGED = SelectionChange()


class PolicyOptions(NamedTuple):
    """A policy's name and its options; ranking None: no option of it was given."""

    name: str
    ranking: Ranking | None
    change: SelectionChange


def ranking_of(text: str) -> Ranking:
    """`consensus=0.5,own=1,neighbours=7`, each of which may be left out. Raises UserError."""
    return _ranking(_values(text, RANKING))


def selection_of(text: str) -> tuple[SelectionChange, Allocation | None]:
    """`newest=0.25,stabilizers=0.25,tail=0.125,sinks=4,allocation=layer`, each of which may be left out. The allocation
    stands beside the change, since it decides what the runtime and the planner do, too. Raises UserError.
    """
    values = _values(text, {**SELECTION, "allocation": _allocation})
    allocation: Allocation | None = values.pop("allocation", None)
    return SelectionChange(**values), allocation


def policy_of(text: str) -> PolicyOptions:
    """`locret:consensus=0.5,own=1,newest=0.25`: a policy with options of ranking and selection, or its name alone.

    The allocation is none of them: a runtime is opened for one. Raises UserError.
    """
    name, _, options = text.partition(":")
    values = _values(options, {**RANKING, **SELECTION}) if options else {}
    ranked = {option: value for option, value in values.items() if option in RANKING}
    change = SelectionChange(**{option: value for option, value in values.items() if option in SELECTION})
    return PolicyOptions(name, _ranking(ranked) if ranked else None, change)


def split_policies(text: str) -> list[str]:
    """Policies with commas between, each with its options: `locret:own=1,newest=0.25,keydiff` is two."""
    found: list[str] = []
    for part in text.split(","):
        if found and "=" in part and ":" not in part:
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def _ranking(values: Mapping[str, Any]) -> Ranking:
    fields = {RANKING_FIELDS.get(option, option): value for option, value in values.items()}
    return Ranking(**fields)


def _values(text: str, options: Mapping[str, Callable[[str, str], T]]) -> dict[str, T]:
    values: dict[str, T] = {}
    for part in text.split(","):
        option, equals, value = (word.strip() for word in part.partition("="))
        if not equals or option not in options:
            raise UserError("bad_params", f"There is no option {part.strip() or text!r}. Write {_shown(options)}.")
        if option in values:
            raise UserError("bad_params", f"{option} is given twice. Leave one out.")
        values[option] = options[option](option, value)
    return values


def _shown(options: Mapping[str, object]) -> str:
    return f"NAME=VALUE with commas between, of {', '.join(options)}"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _weight(option: str, text: str) -> float:
    value = _number(text)
    if value is None or not 0 <= value <= MOST_CONSENSUS:
        raise UserError(
            "bad_params", f"{option} is a number from 0 to {MOST_CONSENSUS}, and {text or 'nothing'} is none."
        )
    return value


def _share(option: str, text: str) -> float:
    value = _number(text)
    if value is None or not 0 <= value <= 1:
        raise UserError("bad_params", f"{option} is a share of the budget, from 0 to 1. Write {option}=0.25, or so.")
    return value


def _whole(text: str) -> int | None:
    """Of nine digits at most: no number of units is longer, and int() reads no number of any length."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _units(option: str, text: str) -> int:
    value = _whole(text)
    if value is None:
        raise UserError("bad_params", f"{option} is a whole number of units. Write {option}=4, or so.")
    return value


def _around(option: str, text: str) -> int:
    value = _whole(text)
    if value is None or value > MOST_NEIGHBOURS or value % 2 == 0:
        message = (
            f"{option} is an odd number up to {MOST_NEIGHBOURS}: the unit itself and as many before it as after it."
        )
        raise UserError("bad_params", message)
    return value


def _allocation(option: str, text: str) -> Allocation:
    if text not in get_args(Allocation):
        raise UserError("bad_params", f"{option} is one of {', '.join(get_args(Allocation))}.")
    return cast(Allocation, text)


RANKING: Mapping[str, Callable[[str, str], Any]] = {"consensus": _weight, "own": _around, "neighbours": _around}
RANKING_FIELDS = {"own": "own_neighbours"}
SELECTION: Mapping[str, Callable[[str, str], Any]] = {
    "newest": _share,
    "stabilizers": _share,
    "tail": _share,
    "sinks": _units,
}
