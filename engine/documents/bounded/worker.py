"""The reading process, `python -m engine.documents.bounded.worker`: takes one job after another on stdin and says what
comes of it on the stdout that it was given.

It ends when stdin does, when it has had nothing to do for a while, and when memory runs out. It knows the jobs by name
alone, and imports no model, no store and nothing that speaks to a network.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import sys
import threading
import traceback
from typing import BinaryIO, NoReturn

from engine.documents.bounded import frames, jobs, memory
from engine.documents.bounded.frames import Frame
from engine.documents.bounded.messages import unreadable_frame
from engine.documents.ocr import under_way
from engine.documents.reader import Unreadable
from engine.documents.reasons import reason_of_error

OPEN_SECONDS, IDLE_SECONDS = 2.0, 300.0
"""Without work, until the person's archive is let go and until the process ends."""
GRACE_SECONDS = 10.0
"""After what the other side waits for: it ends this process first, unless it is gone."""
WATCHES_ITSELF = sys.platform != "linux"
"""Whether a thread in C ends the process when a library does not come back: Linux ends it with the other side."""
OUT_OF_MEMORY = 77
"""The exit status."""


def main() -> NoReturn:
    """Ends the process itself: a thread waits for stdin, which Python would wait for in turn."""
    answers = _own_streams()
    faulthandler.enable()
    memory.leave_no_core()
    if sys.platform != "win32":
        os.register_at_fork(after_in_child=lambda: os._exit(1))  # a copy of this process would answer too
    asked: queue.SimpleQueue[Frame] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked,), name="jobs", daemon=True).start()
    _say(answers, Frame({"ready": True}))
    while True:
        try:
            frame = asked.get(timeout=OPEN_SECONDS)
        except queue.Empty:
            jobs.let_go()
            try:
                frame = asked.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                os._exit(0)
        _tie_to_the_other_side(True)
        last = _do(frame, answers)
        _tie_to_the_other_side(False)  # before the next job can come
        _say(answers, last)


def _own_streams() -> BinaryIO:
    """What libraries print goes to stderr; stdout is for the answers alone."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _listen(asked: queue.SimpleQueue[Frame]) -> None:
    """Ends the process with the other side, even in the middle of a job."""
    try:
        while (frame := frames.read(sys.stdin.buffer)) is not None:
            asked.put(frame)
    finally:
        os._exit(0)


def _tie_to_the_other_side(tied: bool) -> None:
    """Within a job a library may work for long and let no thread run. Linux then ends this process when stdin does: it
    sends a signal that nothing here waits for.
    """
    if sys.platform == "linux":
        import fcntl

        flags = fcntl.fcntl(0, fcntl.F_GETFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC if tied else flags & ~os.O_ASYNC)


def _do(frame: Frame, answers: BinaryIO) -> Frame:
    """Returns the last answer, which is still to be given."""
    fields = frame.fields

    def wait() -> None:
        if WATCHES_ITSELF:
            faulthandler.dump_traceback_later(fields["seconds"] + GRACE_SECONDS, exit=True)

    def recognising(begins: bool) -> None:
        _say(answers, Frame({"recognising": begins}))
        wait()

    under_way.listen(recognising)
    try:
        memory.bound(fields["memory"])
        found = jobs.JOBS[fields["job"]](fields)
        while True:
            wait()
            answer = next(found, None)
            faulthandler.cancel_dump_traceback_later()
            if answer is None:
                break
            _say(answers, answer)
        last = Frame({"end": None})
    except Unreadable as unreadable:
        last = unreadable_frame(unreadable)
    except OSError as error:
        traceback.print_exc()
        last = unreadable_frame(Unreadable(reason_of_error(error)))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except ImportError as error:
        traceback.print_exc()
        last = Frame({"missing": error.name})
    except Exception:
        traceback.print_exc()
        last = Frame({"crashed": None})
    faulthandler.cancel_dump_traceback_later()
    return last


def _say(answers: BinaryIO, frame: Frame) -> None:
    try:
        frames.write(answers, frame)
    except OSError:  # nobody listens any more
        os._exit(0)


if __name__ == "__main__":
    main()
