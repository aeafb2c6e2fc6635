"""The folders of head files: which file is for which model. It reads no weights and needs no torch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.locret.head_file import head_metadata


def find_heads(fingerprint: str, folders: list[Path]) -> Path | None:
    """The head file whose metadata names this model, or None: of the first folder that has one, the newest."""
    for path in _head_files(folders):
        try:
            if fingerprint in head_metadata(path).get("model_sha256", "").split():
                return path
        except (OSError, ValueError):
            continue
    return None


def _head_files(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(folder.glob("*.safetensors"), key=_written, reverse=True)


def _written(path: Path) -> float:
    """When, or 0 for what is gone meanwhile."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
