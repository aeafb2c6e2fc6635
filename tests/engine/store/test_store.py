"""Opening: one engine at a time, what a crash left, newer and damaged files, a full disk, threads."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from pathlib import Path

import pytest
from sqlite_utils import Database as SqliteDatabase
from sqlite_utils import Migrations

from engine.errors import UserError
from engine.store import Layer, Reading, Store, migrations


def test_what_a_crash_left_is_ended_at_open(file: Path) -> None:
    with Store(file) as store:
        conversation = store.create_conversation().id
        message = store.add_message(conversation, None, "assistant", "half an ans", state="streaming")
        fresh, begun, done = (store.add_document(conversation, name=name, path=f"/{name}") for name in "abc")
        store.update_document(fresh.id, outcome="reading")
        store.update_document(begun.id, outcome="reading", sha256="a" * 64)
        store.update_document(done.id, outcome="read")
    with Store(file) as store:
        assert (store.message(message.id).state, store.message(message.id).text) == ("stopped", "half an ans")
        assert [document.outcome for document in store.documents(conversation)] == ["waiting", "paused", "read"]


def test_two_engines_do_not_open_one_folder(file: Path) -> None:
    with Store(file):
        with pytest.raises(UserError) as refused:
            Store(file, wait_seconds=0.3)
        assert refused.value.code == "in_use"
    with Store(file):
        pass


def test_the_second_engine_waits_for_the_first_to_end(file: Path) -> None:
    first = Store(file)
    timer = threading.Timer(0.3, first.close)
    timer.start()
    with Store(file, wait_seconds=20):
        timer.join()


def test_a_database_newer_than_the_code_is_left_alone(file: Path) -> None:
    with Store(file) as store:
        kept = store.create_conversation("kept")
    later = Migrations(migrations.SET)
    later(name="m999_later")(lambda db: db.execute("CREATE TABLE later (id)"))
    connection = sqlite3.connect(file)
    later.apply(SqliteDatabase(connection))
    connection.close()
    with pytest.raises(UserError) as refused:
        Store(file)
    assert (refused.value.code, refused.value.details) == ("database_newer", {"steps": ["m999_later"]})
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT id FROM conversations").fetchall() == [(kept.id,)]
    connection.close()


def test_an_older_database_is_brought_up_to_date(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", migrations.STEPS[:1])
        with Store(file) as store:
            kept = store.create_conversation("kept")
    with Store(file) as store:
        assert store.conversations() == [kept]
        assert store.total_reading_bytes() == 0


@pytest.mark.parametrize("damage", ["header", "all", "middle"])
def test_a_damaged_database_is_set_aside_and_not_overwritten(file: Path, damage: str) -> None:
    with Store(file) as store:
        store.create_conversation("lost to sight, not lost")
    data = bytearray(file.read_bytes())
    first, last = {"header": (0, 100), "all": (0, len(data)), "middle": (100, len(data))}[damage]
    data[first:last] = b"\xa5" * (last - first)
    file.write_bytes(data)
    with Store(file) as store:
        assert store.conversations() == []
        (kept,) = [path for path in file.parent.iterdir() if "-damaged-" in path.name and path.suffix == ".sqlite3"]
        assert store.notice is not None and kept.name in store.notice
        assert kept.read_bytes() == bytes(data)
        store.create_conversation("a new start")
    with Store(file) as store:
        assert store.notice is None and len(store.conversations()) == 1


def test_two_damaged_files_in_one_second_are_both_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.strftime", lambda form: "2026-11-30-120000")
    file.parent.mkdir()
    for number in range(2):
        file.write_bytes(f"damaged {number}".encode() * 50)
        Store(file).close()
    assert sorted(path.name for path in file.parent.glob("*-damaged-*.sqlite3")) == [
        "keepsake-damaged-2026-11-30-120000-2.sqlite3",
        "keepsake-damaged-2026-11-30-120000.sqlite3",
    ]


def test_a_full_disk_is_said_and_nothing_saved_before_is_lost(store: Store) -> None:
    kept = store.create_conversation("kept")
    with store._database.write() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
    store._database._connection().execute(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(UserError) as full:
        store.save_reading(Reading("k", None, "m", "h", {}, "partial", 1, 1), [Layer(bytes(10**6), b"", b"", b"")])
    assert full.value.code == "disk_full"
    assert store.conversations() == [kept] and not store.has_reading("k")


def test_a_folder_that_cannot_be_written_is_said(file: Path) -> None:
    file.mkdir(parents=True)
    with pytest.raises(UserError) as refused:
        Store(file)
    assert refused.value.code == "data_folder_unusable"
    shutil.rmtree(file)
    Store(file).close()


def test_threads_write_at_the_same_time(store: Store) -> None:
    conversation = store.create_conversation().id
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(20):
                store.add_message(conversation, None, "user", f"{name} {number}")
                store.messages(conversation)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(store.messages(conversation)) == 80


def test_a_commit_reaches_the_disk_and_the_file_is_in_wal_mode(store: Store) -> None:
    connection = store._database._connection()
    pragmas = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
    assert pragmas == {"journal_mode": "wal", "synchronous": 2}
    assert connection.execute("PRAGMA foreign_keys").fetchone()[0] == 1


def test_the_space_of_removed_readings_goes_back_to_the_disk(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.store.readings.SPACE_WORTH_GIVING_BACK", 10**6)
    layers = [Layer(os.urandom(10**6), os.urandom(10**6), b"", b"")] * 4
    store.save_reading(Reading("k", None, "m", "h", {}, "complete", 1, 1), layers)
    store.enforce_quota(0)
    assert file.stat().st_size < 10**6
