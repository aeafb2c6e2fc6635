"""How long a drop of a large folder takes to be taken in, and how long the window's thread is ever busy meanwhile.

`python -m tests.benchmarks.many_files` makes a folder of 20,000 small files, walks it, adds it to a store, and shows it
in the real window on the fake engine, printing the longest gap between two beats of a 2 ms timer. Measures; asserts
nothing.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.window import Window
from engine.document_events import DocumentEvents
from engine.engine import Engine
from engine.protocol import Event, encode
from tests.app.window_rig import make_window

FILES = 20_000
A_FOLDER = 200
BEAT_MS = 2


def main() -> int:
    """Prints the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=int, default=FILES)
    files = options.parse_args().files
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_folder(folder / "drop", files)
        add(folder)
        show(folder, files)
    return 0


def make_folder(root: Path, files: int) -> None:
    """Folders of A_FOLDER files each, below a .gitignore of a dozen rules."""
    for number in range(files):
        folder = root / f"part {number // A_FOLDER}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"note {number}.txt").write_text(f"Note {number} is short.")
    (root / ".gitignore").write_text("\n".join(f"*.skip{rule}\n/build{rule}/" for rule in range(6)))


def add(folder: Path) -> None:
    """Finds the files and commits them."""
    from engine.adding_job import AddingJob
    from engine.documents.find import find_files

    with timed("found"):
        found = sum(1 for _ in find_files([folder / "drop"]))
    print(f"  {found:,} entries")
    engine = Engine(folder / "data")
    conversation = engine.store.create_conversation().id
    told: list[tuple[str, dict[str, object]]] = []
    events = DocumentEvents(engine, conversation, lambda event, data: told.append((event, data)))
    job = AddingJob(engine, conversation, lambda event, data: told.append((event, data)), events)
    with timed("found and committed"):
        job.add([str(folder / "drop")])
    lines = sum(len(encode(Event(event, dict(data), 1))) for event, data in told)
    print(f"  {len(told)} events, {lines / 1024:,.0f} KB")
    with timed("summed up"):
        engine.store.folders(conversation)
    with timed("compared with what is there now"):
        job.changes(str(folder / "drop"), lambda: False)
    engine.close()


def show(folder: Path, files: int) -> None:
    """In the window: the drop, then its card unfolded."""
    app = QApplication(sys.argv)
    drop = folder / "one.txt"
    drop.write_text("1")
    window = make_window(folder, "--folder-files", str(files), "--page-seconds", "0")
    window.start()
    settle(app, lambda: bool(window.client.ready) and window.isVisible())
    with stalls(app, "while the drop arrives"):
        window.add_paths([str(drop)])
        settle(app, lambda: bool(window.documents.folders) and not window.session.reading)
    with stalls(app, "while its card unfolds"):
        unfold(app, window)
    with stalls(app, "while all its files are told of, 500 at a time"):
        tell(app, window, files)
    window.close()


def unfold(app: QApplication, window: Window) -> None:
    card = next(iter(window.documents.folders.values()))
    card.toggle()
    settle(app, card.files.more_button.isVisible)


def tell(app: QApplication, window: Window, files: int) -> None:
    """As a reading engine does, file by file, until the window knows them all."""
    now = window.session.now
    told = {"folders": [vars(folder) for folder in now.folders.values()]}
    (origin,) = now.folders
    common = {"conversation": now.id, "kind": "text", "outcome": "read", "origin": origin, "folder": "large"}
    for start in range(100, files, 500):
        documents = [{**common, "id": f"x{n}", "name": f"{n}.txt", "position": n} for n in range(start, start + 500)]
        window.session.put_documents({**told, "documents": documents})
        app.processEvents()


def settle(app: QApplication, done: object) -> None:
    """Lets the window work until `done`."""
    assert callable(done)
    while not done():
        app.processEvents()
        time.sleep(0.0005)


@contextmanager
def timed(what: str) -> Iterator[None]:
    began, spent = time.perf_counter(), time.process_time()
    yield
    print(f"{what}: {time.perf_counter() - began:.2f} s, {time.process_time() - spent:.2f} s of processor time")


@contextmanager
def stalls(app: QApplication, what: str) -> Iterator[None]:
    """The longest time between two beats, and the thread's own work in it."""
    beats: list[tuple[float, float]] = []
    beat = QTimer(interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
    beat.timeout.connect(lambda: beats.append((time.perf_counter(), time.thread_time())))
    beat.start()
    yield
    beat.stop()
    pairs = list(itertools.pairwise(beats))
    gap = max((later[0] - earlier[0]) * 1000 - BEAT_MS for earlier, later in pairs)
    work = max((later[1] - earlier[1]) * 1000 for earlier, later in pairs)
    print(f"longest stall {what}: {gap:.0f} ms, {work:.0f} ms of work")


if __name__ == "__main__":
    sys.exit(main())
