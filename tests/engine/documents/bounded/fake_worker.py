"""The real reading process with a reader whose pages do what the file says, one word a page: `python -m ...`.

"%PDF read loop read" is a document of three pages; "{\\rtf read loop" one without a count, read from front to back.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from engine.documents import readers
from engine.documents.bounded import worker
from engine.documents.limits import MIB
from engine.documents.ocr.under_way import recognising
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Parts, Reader, Unreadable
from engine.documents.source import Source

worker.WATCHES_ITSELF, worker.GRACE_SECONDS = True, 0.5
opened: list[str] = []


class Script:
    def __init__(self, words: list[str], how: How) -> None:
        self.words, self.how, self.page_count = words, how, len(words)
        self.left_out = [LeftOut("attachment", "list.txt")]

    def pages(self, first: int = 1, lost: Collection[int] = ()) -> Iterator[Page]:
        for number, word in enumerate(self.words, 1):
            if number not in lost and number >= first - 2:
                yield act(word, number, self.how)

    def close(self) -> None:
        pass


def open_script(source: Source, how: How) -> Reader:
    opened.append(source.name)
    _, *words = source.read().decode().split()
    if words[0] == "closed":
        raise Unreadable("encrypted")
    if words[0] == "gone":
        os._exit(3)
    return Script(words, how)


def open_parts(source: Source, how: How) -> Reader:
    _, *words = source.read().decode().split()
    return Parts(lambda: (act(word, number, how) for number, word in enumerate(words, 1)))


def act(word: str, number: int, how: How) -> Page:
    held: list[bytearray] = []
    if word.startswith("picture"):
        with recognising():
            late = time.process_time() + 0.9
            while time.process_time() < late or word == "picture-without-end":
                pass
        word = word.removeprefix("picture-and-")
    if word == "loop":
        while True:
            pass
    if word == "sleep":
        time.sleep(1000)
    if word == "hold":
        ctypes.PyDLL(None).sleep(1000)
    if word == "unbind":
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0] + 2048 * MIB
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    if word in ("allocate", "unbind"):
        try:
            while True:
                held.append(bytearray(4 * MIB))
                held[-1][::4096] = b"x" * 1024
        except MemoryError:
            if word == "allocate":
                raise
            os._exit(0)  # the other side did not see it
    if word == "recognise":
        word = "exit" if how.recognition is not None else "read"
    if word == "exit":
        os._exit(0)
    if word == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    if word == "killed" or (word.startswith("killed:") and not Path(word.removeprefix("killed:")).exists()):
        if word != "killed":
            Path(word.removeprefix("killed:")).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "abort":
        os.abort()
    if word == "raise":
        raise KeyError("a mistake of the reader")
    if word == "print":
        print("}{ no frame")  # noqa: T201
        os.write(1, b"\x00\x01\x02" * 1000)
    if word == "fork":
        faulthandler.cancel_dump_traceback_later()  # a copy would wait for its thread
        os.fork()
    if word == "spawn":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        return Page(number, "read", None, str(child.pid))
    if word == "long":
        return Page(number, "read", None, "\u4e00" * (9 * MIB))
    if word == "wide":
        return Page(number, "read", None, "x" * MIB)
    if word == "odd":
        return Page(1, "read", None, "the same number again")
    if word == "oddreason":
        return Page(number, "failed", "nobody knows", "")
    if word == "breaks-when-used" and len(opened) > 1:
        os._exit(1)
    if word == "half":
        return Page(number, "read", None, "\ud800 half", "\udce9")
    if word == "pid":
        return Page(number, "read", None, str(os.getpid()))
    if word == "modules":
        return Page(number, "read", None, " ".join(sys.modules))
    return Page(number, "read", None, f"page {number}", section=how.password)


def page_image(source: Source, number: int | str, width: int, password: str | None) -> bytes:
    if isinstance(number, str):
        act(number, 1, How())
    elif number > 2:
        raise IndexError(number)
    return f"{source.name} {number} {width} {password}".encode()


if __name__ == "__main__":
    sys.modules["engine.documents.page_image"] = sys.modules["__main__"]
    readers.READERS["pdf"] = f"{__spec__.name}:open_script"
    readers.READERS["rtf"] = f"{__spec__.name}:open_parts"
    worker.main()
