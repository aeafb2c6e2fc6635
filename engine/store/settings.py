"""Settings: JSON values by name. It knows neither their defaults nor their limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.store.database import Database


class Settings:
    """The part of the store that knows settings."""

    _database: Database

    def settings(self) -> dict[str, Any]:
        """All that were ever set."""
        return {row["key"]: json.loads(row["value"]) for row in self._database.rows("SELECT * FROM settings")}

    def save_settings(self, changes: Mapping[str, Any]) -> None:
        """Sets the values given, in one transaction."""
        with self._database.write() as db:
            db.executemany(
                "INSERT OR REPLACE INTO settings VALUES (?, ?)",
                [(key, json.dumps(value)) for key, value in changes.items()],
            )
