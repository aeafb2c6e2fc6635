"""What the person chose as model or heads, found on this machine: a file, a folder, or a hub id once downloaded.

It knows how to name a model's content, and nothing of what is in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.errors import UserError

# What a reading depends on, whatever else lies in the folder.
_CONTENT = (
    "*.safetensors",
    "*.bin",
    "*.index.json",
    "config.json",
    "tokenizer*",
    "vocab.json",
    "merges.txt",
    "added_tokens.json",
    "special_tokens_map.json",
    "chat_template*",
)
Emit = Callable[[str, dict[str, Any]], None]


def find(text: str, models: Path, heads: bool = False) -> Path | None:
    """The path, or the downloaded folder of a hub id, or None for an id that is not downloaded yet.

    models: the folder of what was downloaded. heads: whether its retaining heads alone are wanted. A path that is not
    there is given back as it is: its reader says so.
    """
    from engine.hub import downloaded, is_hub_id

    path = _path(text, heads)
    if path.exists() or text.lower().endswith(".gguf") or not is_hub_id(text):
        return path
    return downloaded(text, models, heads)


def _path(text: str, heads: bool) -> Path:
    """Raises UserError for what no file system takes for a path."""
    try:
        path = Path(text).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        shown = text if len(text) <= 80 else f"{text[:80]}\u2026"
        message = (
            f"{shown} is no path. Choose a file or a folder in the settings, or with --{'heads' if heads else 'model'}."
        )
        raise UserError("model_missing", message) from error
    return path


def fetch(text: str, models: Path, emit: Emit, abort: Callable[[], bool], heads: bool = False) -> Path:
    """As `find`, but downloads what is not there, telling of it in `loading` events. Raises UserError."""
    path = find(text, models, heads)
    if path is not None:
        return path
    from engine.hub import Progress, download

    def tell(progress: Progress) -> None:
        emit("loading", {"message": f"Downloading {text}: {_mb(progress.done)} of {_mb(progress.total)} MB"})

    return download(text, models, tell, abort, heads)


def not_downloaded(text: str) -> UserError:
    """For what needs the model's files before anything may be downloaded."""
    message = f"{text} is downloaded when it is first used. What the memory buys with it is known then."
    return UserError("not_downloaded", message)


def fingerprint(path: Path, sha256: Callable[[Path], str]) -> str:
    """The sha256 of a file, or of a folder's names and contents together. Raises OSError."""
    if not path.is_dir():
        return sha256(path)
    files = sorted({file for pattern in _CONTENT for file in path.glob(pattern) if file.is_file()})
    lines = "".join(f"{file.name} {sha256(file)}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def _mb(size: int) -> str:
    return f"{size / 1_000_000:,.0f}"
