"""The main job in the real window with the real engine, on a screen of Xvfb: drop, ask, quit, come back, go on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from tests.end_to_end.test_crash import prose

ROOT = Path(__file__).resolve().parents[2]
Attend = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Xvfb is Linux's")


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    assert shutil.which("Xvfb"), "Xvfb is not installed: python3 -m installer test installs it"
    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1440x900x24", "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    with os.fdopen(read_end) as number:
        yield f":{number.readline().strip()}"
    process.terminate()
    process.wait()


@pytest.fixture
def attend(screen: str, tmp_path: Path) -> Attend:
    """Opens the window, lets a person work through a plan, and returns what the person saw."""
    folders = {"KEEPSAKE_DATA_DIR": str(tmp_path / "data"), "KEEPSAKE_CONFIG_DIR": str(tmp_path / "config")}
    environment = {**os.environ, **folders, "DISPLAY": screen, "QT_QPA_PLATFORM": "xcb"}

    def run(*plan: list[Any]) -> dict[str, Any]:
        report = tmp_path / "report.json"
        report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "tests.end_to_end.person", json.dumps(plan), str(report)]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        seen: dict[str, Any] = json.loads(report.read_text())
        assert "stuck" not in seen, seen
        return seen

    return run


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A folder as it may be dropped: a PDF of several pages, an encrypted one, notes, and a broken PDF."""
    folder = tmp_path / "bundle"
    folder.mkdir()
    for name, pages, encrypted in (("lease.pdf", 4, False), ("locked.pdf", 1, True)):
        with pymupdf.open() as document:
            for number in range(pages):
                document.new_page().insert_textbox(pymupdf.Rect(50, 50, 550, 800), prose(number, 14))
            protection = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": "secret"} if encrypted else {}
            document.save(folder / name, **protection)
    (folder / "notes.md").write_text(f"# Notes\n\n{prose(99, 8)}\n")
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7\nnothing more")
    return folder


def test_drop_ask_quit_come_back_and_go_on(attend: Attend, bundle: Path, tmp_path: Path) -> None:
    seen = attend(
        ["smallest budget", None],
        ["drop", [str(bundle)]],
        ["ask", "What was noted?"],
        ["picture", str(tmp_path / "1.png")],
    )
    assert seen["overlay"]
    assert {name: said[:2] for name, said in seen["documents"].items()} == {
        "lease.pdf": ["read", None],
        "locked.pdf": ["needs_password", "encrypted"],
        "notes.md": ["read", None],
        "torn.pdf": ["refused", "damaged"],
    }
    units, tokens_read = seen["memory"]
    assert 0 < units < tokens_read, "nothing was evicted"
    (answer,) = seen["answers"]
    assert answer
    assert (tmp_path / "1.png").stat().st_size > 10_000

    again = attend(["wait for memory", None], ["ask", "And what else?"])
    assert again["conversation"] == seen["conversation"]
    assert again["questions"] == 2
    assert again["answers"][0] == answer
    assert again["answers"][1]
    documents_tokens = sum(said[3] for said in again["documents"].values())
    assert again["stats"][1]["tokens_reused"] >= tokens_read - 1 > documents_tokens / 2


def test_quit_while_reading_and_read_on(attend: Attend, tmp_path: Path) -> None:
    long = tmp_path / "long.txt"
    long.write_text(prose(5, 200))
    left = attend(["smallest budget", None], ["drop and leave", [str(long)]])
    assert left["documents"]["long.txt"][0] == "reading"
    back = attend(["wait for documents", None], ["go on reading", None])
    assert back["conversation"] == left["conversation"]
    assert back["documents"]["long.txt"][0] == "read"
    assert back["memory"][1] > left["documents"]["long.txt"][3]
    assert back["first_tokens_read"] >= left["documents"]["long.txt"][3], "it was read again from the beginning"


def test_an_engine_killed_in_an_answer_is_started_again_and_nothing_is_lost(attend: Attend, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text(prose(3, 20))
    seen = attend(
        ["smallest budget", None],
        ["drop", [str(notes)]],
        ["ask and kill the engine", "What was noted?"],
        ["ask", "And what else?"],
    )
    assert seen["documents"]["notes.txt"][0] == "read"
    assert seen["questions"] == 2
    assert len(seen["answers"]) == 2, "the answer that broke off is there, with what was stored of it"
    assert seen["answers"][1]
