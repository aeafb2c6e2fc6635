"""From a memory budget in MB and a model's shape to the parameters of a reading: one pure function.

total = weights + cache + the copy that an eviction works on + what the program itself takes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from engine.locret.selection import Selection
from engine.model_shape import ModelShape

MB = 1_000_000
STEP = 64
LEAST_UNITS = 256
CHUNK = 512
SINKS = 4
TURN = 1536
# The engine with a torch for processors and llama.cpp loaded, less weights and cache: 380 to 420 measured on Linux.
PROGRAM_MB = 420


@dataclass(frozen=True)
class Plan:
    """What a budget buys. ok False: it cannot hold the model, and `message` says what would."""

    budget_mb: float
    units: int
    chunk: int
    stabilizers: int
    cache_mb: float
    model_mb: float
    other_mb: float
    total_mb: float
    ok: bool
    message: str | None
    minimum_mb: float
    maximum_mb: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def selection_for(units: int) -> Selection:
    """The parameters of a reading with that budget: the stabilizers are a quarter of it or of a chunk, whichever is
    less, and the document's tail half as many.
    """
    stabilizers = min(units, CHUNK) // 4
    return Selection(units, CHUNK, stabilizers, min(SINKS, units // 4), stabilizers // 2, TURN)


def most_units(shape: ModelShape) -> int:
    """The largest budget whose slots stay within the positions that the model was trained on."""
    return max(LEAST_UNITS, (shape.context - TURN) // STEP * STEP)


def plan(shape: ModelShape, budget_mb: float) -> Plan:
    """The largest number of units that keeps the total within the budget."""
    most = most_units(shape)
    minimum, maximum = _total(shape, LEAST_UNITS), _total(shape, most)
    fixed = shape.file_bytes + PROGRAM_MB * MB
    per_unit = 2 * _unit_bytes(shape)
    room = (budget_mb * MB - fixed) / per_unit - TURN
    units = int(room) // STEP * STEP
    ok = units >= LEAST_UNITS
    units = min(max(units, LEAST_UNITS), most)
    selection = selection_for(units)
    message = None
    if not ok:
        message = f"{shape.name} needs at least {_ceil(minimum)} MB. Give it more memory, or choose a smaller model."
    cache = selection.capacity * _unit_bytes(shape)
    return Plan(
        budget_mb=budget_mb,
        units=units,
        chunk=selection.chunk,
        stabilizers=selection.stabilizers,
        cache_mb=cache / MB,
        model_mb=shape.file_bytes / MB,
        other_mb=PROGRAM_MB + cache / MB,
        total_mb=_total(shape, units) / MB,
        ok=ok,
        message=message,
        minimum_mb=_ceil(minimum),
        maximum_mb=_ceil(maximum),
    )


def budget_for(shape: ModelShape, units: int) -> float:
    """The smallest whole number of MB whose plan keeps that many units."""
    return _ceil(_total(shape, units))


def _unit_bytes(shape: ModelShape) -> int:
    """A slot with its scores and positions: float32 and int32 in every layer and KV head."""
    return shape.unit_bytes + shape.layers * shape.kv_heads * 8


def _total(shape: ModelShape, units: int) -> int:
    """Bytes: the cache counts twice, since an eviction works on a copy of it."""
    return shape.file_bytes + PROGRAM_MB * MB + 2 * selection_for(units).capacity * _unit_bytes(shape)


def _ceil(size: float) -> int:
    return -int(-size // MB)
