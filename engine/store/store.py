"""The store as a whole: opened by one engine at a time, and put in order after a crash."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.errors import UserError
from engine.store.contents import Contents
from engine.store.database import Database
from engine.store.documents import Documents
from engine.store.lock import DataLock
from engine.store.readings import Readings
from engine.store.settings import Settings

FILE_NAME = "keepsake.sqlite3"
LOCK_NAME = "keepsake.lock"
WAIT_SECONDS = 5.0


class Store(Documents, Contents, Readings, Settings):
    """Everything kept at `path` (the SQLite file; made if missing, with its folder). May be used from any thread.

    Raises UserError "in_use" if another engine still holds the folder after `wait_seconds`, "database_newer",
    "disk_full" or "data_folder_unusable".
    """

    def __init__(self, path: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = DataLock(path.with_name(LOCK_NAME), wait_seconds)
        except OSError as error:
            message = f"The folder {path.parent} cannot be made or used. Choose another with --data-dir."
            raise UserError("data_folder_unusable", message, cause=str(error)) from error
        try:
            self._database = Database(path)
            self._end_what_a_crash_left()
        except BaseException:
            self._lock.release()
            raise

    @property
    def notice(self) -> str | None:
        """What the person must know about how the file was opened, or None."""
        return self._database.notice

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What is written inside is committed as one, or not at all."""
        with self._database.write():
            yield

    def close(self) -> None:
        """Lets another engine in. No thread may be using the store."""
        self._database.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _end_what_a_crash_left(self) -> None:
        """Nothing is being written or read now, whatever the last engine was doing when it ended."""
        with self._database.write() as db:
            db.execute("UPDATE messages SET state = 'stopped' WHERE state = 'streaming'")
            db.execute(
                "UPDATE documents SET outcome = CASE WHEN sha256 IS NULL THEN 'waiting' ELSE 'paused' END"
                " WHERE outcome = 'reading'"
            )
