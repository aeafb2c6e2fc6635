"""What a reading takes under llama.cpp, in bytes."""

from __future__ import annotations

from engine.locret.selection import Selection
from engine.model_shape import ModelShape
from engine.target import CUDA_LIBRARIES_BYTES, Memory, Target

# The engine with a torch for processors and llama.cpp loaded, less weights and cache: 380 to 420 MB measured on Linux.
PROGRAM_BYTES = 420_000_000


def memory(shape: ModelShape, target: Target, selection: Selection) -> Memory:
    """The cache counts twice: an eviction works on a copy of it, and so do storing and restoring it. Of the copy, what
    it counts for scores stands for the units' RoPE positions.
    """
    cache = cache_bytes(shape, selection)
    program = PROGRAM_BYTES + (CUDA_LIBRARIES_BYTES if target.cuda_build else 0)
    return Memory(weights=shape.file_bytes, cache=cache, activations=cache, program=program)


def cache_bytes(shape: ModelShape, selection: Selection) -> int:
    """Each slot with its score and position: float32 and int32 in every layer and KV head."""
    return selection.capacity * (shape.unit_bytes + shape.layers * shape.kv_heads * 8)
