"""Where a model runs and in which numbers, and what a reading takes there. It knows no model and no sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.locret.selection import Allocation

Runtime = Literal["llama.cpp", "torch"]
Device = Literal["cpu", "cuda", "mps"]
Dtype = Literal["float32", "bfloat16", "float16"]
WeightBits = Literal[16, 8, 4]


@dataclass(frozen=True)
class Target:
    """What runs a model.

    dtype: of the computation and the cache; llama.cpp's cache is float16 and its weights as in their file, whatever
    this and weight_bits say. weight_bits: 16 for weights in the dtype. head_hidden: width d_R of the retaining heads.
    device_bytes: memory of a card of its own, which no budget can pass; None where it is the computer's.
    cuda_build: whether the installed torch brings NVIDIA's libraries, which take memory wherever the model runs.
    allocation: how a budget of units is shared among heads; llama.cpp holds as many in each.
    Raises ValueError for a combination that nothing here runs.
    """

    runtime: Runtime
    device: Device
    dtype: Dtype
    weight_bits: WeightBits = 16
    head_hidden: int = 256
    cuda_build: bool = False
    device_bytes: int | None = None
    allocation: Allocation = "uniform"

    def __post_init__(self) -> None:
        if self.runtime == "llama.cpp" and self.device != "cpu":
            raise ValueError("llama.cpp runs on the cpu here")
        if self.runtime == "llama.cpp" and self.allocation != "uniform":
            raise ValueError("llama.cpp holds as many units in each head")

    @property
    def whole_chunks(self) -> bool:
        """Whether a chunk is forwarded in one piece, however long: where a device computes it all at once."""
        return self.device != "cpu"

    @property
    def streams_layers(self) -> bool:
        """Whether layers that do not fit the device can be streamed to it, one by one, while it computes: not when they
        are packed, which happens on the device.
        """
        return self.device == "cuda" and self.weight_bits == 16


# What a torch with NVIDIA's libraries takes more than one without: one engine was seen to take 235 MB more.
CUDA_LIBRARIES_BYTES = 300_000_000

LLAMA_CPP = Target("llama.cpp", "cpu", "float16")
TORCH_CPU = Target("torch", "cpu", "float32")


@dataclass(frozen=True)
class Memory:
    """Bytes that a reading takes at its most, on the device that the budget is of.

    weights: those that stay there, and the place that the others are streamed through. cache: at its capacity.
    activations: what a forward and an eviction work on, or what loading takes beside the weights where that is more
    than all of these. program: the runtime itself.
    """

    weights: int
    cache: int
    activations: int
    program: int

    @property
    def total(self) -> int:
        return self.weights + self.cache + self.activations + self.program
