"""What the person chose as model or heads, found on this machine: a file, a folder, or a hub id once downloaded.

It knows how to name a model's content, and nothing of what is in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.errors import UserError

# What a reading depends on. Weights of other formats beside these, and words about the model, change nothing.
_CONTENT = ("*.safetensors", "*.bin", "*.json", "*.model", "*.jinja")
Emit = Callable[[str, dict[str, Any]], None]


def find(text: str, models: Path) -> Path | None:
    """The path, or the downloaded folder of a hub id, or None for an id that is not downloaded yet.

    models: the folder of what was downloaded. A path that is not there is given back as it is: its reader says so.
    """
    from engine.hub import downloaded, is_hub_id

    path = Path(text).expanduser()
    if path.exists() or text.lower().endswith(".gguf") or not is_hub_id(text):
        return path
    return downloaded(text, models)


def fetch(text: str, models: Path, emit: Emit, abort: Callable[[], bool]) -> Path:
    """As `find`, but downloads what is not there, telling of it in `loading` events. Raises UserError."""
    path = find(text, models)
    if path is not None:
        return path
    from engine.hub import Progress, download

    def tell(progress: Progress) -> None:
        emit("loading", {"message": f"Downloading {text}: {_mb(progress.done)} of {_mb(progress.total)} MB"})

    return download(text, models, tell, abort)


def not_downloaded(text: str) -> UserError:
    """For what needs the model's files before anything may be downloaded."""
    message = f"{text} is downloaded when it is first used. What the memory buys with it is known then."
    return UserError("not_downloaded", message)


def fingerprint(path: Path, sha256: Callable[[Path], str]) -> str:
    """The sha256 of a file, or of a folder's names and contents together. Raises OSError."""
    if not path.is_dir():
        return sha256(path)
    files = sorted({file for pattern in _CONTENT for file in path.glob(pattern)})
    lines = "".join(f"{file.name} {sha256(file)}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def _mb(size: int) -> str:
    return f"{size / 1_000_000:,.0f}"
