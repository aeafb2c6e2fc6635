"""The SQLite file itself: connections, transactions, errors, and what to do with a file that is broken.

One connection a thread, all on one file in WAL mode. It knows nothing of what the tables mean. `synchronous` is FULL: a
commit is on the disk when it returns, so neither a kill nor a power cut loses a committed message. It costs a flush of
the log each time, and the engine commits a few times a second.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlite_utils import Database as SqliteDatabase

from engine.errors import UserError
from engine.store import migrations

BUSY_SECONDS = 60.0
LOG_BYTES_KEPT = 64 * 2**20
LEAST_FREE_BYTES = 2**20
BROKEN_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

Row = dict[str, Any]


class Database:
    """The file at `path`, made if missing. `notice`: a sentence if a broken file was set aside, or None."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notice: str | None = None
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._connections_lock = threading.Lock()
        try:
            self._prepare()
        except sqlite3.DatabaseError as error:
            self.close()
            if _primary_code(error) not in BROKEN_CODES:
                raise self._user_error(error) from error
            self.notice = _set_aside(path)
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        connection = self._connection()
        migrations.apply(SqliteDatabase(connection))
        connection.execute("SELECT count(*) FROM conversations").fetchone()

    def _connection(self) -> sqlite3.Connection:
        existing: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if existing is not None:
            return existing
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False)
        with self._connections_lock:
            self._connections.append(connection)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES_KEPT}")
        connection.create_function("casefold", 1, lambda text: str(text).casefold(), deterministic=True)
        self._local.connection = connection
        return connection

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """All rows of a query. Raises UserError as `write` does."""
        with self._translated():
            return [dict(row) for row in self._connection().execute(sql, parameters)]

    def each(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        """The rows of a query, each fetched when it is asked for: not to be written to meanwhile by this thread.

        Raises as `write` does.
        """
        with self._translated(), closing(self._connection().execute(sql, parameters)) as cursor:
            yield from map(dict, cursor)

    def row(self, sql: str, parameters: Sequence[Any] = ()) -> Row | None:
        """The first row of a query, or None."""
        with self._translated():
            found = self._connection().execute(sql, parameters).fetchone()
        return None if found is None else dict(found)

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is committed, or none. May be nested; the outermost commits.

        Raises UserError "disk_full", "database_damaged" or "data_folder_unusable".
        """
        connection = self._connection()
        if connection.in_transaction:
            yield connection
            return
        with self._translated():
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise

    def give_back_space(self) -> None:
        """Returns the pages of what was removed to the file system, after the log is written into the file."""
        with self._translated():
            connection = self._connection()
            connection.executescript("PRAGMA incremental_vacuum")  # execute() would free a single page
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Closes every thread's connection. No thread may be using one."""
        with self._connections_lock:
            connections, self._connections = self._connections, []
        for connection in connections:
            connection.close()
        self._local = threading.local()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            translated = self._user_error(error)
            if translated is error:
                raise
            raise translated from error

    def _user_error(self, error: sqlite3.DatabaseError) -> Exception:
        """The error as the person can mend it; the error itself where it is a bug of ours."""
        code = _primary_code(error)
        full = code == sqlite3.SQLITE_FULL or (
            code == sqlite3.SQLITE_IOERR and shutil.disk_usage(self.path.parent).free < LEAST_FREE_BYTES
        )
        if full:
            return UserError(
                "disk_full", "The disk is full. Make some space, then try again. Nothing saved before is lost."
            )
        if code in BROKEN_CODES:
            return UserError(
                "database_damaged",
                "The file with the conversations is damaged. Restart Keepsake: it keeps the file and starts anew.",
                path=str(self.path),
            )
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR):
            return UserError(
                "data_folder_unusable",
                "Keepsake cannot write in its data folder. Check its permissions, or choose another data folder.",
                path=str(self.path),
            )
        return error


def _primary_code(error: sqlite3.Error) -> int:
    code = getattr(error, "sqlite_errorcode", None)
    return 0 if code is None else code & 0xFF


def _set_aside(path: Path) -> str:
    """Renames a broken database and its log, so that they can be mended, and says so."""
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    kept = path.with_name(f"{path.stem}-damaged-{stamp}{path.suffix}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.stem}-damaged-{stamp}-{number}{path.suffix}")
    for ending in ("-wal", "-shm", ""):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(kept.with_name(kept.name + ending))
    return (
        f"The file that holds the conversations is damaged and cannot be opened. It was kept as {kept.name}, "
        "and Keepsake started a new one."
    )
