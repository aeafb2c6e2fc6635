"""A writer is killed at random moments: nothing it reported as committed is lost, and nothing is there by halves."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

from engine.store import Store
from engine.store.store import FILE_NAME
from tests.engine.store.crash_writer import layers

ROUNDS = 10
REPOSITORY = Path(__file__).parents[3]


def run_and_kill(file: Path, start: int, seconds: float) -> list[str]:
    """The lines that the writer reported before it was killed, `seconds` after its first commit."""
    command = [sys.executable, "-m", "tests.engine.store.crash_writer", str(file), str(start)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as writer:
        assert writer.stdout is not None
        first = writer.stdout.readline()
        timer = threading.Timer(seconds, writer.kill)
        timer.start()
        lines = [first, *writer.stdout]
        timer.join()
        assert writer.wait() == -signal.SIGKILL
    return [line.rstrip("\n") for line in lines]


def test_a_writer_killed_at_random_moments_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    moments = random.Random(20261130)
    messages: dict[str, str] = {}
    checkpoint = 0
    for _ in range(ROUNDS):
        lines = run_and_kill(file, checkpoint, moments.uniform(0.0, 0.3))
        for line in lines:
            what, id, number = line.split(" ")
            if what == "message":
                messages[id] = f"message {number}"
            else:
                checkpoint = int(number)
        check_integrity(file)
        with Store(file, wait_seconds=30) as store:
            check_messages(store, messages)
            checkpoint = check_reading(store, checkpoint)
    assert len(messages) >= ROUNDS < checkpoint


def check_integrity(file: Path) -> None:
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def check_messages(store: Store, reported: dict[str, str]) -> None:
    """All that was reported is there, on one path; one more may have been committed and not yet reported."""
    (conversation,) = store.conversations()
    leaf = store.leaf(conversation.id)
    assert leaf is not None
    found = {message.id: message.text for message in store.path(leaf)}
    assert reported.items() <= found.items()


def check_reading(store: Store, reported: int) -> int:
    """The last checkpoint reported or the one that follows is there, whole, and no other. Returns which."""
    stored = [number for number in range(1, reported + 2) if store.has_reading(f"at-{number}")]
    assert stored in ([reported], [reported + 1]) or (stored == [] and reported == 0)
    for number in stored:
        loaded = store.load_reading(f"at-{number}")
        assert loaded is not None and list(loaded[1]) == list(layers(number))
    return max(stored, default=0)
