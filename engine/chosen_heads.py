"""Retaining heads that the person chose, in the form that runtimes read."""

from __future__ import annotations

from pathlib import Path

from engine.checkpoint_heads import converted
from engine.errors import UserError
from engine.locret.heads import HeadFileError
from engine.model_shape import ModelShape


def usable_heads(source: Path, shape: ModelShape, fingerprint: str, folder: Path) -> Path:
    """The head file of a checkpoint for this model, converted at the first call. Raises UserError("heads_unusable")."""
    if not source.exists():
        message = f"There are no retaining heads at {source}. Choose others in the settings, or with --heads."
        raise UserError("heads_unusable", message)
    try:
        return converted(source, shape, fingerprint, folder)
    except HeadFileError as error:
        raise UserError("heads_unusable", f"The retaining heads cannot be used: {error}.") from error
    except OSError as error:
        message = f"The retaining heads cannot be written: {error.strerror}. Make room on the disk, and try again."
        raise UserError("heads_unusable", message) from error
