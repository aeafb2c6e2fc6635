"""Which devices torch has here, and the precision each is at its best in. It knows no model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from engine.errors import UserError
from engine.target import Device, Dtype

TORCH_DTYPES: dict[Dtype, torch.dtype] = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}
_BFLOAT16_FLAGS = ("amx_bf16", "avx512_bf16", "bf16")


def device_for(name: str) -> Device:
    """`auto` is the first of CUDA, MPS and the processor that is there. Raises UserError for one that is not."""
    there: dict[Device, bool] = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    for device, is_there in there.items():
        if name in ("auto", device) and is_there:
            return device
    message = (
        f"This computer has no {name.upper()} device that torch can use. "
        "Choose another in the settings, or with --device."
    )
    raise UserError("model_broken", message)


def dtype_for(name: str, device: Device) -> Dtype:
    """`auto` is bfloat16 where the device computes in it, else what it computes in without losing range."""
    for dtype in TORCH_DTYPES:
        if name == dtype:
            return dtype
    if device == "cuda":
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float16"
    if device == "mps":
        return "float16"
    return "bfloat16" if _processor_has_bfloat16() else "float32"


def memory_of(device: Device) -> int | None:
    """Bytes of a card of its own; None for devices that share the computer's."""
    return int(torch.cuda.get_device_properties(0).total_memory) if device == "cuda" else None


def _processor_has_bfloat16() -> bool:
    capabilities: Mapping[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return any(capabilities.get(flag) for flag in _BFLOAT16_FLAGS)
