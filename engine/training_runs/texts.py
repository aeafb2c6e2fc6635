"""What training reads: the documents in Keepsake, a folder of the person's, or what the command fetches itself.

It knows the store and the command's option for data, nothing of how texts are drawn from.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import UserError
from engine.store import Store
from engine.training.corpus import can_fetch

# About 50,000 tokens: heads that see less learn the texts themselves.
LEAST_CHARACTERS = 200_000


def available(store: Store) -> dict[str, Any]:
    """How much text there is in Keepsake, and whether the standard texts can be fetched here."""
    files = store.files_read()
    return {
        "documents": len(files),
        "characters": sum(files.values()),
        "least": LEAST_CHARACTERS,
        "standard": can_fetch(),
    }


def options(store: Store, params: Mapping[str, Any], folder: Path) -> list[str]:
    """The command's options for the texts that a call names: {texts: "documents", "standard" or "folder", folder}.

    folder: of the run, into which the documents' texts are written. Raises UserError "bad_params", "no_such_file" or
    "too_little_text".
    """
    match params.get("texts"):
        case "documents":
            return ["--data", str(_written(store, folder / "texts"))]
        case "standard":
            return []
        case "folder":
            return ["--data", str(_folder(params.get("folder")))]
    raise UserError("bad_params", "texts is one of documents, standard and folder.")


def _folder(chosen: Any) -> Path:
    if not isinstance(chosen, str) or not chosen.strip():
        raise UserError("bad_params", "folder is missing or no text.")
    try:
        found = Path(chosen).expanduser().is_dir()
    except (OSError, RuntimeError, ValueError):
        found = False
    if not found:
        raise UserError("no_such_file", "That folder is not there any more. Choose another.")
    return Path(chosen).expanduser().absolute()


def _written(store: Store, into: Path) -> Path:
    """One text file for each file that was read."""
    files = store.files_read()
    if sum(files.values()) < LEAST_CHARACTERS:
        message = f"Training needs at least {LEAST_CHARACTERS:,} characters of text. Let Keepsake read more documents."
        raise UserError("too_little_text", message)
    into.mkdir(parents=True, exist_ok=True)
    for sha256, recipe in files:
        pages = [page.text for page in store.pages(sha256, recipe) if page.text]
        (into / f"{sha256[:16]}.txt").write_text("\n\n".join(pages), encoding="utf-8")
    return into
