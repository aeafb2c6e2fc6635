"""Where the window keeps its own things: settings of the window and logs. The engine's data is `engine.paths`.

Knows the folders, not what is in them; creates none.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def config_dir() -> Path:
    """The folder of the window's settings: KEEPSAKE_CONFIG_DIR, or the user's configuration folder of this system."""
    return _chosen() or platformdirs.user_config_path("keepsake", appauthor=False)


def log_dir() -> Path:
    """The folder of the logs: `logs` in KEEPSAKE_CONFIG_DIR where that is set, or the user's log folder."""
    chosen = _chosen()
    return chosen / "logs" if chosen else platformdirs.user_log_path("keepsake", appauthor=False)


def _chosen() -> Path | None:
    folder = os.environ.get("KEEPSAKE_CONFIG_DIR")
    return Path(folder).expanduser() if folder else None
