"""How long the window's thread is ever busy while an answer streams, and how soon the window is painted.

`python -m tests.benchmarks.window_stall` starts the real window on the fake engine, which streams 200 tokens a second
of mixed Markdown, and prints the longest gap between two beats of a 2 ms timer, beside the processor time that the
window's thread itself spent: on a busy machine the first is longer. Measures; asserts nothing.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.session import Session
from tests.app.window_rig import fake_command, make_window

RATE = 200
BEAT_MS = 2
BEGAN = "KEEPSAKE_BENCHMARK_BEGAN"


def main() -> int:
    """Prints the figures, in milliseconds; the window runs in a process of its own, so that its start counts whole."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tokens", type=int, default=600, help="tokens of the answer")
    options.add_argument("--answers-before", type=int, default=4, help="answers already on screen")
    parsed = options.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if BEGAN in os.environ:
        return measure(parsed.tokens, parsed.answers_before)
    child = [sys.executable, "-m", "tests.benchmarks.window_stall", *sys.argv[1:]]
    return subprocess.run(child, env={**os.environ, BEGAN: str(time.time())}, check=False).returncode


def measure(tokens: int, answers_before: int) -> int:
    """Starts the window, fills the conversation, then streams one answer and listens to the beat."""
    app = QApplication(sys.argv)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        window = make_window(folder, "--rate", "5000")
        window.start()
        while not window.windowHandle().isExposed():
            app.processEvents()
        print(f"first paint after process start: {(time.time() - float(os.environ[BEGAN])) * 1000:.0f} ms")
        for number in range(answers_before):
            window.session.ask(f"Question {number}")
            _settle(app, window.session)
        window.client.restart_with(fake_command(folder, "--rate", str(RATE), "--tokens", str(tokens)))
        window.session.ask("How does it go on?")
        gaps, work = _listen(app, window.session)
        print(f"{tokens} tokens at {RATE} a second, {len(gaps)} beats")
        print(f"longest stall: {gaps[-1]:.1f} ms; 99th percentile: {gaps[int(len(gaps) * 0.99)]:.1f} ms")
        print(f"longest work between two beats: {work[-1]:.1f} ms of processor time")
        window.close()
    return 0


def _settle(app: QApplication, session: Session) -> None:
    while session.asking:
        app.processEvents()
        time.sleep(0.001)


def _listen(app: QApplication, session: Session) -> tuple[list[float], list[float]]:
    """Between beats: the time beyond what the timer waits itself, and the thread's own time; in ms, shortest first."""
    beats: list[tuple[float, float]] = []
    beat = QTimer(interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
    beat.timeout.connect(lambda: beats.append((time.perf_counter(), time.thread_time())))
    beat.start()
    end = QTimer(interval=50)
    end.timeout.connect(lambda: None if session.asking else app.quit())
    end.start()
    app.exec()
    pairs = list(itertools.pairwise(beats))
    gaps = sorted((later[0] - earlier[0]) * 1000 - BEAT_MS for earlier, later in pairs)
    return gaps, sorted((later[1] - earlier[1]) * 1000 for earlier, later in pairs)


if __name__ == "__main__":
    sys.exit(main())
