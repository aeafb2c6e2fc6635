"""Float32 to float16 without favour: a value between two neighbours goes to either, as often as it is near to it.

Keys are rotated and rounded at every eviction. To the nearest, a slow pair's small turn would be lost each time and the
losses would add up; rounded fairly they cancel out, and the error grows with the root of the number of evictions.
The choice depends on the slot and the dimension alone, so that the same reading gives the same bits.
"""

from __future__ import annotations

import torch
from torch import Tensor

_DROPPED = 1 << 13  # steps of a float32 mantissa between two float16 neighbours


class FairRounding:
    """For slots 0..slots-1 and keys of `head_dim` dimensions."""

    def __init__(self, slots: int, head_dim: int) -> None:
        generator = torch.Generator().manual_seed(0)
        self._lift = torch.randint(_DROPPED, (slots, 1, head_dim), generator=generator, dtype=torch.int16)

    def __call__(self, keys: Tensor) -> Tensor:
        """keys: float32 (slots, kv_heads, head_dim), used up. Returns float16; what float16 holds already stays."""
        bits = keys.view(torch.int32)
        bits.add_(self._lift[: len(keys)]).bitwise_and_(-_DROPPED)
        return keys.half()
