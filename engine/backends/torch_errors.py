"""What torch raises when a device cannot do something, as a sentence for the person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from engine.errors import UserError


@contextmanager
def in_sentences(device: torch.device) -> Iterator[None]:
    """Raises UserError("model_broken") for a missing operation and for memory that is used up; else what is raised."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        message = "The graphics card has no memory left. Choose a smaller memory budget, or close what else uses it."
        raise UserError("model_broken", message, cause=str(error)) from error
    except (NotImplementedError, TypeError, RuntimeError) as error:
        if not (isinstance(error, NotImplementedError) or _of_mps(device, error)):
            raise
        name = {"mps": "Apple's MPS", "cuda": "CUDA"}.get(device.type, "this device")
        message = (
            f"This model needs something that torch cannot do on {name} yet ({first_line(error)}). "
            "Choose the CPU in the settings, or with --device cpu."
        )
        raise UserError("model_broken", message, cause=str(error)) from error


def _of_mps(device: torch.device, error: BaseException) -> bool:
    """MPS says so in errors of all kinds, as for float64, which it has not."""
    return device.type == "mps" and "MPS" in str(error)


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
