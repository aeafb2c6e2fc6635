"""The command-line options that say what runs a model, the same for every command."""

from __future__ import annotations

import argparse

from engine.errors import UserError
from engine.model_shape import ModelShape
from engine.runtimes import ALLOCATIONS, DEVICES, DTYPES, RUNTIMES, WEIGHTS, target_for
from engine.target import Target

OF_TORCH_ALONE = "--device and --dtype are torch's. Add --runtime torch, or leave them out."


def add_runtime_arguments(parser: argparse.ArgumentParser, *, allocation: bool = True) -> None:
    """allocation: whether it is asked for; it is no option where it is a part of what is compared."""
    parser.add_argument("--runtime", choices=RUNTIMES, help="auto: llama.cpp for a GGUF file, torch for a folder")
    parser.add_argument("--device", choices=DEVICES, help="where torch runs the model")
    parser.add_argument("--dtype", choices=DTYPES, help="the precision that torch computes in")
    parser.add_argument("--weights", choices=tuple(WEIGHTS), help="how torch holds the weights")
    if allocation:
        parser.add_argument("--allocation", choices=ALLOCATIONS, help="how torch shares the units kept among heads")


def chosen_target(options: argparse.Namespace, shape: ModelShape) -> Target:
    """Raises UserError for what cannot be, and for options of torch where llama.cpp runs the model."""
    names = ("runtime", "device", "dtype", "weights", "allocation")
    given = {name: getattr(options, name, None) for name in names}
    target = target_for(shape, **{name: value for name, value in given.items() if value})
    if target.runtime == "llama.cpp" and (given["device"] or given["dtype"]):
        raise UserError("bad_params", OF_TORCH_ALONE)
    return target
