"""The reading process: when there is one, what it may have, and that it never outlives what started it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from engine.documents.bounded import frames, pool, process
from engine.documents.bounded.frames import Frame
from engine.documents.bounded.messages import asked_fields
from engine.documents.extract import extract
from engine.documents.limits import MIB
from engine.documents.page import Page
from engine.documents.reader import How
from engine.errors import UserError
from tests.engine.documents.bounded.conftest import FAKE, SECONDS, Read, is_gone, wait_until_gone

READS_AND_WAITS = """
import sys
from pathlib import Path
import psutil
from engine.documents import extract as extracting
from engine.documents.bounded import process
from engine.documents.bounded.bounds import Bounds
from tests.engine.documents.bounded.conftest import FAKE
process.COMMAND = FAKE
extracting.bounds = lambda kind, recognition: Bounds(opening=float(sys.argv[2]), page=float(sys.argv[2]))

def on_page(page, count):
    print(psutil.Process().children()[0].pid, flush=True)

extracting.extract(Path(sys.argv[1]), on_page)
"""


def pid_of(read: Read) -> int:
    return int(read("pid").pages[0].text)


def test_one_process_reads_one_file_after_the_other(read: Read) -> None:
    assert len({pid_of(read) for _ in range(30)}) == 1


def test_a_process_that_has_done_its_share_makes_room_for_another(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MOST_JOBS", 2)
    first, second, third = pid_of(read), pid_of(read), pid_of(read)
    assert first == second != third and is_gone(first)
    monkeypatch.setattr(pool, "MOST_GROWN", -1)
    assert pid_of(read) == third and is_gone(third)


def test_a_process_that_has_waited_for_long_is_not_trusted(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    first = pid_of(read)
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.0)
    assert pid_of(read) != first and is_gone(first)


def test_a_process_that_was_killed_while_it_waited_costs_no_file(read: Read) -> None:
    first = pid_of(read)
    psutil.Process(first).kill()
    assert pid_of(read) != first


def test_two_callers_have_two_processes_and_one_is_kept(read: Read) -> None:
    found: list[int] = []
    inner = threading.Thread(target=lambda: found.append(pid_of(read)))

    def on_page(page: Page, count: object) -> None:
        inner.start()
        inner.join()
        found.append(int(page.text))

    read("pid", on_page=on_page)
    outer = found.pop()
    assert found[0] != outer
    assert pid_of(read) in (found[0], outer)
    assert is_gone(found[0]) != is_gone(outer)


def test_the_process_keeps_no_page_that_it_has_given(read: Read) -> None:
    held: list[int] = []
    extracted = read(
        " ".join(["wide"] * 100),
        on_page=lambda page, count: held.append(psutil.Process().children()[0].memory_info().rss),
    )
    assert extracted.pages_read == 100
    assert max(held) - held[10] < 20 * MIB


def test_cancelling_in_the_middle_of_a_page_ends_it_at_once(read: Read) -> None:
    cancelled_at = 0.0
    seen: list[int] = []
    cancel = threading.Event()

    def cancelled() -> bool:
        nonlocal cancelled_at
        if seen and not cancelled_at:
            threading.Timer(0.2, cancel.set).start()
            cancelled_at = time.monotonic() + 0.2
        return cancel.is_set()

    with pytest.raises(UserError) as stopped:
        read("pid sleep", on_page=lambda page, count: seen.append(int(page.text)), cancelled=cancelled)
    assert stopped.value.code == "cancelled" and time.monotonic() - cancelled_at < 0.5
    assert is_gone(seen[0])
    assert read("read").outcome == "read"


def test_a_mistake_of_the_caller_leaves_no_process_in_the_middle_of_a_job(read: Read) -> None:
    def on_page(page: object, count: object) -> None:
        raise LookupError

    first = pid_of(read)
    with pytest.raises(LookupError):
        read("read read", on_page=on_page)
    assert is_gone(first) and [page.text for page in read("read").pages] == ["page 1"]


@pytest.mark.parametrize(
    ("word", "seconds"),
    [
        ("loop", "60"),
        ("sleep", "60"),
        # No other thread of the process runs then.
        pytest.param("hold", "60", marks=pytest.mark.skipif(sys.platform != "linux", reason="Linux alone sees that")),
    ],
)
def test_the_process_ends_with_the_one_that_started_it(word: str, seconds: str, tmp_path: Path) -> None:
    path = tmp_path / "script.dat"
    path.write_text(f"%PDF- read {word}")
    command = [sys.executable, "-c", READS_AND_WAITS, str(path), seconds]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        assert parent.stdout is not None
        reading = int(parent.stdout.readline())
        assert not is_gone(reading)
        parent.kill()
    wait_until_gone(reading)


@pytest.mark.skipif(sys.platform == "win32", reason="has no such sleep")
def test_the_process_ends_of_itself_where_nobody_watches(tmp_path: Path) -> None:
    path = tmp_path / "script.dat"
    path.write_text("%PDF- read hold")
    job = Frame(
        {"job": "read", **asked_fields(path, None, How()), "first": 1, "lost": [], "memory": 1 << 30, "seconds": 0.2}
    )
    with subprocess.Popen(FAKE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=process.FOLDER) as reading:
        assert reading.stdin is not None and reading.stdout is not None
        frames.write(reading.stdin, job)
        answers = iter(lambda: frames.read(reading.stdout), None)  # type: ignore[arg-type]
        assert [next(iter(answer.fields)) for answer in answers] == ["ready", "opened", "page"]
        assert reading.wait() != 0


def test_the_process_ends_when_it_has_had_nothing_to_do() -> None:
    code = "from engine.documents.bounded import worker as w; w.OPEN_SECONDS = w.IDLE_SECONDS = 0.1; w.main()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as idle:
        assert idle.wait(SECONDS) == 0
        assert idle.stderr is not None and idle.stderr.read() == b""


def test_the_process_knows_no_model_no_store_and_no_network(read: Read) -> None:
    modules = set(read("modules").pages[0].text.split())
    forbidden = {"torch", "numpy", "llama_cpp", "sqlite3", "sqlite_utils", "transformers", "socket", "ssl", "psutil"}
    assert not modules & forbidden
    assert not {name for name in modules if name.startswith(("engine.store", "engine.backends", "engine.locret"))}


def test_modules_are_not_looked_for_where_the_person_stands(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert read("read").outcome == "read"


def test_a_process_that_does_not_start_is_no_fault_of_the_file(
    read: Read, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", "import nothing_of_that_name"))
    with pytest.raises(RuntimeError, match="does not start"):
        read("read")
    assert "nothing_of_that_name" in capfd.readouterr().err
    monkeypatch.setattr(process, "COMMAND", (str(Path(sys.executable).parent / "no program"),))
    with pytest.raises(RuntimeError, match="cannot be started"):
        read("read")


def test_a_small_text_starts_no_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pool.end_all()
    monkeypatch.setattr(process, "COMMAND", (str(tmp_path / "no program"),))
    path = tmp_path / "a.txt"
    path.write_text("one line")
    assert extract(path).outcome == "read"
    (tmp_path / "b.bin").write_bytes(b"\x7fELF\0\0")
    assert extract(tmp_path / "b.bin").reason == "binary"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_no_unicode(read: Read, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 menu"))
    path.write_text("%PDF- read")
    assert extract(path).outcome == "read"


@pytest.mark.skipif(sys.platform != "linux", reason="holds on Linux alone")
def test_what_the_process_may_have(read: Read) -> None:
    limits = subprocess.run([sys.executable, "-c", SAYS_ITS_LIMITS], capture_output=True, text=True, check=True).stdout
    before, after, core = json.loads(limits)
    assert before == -1 and 0 < after < 1 << 30 and core == 0


SAYS_ITS_LIMITS = """
import json, resource
from engine.documents.bounded import memory
before = resource.getrlimit(resource.RLIMIT_AS)[0]
memory.bound(1 << 20)
memory.leave_no_core()
print(json.dumps([before, resource.getrlimit(resource.RLIMIT_AS)[0], resource.getrlimit(resource.RLIMIT_CORE)[0]]))
"""
