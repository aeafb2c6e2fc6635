"""The reading process from the other side: started, asked, waited for with an eye on what it costs, ended.

It knows no job. What the process prints goes where this one's stderr goes.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

from engine.documents.bounded import frames
from engine.documents.bounded.bounds import Bounds, Died, Watch
from engine.documents.bounded.frames import BadFrame, Frame
from engine.documents.bounded.interpreter import interpreter
from engine.documents.bounded.worker import OUT_OF_MEMORY
from engine.documents.stopping import Cancelled, stop_if

PROGRAM, ENVIRONMENT = interpreter()
COMMAND = (PROGRAM, "-m", "engine.documents.bounded.worker")
# Python looks for modules where a process starts; a person's folder may hold files of any name.
FOLDER = Path(__file__).parents[3]
STARTING = Bounds(opening=60.0)
LOOK_SECONDS = 0.05
SECONDS_TO_END = 5.0
MOST_WAITING = 8


class Worker:
    """A reading process. Raises RuntimeError if there can be none."""

    def __init__(self) -> None:
        self.jobs = 0
        self.idle_since = time.monotonic()
        self._answers: queue.Queue[Frame | None] = queue.Queue(MOST_WAITING)
        try:
            self._process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=FOLDER,
                env={**os.environ, **ENVIRONMENT, "OMP_THREAD_LIMIT": "1"},
                start_new_session=True,
                creationflags=_creation_flags(),
            )
        except OSError as error:
            raise RuntimeError("the reading process cannot be started") from error
        self._listener = threading.Thread(target=self._listen, name="reading process", daemon=True)
        self._listener.start()

    def begin(self, job: Frame, bounds: Bounds, spent: float, cancelled: Cancelled) -> Watch:
        """Asks for a job. Raises Died, UserError("cancelled"), and RuntimeError if the process does not start."""
        if not self.jobs:
            self._wait_for_start(cancelled)
        self.jobs += 1
        fields = {**job.fields, "memory": bounds.memory, "seconds": bounds.longest_wait}
        try:
            assert self._process.stdin is not None
            watch = Watch(self._process.pid, bounds, spent)
            frames.write(self._process.stdin, Frame(fields))
        except (OSError, psutil.Error) as error:
            raise Died("crashed") from error
        return watch

    def answer(self, watch: Watch, cancelled: Cancelled) -> Frame:
        """The next one. Raises Died, and UserError("cancelled"): end the process then."""
        while True:
            stop_if(cancelled)
            try:
                frame = self._answers.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                watch.look(waiting=True)
                continue
            if frame is None:
                raise self._cause()
            watch.look(waiting=False)
            return frame

    @property
    def memory(self) -> int:
        """Bytes that it holds; 0 once it ended."""
        with suppress(psutil.Error):
            return int(psutil.Process(self._process.pid).memory_info().rss)
        return 0

    @property
    def grown(self) -> int:
        """Bytes that it holds beyond those at its start."""
        return self.memory - self._held

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        """At once, with whatever it started, and waits for that."""
        if sys.platform != "win32":
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_TO_END)
        late = time.monotonic() + SECONDS_TO_END
        while self._listener.is_alive() and time.monotonic() < late:
            with suppress(queue.Empty):
                self._answers.get(timeout=0.01)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None and not self._listener.is_alive():
                with suppress(OSError):
                    stream.close()

    def _wait_for_start(self, cancelled: Cancelled) -> None:
        try:
            self.answer(Watch(self._process.pid, STARTING), cancelled)
        except Died as died:
            raise RuntimeError("the reading process does not start") from died
        self._held = self.memory

    def _listen(self) -> None:
        """The full queue holds the process back: it reads no further ahead than a few pages."""
        assert self._process.stdout is not None
        with suppress(BadFrame, OSError):
            while (frame := frames.read(self._process.stdout)) is not None:
                self._answers.put(frame)
        self._answers.put(None)

    def _cause(self) -> Died:
        """Why its answers ended."""
        with suppress(subprocess.TimeoutExpired):
            status = self._process.wait(SECONDS_TO_END)
            if status == OUT_OF_MEMORY:
                return Died("too_much_memory")
            if sys.platform != "win32" and status in (-signal.SIGKILL, -signal.SIGTERM):  # by nobody here
                return Died("too_much_memory" if status == -signal.SIGKILL else "crashed", killed=True)
        return Died("crashed")


def _creation_flags() -> int:
    """For Windows, where a console program would show a window; elsewhere there are none."""
    if sys.platform != "win32":
        return 0
    return subprocess.CREATE_NO_WINDOW
