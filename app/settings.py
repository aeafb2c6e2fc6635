"""The window's own settings: one table, kept in an ini file.

Knows nothing of the engine's settings (memory budget, model): the engine keeps those and is asked for them.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSettings

Value = str | int | float | bool


@dataclass(frozen=True)
class Setting:
    """One row: its key in the file, its default (whose type is the setting's), and how it is shown."""

    key: str
    default: Value
    label: str
    help: str


TABLE = (
    Setting("appearance/theme", "system", "Theme", "Follow the system, or always light or dark."),
    Setting("appearance/text_scale", 100, "Text size", "In percent. Ctrl + and Ctrl - change it anywhere."),
    Setting(
        "engine/command", "", "Engine command", "Empty: this computer. Or a command that starts the engine elsewhere."
    ),
    Setting("window/geometry", "", "Window", "Size and place of the window, as Qt writes them."),
    Setting("window/conversation", "", "Last conversation", "The conversation to show at the next start."),
    Setting("window/list_width", 260, "Conversations pane", "Width in pixels."),
    Setting("window/list_shown", True, "Conversations pane", "Shown or folded."),
    Setting("window/documents_width", 300, "Documents pane", "Width in pixels."),
    Setting("window/documents_shown", True, "Documents pane", "Shown or folded."),
)
BY_KEY = {setting.key: setting for setting in TABLE}


class Settings:
    """Reads and writes the table's values in `directory`/window.ini."""

    def __init__(self, directory: Path) -> None:
        self._store = QSettings(str(directory / "window.ini"), QSettings.Format.IniFormat)

    def text(self, key: str) -> str:
        """The value of a setting whose default is a string."""
        return str(self._store.value(key, BY_KEY[key].default))

    def number(self, key: str) -> int:
        """The value of a setting whose default is a whole number; the default when the file holds no number."""
        default = BY_KEY[key].default
        try:
            return int(str(self._store.value(key, default)))
        except ValueError:
            return int(default)

    def flag(self, key: str) -> bool:
        """The value of a setting whose default is a bool."""
        return str(self._store.value(key, BY_KEY[key].default)).lower() == "true"

    def set(self, key: str, value: Value) -> None:
        """Writes a value; raises KeyError for a key that the table does not name."""
        self._store.setValue(BY_KEY[key].key, value)

    def engine_command(self) -> list[str]:
        """The words that start the engine."""
        written = self.text("engine/command").strip()
        return shlex.split(written) if written else [sys.executable, "-m", "engine.main"]

    def save(self) -> None:
        """Writes the file now instead of when Qt finds the time."""
        self._store.sync()
