"""From a memory budget and a model's shape to the parameters of a reading and the place of its weights: one pure
function.

What a reading takes is the affair of `llama_memory` and `torch_memory`; this file only spends the budget on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from engine import llama_memory, torch_memory
from engine.locret.selection import Selection
from engine.model_shape import ModelShape
from engine.target import LLAMA_CPP, Device, Dtype, Memory, Runtime, Target

__all__ = ["MB", "Plan", "Target", "budget_for", "least_mb", "most_units", "plan", "selection_for"]

MB = 1_000_000
STEP = 64
LEAST_UNITS = 256
CHUNK = 512
LARGEST_CHUNK = 3072
SINKS = 4
NEWEST = 0.0  # share of the budget
TURN = 1536


@dataclass(frozen=True)
class Plan:
    """What a budget buys. ok False: it cannot hold the model, and `message` says what would.

    The rest is then what the least would buy. total_mb = model_mb + cache_mb + other_mb; model_mb: the weights that lie
    on the device; other_mb = activations_mb + program_mb. layers_on_device: of `layers`; those left out are streamed.
    minimum_mb: the least budget that works. maximum_mb: the least that buys everything.
    """

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
    activations_mb: float
    program_mb: float
    layers_on_device: int
    layers: int
    runtime: Runtime
    device: Device
    dtype: Dtype

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def plan(shape: ModelShape, target: Target, budget_bytes: int) -> Plan:
    """First the weights: as many layers on the device as fit beside the least number of units. Then, once all are
    there, as many units as keep the total within the budget and their slots within the model's context.

    A larger budget never gives fewer units, nor fewer layers on the device.
    """
    least, most = _fewest_layers(shape, target), most_units(shape, target)
    minimum = _memory(shape, target, LEAST_UNITS, least).total
    message = _refusal(shape, target, minimum, budget_bytes)
    layers = _placed_layers(shape, target, budget_bytes)
    units = LEAST_UNITS
    if layers == shape.layers:
        units = _largest(lambda n: _memory(shape, target, n, layers).total <= budget_bytes, LEAST_UNITS, most)
    selection, memory = selection_for(units, target), _memory(shape, target, units, layers)
    return Plan(
        budget_mb=budget_bytes / MB,
        units=units,
        chunk=selection.chunk,
        stabilizers=selection.stabilizers,
        cache_mb=memory.cache / MB,
        model_mb=memory.weights / MB,
        other_mb=(memory.activations + memory.program) / MB,
        total_mb=memory.total / MB,
        ok=message is None,
        message=message,
        minimum_mb=least_mb(minimum),
        maximum_mb=least_mb(_most_bytes(shape, target, most)),
        activations_mb=memory.activations / MB,
        program_mb=memory.program / MB,
        layers_on_device=layers,
        layers=shape.layers,
        runtime=target.runtime,
        device=target.device,
        dtype=target.dtype,
    )


def budget_for(shape: ModelShape, target: Target, units: int) -> int:
    """The smallest number of bytes whose plan keeps that many units."""
    return _memory(shape, target, units, shape.layers).total


def _most_bytes(shape: ModelShape, target: Target, most: int) -> int:
    """What buys everything, or all that the device has."""
    everything = budget_for(shape, target, most)
    return everything if target.device_bytes is None else min(everything, target.device_bytes)


def most_units(shape: ModelShape, target: Target) -> int:
    """The largest budget whose slots stay within the positions that the model can attend to; LEAST_UNITS at least."""
    return _largest(
        lambda units: selection_for(units, target).capacity <= shape.context,
        LEAST_UNITS,
        shape.context // STEP * STEP,
    )


def selection_for(units: int, target: Target = LLAMA_CPP) -> Selection:
    """The parameters of a reading with that budget: the stabilizers are a quarter of it or of a chunk, whichever is
    less, and the document's tail half as many; the newest have the share NEWEST. Units keep their original positions
    while these fit.
    """
    chunk = _chunk_for(units, target)
    stabilizers = min(units, chunk) // 4
    return Selection(
        units,
        chunk,
        stabilizers,
        min(SINKS, units // 4),
        stabilizers // 2,
        TURN,
        rope="original",
        allocation=target.allocation,
        newest=int(NEWEST * units),
    )


def least_mb(size: int) -> int:
    """The smallest whole number of MB that holds so many bytes."""
    return -(-size // MB)


def _chunk_for(units: int, target: Target) -> int:
    """Half the units in steps of 512, at most what the authors read, where a chunk is one forward; else no larger than
    a forward, which costs no memory, since the room for a turn is larger.
    """
    half = units // 2 // CHUNK * CHUNK
    return max(CHUNK, min(LARGEST_CHUNK, half)) if target.whole_chunks else CHUNK


def _memory(shape: ModelShape, target: Target, units: int, layers_on_device: int) -> Memory:
    selection = selection_for(units, target)
    if target.runtime == "llama.cpp":
        return llama_memory.memory(shape, target, selection)
    return torch_memory.memory(shape, target, selection, layers_on_device)


def _fewest_layers(shape: ModelShape, target: Target) -> int:
    return 0 if target.streams_layers else shape.layers


def _placed_layers(shape: ModelShape, target: Target, budget_bytes: int) -> int:
    """Layers whose weights fit on the device beside the least number of units."""
    fewest = _fewest_layers(shape, target)
    placements = range(shape.layers, fewest - 1, -1)
    fitting = (n for n in placements if _memory(shape, target, LEAST_UNITS, n).total <= budget_bytes)
    return next(fitting, fewest)


def short_context(shape: ModelShape, target: Target) -> str | None:
    """Why the model's context is too short for any budget, as a sentence; None where it is not.

    A GGUF of a shorter context has always been let through: without heads it runs with its full cache.
    """
    slots = selection_for(LEAST_UNITS, target).capacity
    if target.runtime == "llama.cpp" or shape.context >= slots:
        return None
    return f"{shape.name} can look back {shape.context:,} tokens, and Keepsake needs {slots:,}. Choose another model."


def _refusal(shape: ModelShape, target: Target, minimum: int, budget_bytes: int) -> str | None:
    if message := short_context(shape, target):
        return message
    if target.device_bytes is not None and budget_bytes > target.device_bytes:
        return f"This graphics card has {target.device_bytes // MB} MB. Choose a smaller memory budget."
    if budget_bytes < minimum:
        return f"{shape.name} needs at least {least_mb(minimum)} MB. Give it more memory, or choose a smaller model."
    return None


def _largest(fits: Callable[[int], bool], low: int, high: int) -> int:
    """The largest step of STEP from `low` to `high` that fits, where all below one that fits do; else `low`."""
    first, last = 0, max(0, high - low) // STEP
    while first < last:
        middle = (first + last + 1) // 2
        if fits(low + middle * STEP):
            first = middle
        else:
            last = middle - 1
    return low + first * STEP
