"""Which runtime reads a model, where and in which numbers, and the opening of it.

It knows the two runtimes and imports neither before it is needed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import UserError
from engine.locret.selection import Allocation
from engine.model_shape import ModelShape
from engine.target import LLAMA_CPP, Target, WeightBits

if TYPE_CHECKING:
    from engine.backends.base import Runtime
    from engine.backends.scoring import Scoring

RUNTIMES = ("auto", "llama.cpp", "torch")
DEVICES = ("auto", "cpu", "cuda", "mps")
DTYPES = ("auto", "float32", "bfloat16", "float16")
ALLOCATIONS: tuple[Allocation, ...] = ("uniform", "pyramid", "layer", "model")
WEIGHTS: Mapping[str, WeightBits] = {"full": 16, "8bit": 8, "4bit": 4}
BATCH = 512
# The width d_R of the authors' heads, for heads that were chosen and not looked at yet.
WIDEST_HEADS = 1024


def target_for(
    shape: ModelShape,
    runtime: str = "auto",
    device: str = "auto",
    dtype: str = "auto",
    weights: str = "full",
    allocation: Allocation = "uniform",
    chosen_heads: bool = False,
) -> Target:
    """`auto` is llama.cpp for a GGUF file and torch for a folder. Raises UserError for what cannot be.

    chosen_heads: whether the person named the retaining heads; they may be wider than ours.
    """
    folder = shape.path.is_dir()
    if runtime == "llama.cpp" and folder:
        message = f"llama.cpp reads GGUF files, and {shape.name} is a folder. Choose torch (--runtime torch)."
        raise UserError("bad_params", message)
    if weights != "full" and not folder:
        message = f"{shape.name} is packed already, as its file has it. Choose full weights (--weights full)."
        raise UserError("bad_params", message)
    if runtime == "llama.cpp" or (runtime == "auto" and not folder):
        if allocation != "uniform":
            message = (
                "llama.cpp keeps as many units in each head. "
                "Choose torch (--runtime torch), or leave the allocation uniform."
            )
            raise UserError("bad_params", message)
        return replace(LLAMA_CPP, cuda_build=torch_brings_cuda())
    from engine.backends.torch_devices import device_for, dtype_for, memory_of

    there = device_for(device)
    hidden = shape.head_hidden or (WIDEST_HEADS if chosen_heads else LLAMA_CPP.head_hidden)
    bits = WEIGHTS[weights]
    return Target(
        "torch", there, dtype_for(dtype, there), bits, hidden, torch_brings_cuda(), memory_of(there), allocation
    )


@cache
def torch_brings_cuda() -> bool:
    """Whether the installed torch has NVIDIA's libraries; torch itself is not imported for it."""
    spec = find_spec("torch")
    folders = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    return any(any((folder / "lib").glob("*torch_cuda*")) for folder in folders)


def open_runtime(
    shape: ModelShape,
    target: Target,
    cells: int,
    heads: Scoring | None,
    abort: Callable[[], bool] | None = None,
    *,
    evicts: bool = True,
    batch: int = BATCH,
    layers_on_device: int | None = None,
    threads: int | None = None,
) -> Runtime:
    """Loads the model (seconds) with a cache of that many cells. Raises UserError("model_missing" or "model_broken").

    evicts: whether the cache will be kept within its cells, so that their memory is taken at once. batch: tokens a
    forward. threads: of llama.cpp; torch has one number of them for all.
    """
    if target.runtime == "llama.cpp":
        from engine.backends.llama_cpp import LlamaCppBackend

        return LlamaCppBackend(shape.path, n_ctx=cells, n_batch=batch, threads=threads, heads=heads, abort=abort)
    quiet()
    from engine.backends.torch_backend import TorchBackend
    from engine.backends.torch_model import Placement

    return TorchBackend(
        shape.path,
        n_ctx=cells,
        n_batch=batch,
        heads=heads,
        abort=abort,
        placement=Placement(target.device, target.dtype, target.weight_bits, layers_on_device),
        grows=not evicts,
        ragged=evicts and target.allocation != "uniform",
    )


def quiet() -> None:
    """Where torchao is installed transformers imports it, and it and torch then warn of their own future."""
    for name in ("torch.utils._pytree", "torchao"):
        logging.getLogger(name).disabled = True


def described(target: Target) -> dict[str, Any] | None:
    """What of the target changes the cache that a stream gives, for the key of a reading; llama.cpp needs no word."""
    if target.runtime == "llama.cpp":
        return None
    return {
        "runtime": target.runtime,
        "device": target.device,
        "dtype": target.dtype,
        "weight_bits": target.weight_bits,
    }
