"""Readings: stored states of the cache, layer by layer, each whole or not there at all.

It knows nothing of what a key hashes or how a layer is encoded.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import count
from sqlite3 import Connection

from engine.store.database import Database, Row
from engine.store.records import Layer, Reading

SPACE_WORTH_GIVING_BACK = 256 * 2**20


class Readings:
    """The part of the store that knows readings."""

    _database: Database

    def save_reading(self, reading: Reading, layers: Iterable[Layer], previous_key: str | None = None) -> Reading:
        """Keeps a reading, in one transaction, in place of that of the same key and of checkpoint `previous_key`.

        A layer is asked for when the last one is written, and none is kept.
        """
        now = time.time()
        with self._database.write() as db:
            db.execute("DELETE FROM readings WHERE key IN (?, ?)", (reading.key, previous_key))
            db.execute(
                "INSERT INTO readings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    reading.key,
                    reading.parent,
                    reading.model,
                    reading.heads,
                    json.dumps(reading.policy),
                    reading.state,
                    reading.tokens_read,
                    reading.units,
                    0,
                    reading.created or now,
                    now,
                ),
            )
            size = sum(map(partial(_save_layer, db, reading.key), count(), layers))
            db.execute("UPDATE readings SET bytes = ? WHERE key = ?", (size, reading.key))
            row = self._database.row("SELECT * FROM readings WHERE key = ?", (reading.key,))
        assert row is not None
        return _reading(row)

    def load_reading(self, key: str) -> tuple[Reading, Iterator[Layer]] | None:
        """The reading and its layers in order, and marks it as used; None if it is not there.

        A layer is fetched when it is asked for, since all of them are as large as the cache.
        """
        self.touch(key)
        reading = self.reading(key)
        if reading is None:
            return None
        layers = self._database.each(
            'SELECT keys, "values", scores, positions FROM reading_layers WHERE reading = ? ORDER BY layer', (key,)
        )
        return reading, map(_layer, layers)

    def reading(self, key: str) -> Reading | None:
        """The reading without its layers, or None."""
        row = self._database.row("SELECT * FROM readings WHERE key = ?", (key,))
        return None if row is None else _reading(row)

    def has_reading(self, key: str) -> bool:
        """Whether it is there."""
        return self.reading(key) is not None

    def touch(self, key: str) -> None:
        """Marks a reading as used now, so that the quota takes others first."""
        with self._database.write() as db:
            db.execute("UPDATE readings SET used = ? WHERE key = ?", (time.time(), key))

    def total_reading_bytes(self) -> int:
        """What all layers of all readings take."""
        row = self._database.row("SELECT coalesce(sum(bytes), 0) AS bytes FROM readings")
        return 0 if row is None else int(row["bytes"])

    def enforce_quota(self, limit: int, protect: Collection[str] = ()) -> list[str]:
        """Removes the least recently used readings until all take at most `limit` bytes, never those of `protect`.

        Returns the keys removed. Text and pages stay, so what was removed can be read again.
        """
        removed: list[str] = []
        freed = 0
        with self._database.write() as db:
            over = self.total_reading_bytes() - limit
            for row in self._database.rows("SELECT key, bytes FROM readings ORDER BY used, rowid"):
                if freed >= over:
                    break
                if row["key"] not in protect:
                    db.execute("DELETE FROM readings WHERE key = ?", (row["key"],))
                    removed.append(row["key"])
                    freed += row["bytes"]
        if freed >= SPACE_WORTH_GIVING_BACK:
            self._database.give_back_space()
        return removed


def _save_layer(db: Connection, key: str, number: int, layer: Layer) -> int:
    """Returns its bytes."""
    db.execute("INSERT INTO reading_layers VALUES (?, ?, ?, ?, ?, ?)", (key, number, *layer))
    return sum(len(part) for part in layer)


def _layer(row: Row) -> Layer:
    return Layer(**row)


def _reading(row: Row) -> Reading:
    return Reading(**{**row, "policy": json.loads(row["policy"])})
