"""What a head file says of itself, read from its header: no weights, so that no torch is needed."""

from __future__ import annotations

import json
from pathlib import Path

_LONGEST_HEADER = 100_000_000  # bytes; safetensors itself refuses longer ones


class HeadFileError(ValueError):
    """A file that holds no usable retaining heads; the text says what is wrong."""


def head_metadata(path: Path) -> dict[str, str]:
    """The metadata of a head file alone, without its weights. Raises OSError and ValueError."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > _LONGEST_HEADER:
            raise HeadFileError(f"{path.name} is no head file")
        header = json.loads(file.read(size))
    if not isinstance(header, dict):
        raise HeadFileError(f"{path.name} is no head file")
    return dict(header.get("__metadata__", {}))
