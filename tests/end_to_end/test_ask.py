"""`keepsake-engine ask` on the real model: every field, the same answer twice, going on, what bad input gets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import NoneType
from typing import Any

import pymupdf
import pytest

from engine.store import Store
from engine.store.store import FILE_NAME
from tests.end_to_end.test_crash import prose

QUESTION = "What was noted on day 3?"
FIELDS = {
    "answer": str,
    "conversation": str,
    "tokens_read": int,
    "units_kept": int,
    "cache_bytes": int,
    "reused": bool,
    "seconds_reading": float,
    "seconds_answering": float,
    "peak_rss_mb": float,
    "documents": list,
    "citations": list,
    "query_aware": bool,
    "left_out": NoneType | str,
    "stopped": NoneType | str,
    "heads": str,
}


def ask(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "engine.main", "ask", "--data-dir", str(data), "--max-tokens", "24", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def report(data: Path, *words: str) -> dict[str, Any]:
    done = ask(data, *words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pages of PDF, about 700 tokens, and a text file with nothing in it."""
    folder = tmp_path_factory.mktemp("papers")
    with pymupdf.open() as document:
        for number in range(2):
            document.new_page().insert_textbox(pymupdf.Rect(50, 50, 550, 800), prose(number, 20))
        document.save(folder / "log.pdf")
    (folder / "nothing.txt").write_bytes(b"")
    return folder


@pytest.fixture(scope="module")
def first(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The data folder and the report of one call."""
    data = tmp_path_factory.mktemp("data")
    return data, report(data, str(folder), QUESTION, "--budget-units", "256")


def test_every_field_is_there(first: tuple[Path, dict[str, Any]], folder: Path) -> None:
    _, said = first
    assert said.keys() == FIELDS.keys()
    assert all(isinstance(said[name], kind) for name, kind in FIELDS.items())
    assert said["heads"].startswith("smollm2-135m")
    assert said["answer"]
    assert not said["reused"]
    assert 256 <= said["units_kept"] < said["tokens_read"]
    assert said["cache_bytes"] == said["units_kept"] * 30 * 3 * 64 * 2 * 2
    assert said["seconds_reading"] > 0 < said["peak_rss_mb"]
    log, nothing = said["documents"]
    assert (log["path"], log["outcome"], log["reason"]) == (str(folder / "log.pdf"), "read", None)
    assert (log["pages"], log["pages_read"]) == (2, 2)
    assert (nothing["outcome"], nothing["reason"], nothing["pages_read"]) == ("refused", "empty_file", 0)
    assert said["left_out"] == "1 of 2 files could not be read: nothing.txt."
    assert all(cited["document"] == "log.pdf" and cited["page"] in (1, 2) for cited in said["citations"])


def test_the_same_call_gives_the_same_answer_read_afresh_or_not(
    first: tuple[Path, dict[str, Any]], folder: Path, tmp_path: Path
) -> None:
    data, said = first
    again = report(data, str(folder), QUESTION, "--budget-units", "256")
    afresh = report(tmp_path / "other", str(folder), QUESTION, "--budget-units", "256")
    assert (again["reused"], afresh["reused"]) == (True, False)
    for other in (again, afresh):
        assert [other[name] for name in ("answer", "tokens_read", "units_kept", "citations")] == [
            said[name] for name in ("answer", "tokens_read", "units_kept", "citations")
        ]
    assert again["conversation"] != said["conversation"]


def test_a_conversation_goes_on_without_files(first: tuple[Path, dict[str, Any]]) -> None:
    data, said = first
    on = report(data, "And on day 4?", "--conversation", said["conversation"], "--budget-units", "256")
    assert on["conversation"] == said["conversation"]
    assert on["reused"]
    assert on["tokens_read"] > said["tokens_read"]
    assert len(on["documents"]) == 2


def test_a_query_aware_answer_is_for_one_question_and_the_next_is_as_usual(folder: Path, tmp_path: Path) -> None:
    said = report(tmp_path, str(folder), QUESTION, "--budget-units", "256", "--query-aware")
    assert said.keys() == FIELDS.keys()
    assert all(isinstance(said[name], kind) for name, kind in FIELDS.items())
    assert (said["query_aware"], said["reused"]) == (True, False)
    assert said["answer"]
    assert 256 <= said["units_kept"] < said["tokens_read"]
    log, nothing = said["documents"]
    assert (log["outcome"], log["pages_read"], nothing["outcome"]) == ("read", 2, "refused")

    on = ["--conversation", said["conversation"], "--budget-units", "256"]
    usual = report(tmp_path, "And on day 4?", *on)
    assert (usual["query_aware"], usual["documents"]) == (False, said["documents"])

    done = ask(tmp_path, "And on day 5?", *on, "--query-aware")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    first = done.stderr.splitlines()[0]
    assert first.startswith("Reading ")
    assert "tokens for this question alone: about" in first


def test_what_a_query_aware_answer_cannot_do_is_said_and_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    for words, sentence in (
        ([str(folder), QUESTION, "--policy", "full"], "with its full cache"),
        ([QUESTION], "There is no document to read"),
    ):
        done = ask(tmp_path, *words, "--query-aware")
        assert (done.returncode, done.stdout) == (1, "")
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr
    with Store(tmp_path / FILE_NAME) as store:
        assert store.conversations() == []


@pytest.mark.parametrize("policy", ["full", "newest", "random"])
def test_other_policies_answer_too(folder: Path, tmp_path: Path, policy: str) -> None:
    said = report(tmp_path, str(folder), QUESTION, "--policy", policy, "--budget-units", "256")
    assert said["answer"]
    assert (said["units_kept"] == said["tokens_read"]) == (policy == "full")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["no such.pdf", QUESTION], "There is no file no such.pdf"),
        ([QUESTION, "--conversation", "nowhere"], "conversation"),
        ([QUESTION, "--budget-units", "3"], "at least"),
        ([QUESTION, "--budget-mb", "20"], "needs at least"),
        ([QUESTION, "--model", "no such.gguf"], "in the settings, or with --model."),
        ([QUESTION, "--allocation", "layer"], "Choose torch (--runtime torch), or leave the allocation uniform."),
        ([" "], "question"),
        ([__file__], "The question is missing"),
        (["", QUESTION], "There is no file"),
        (["a" * 5000, QUESTION], "There is no file"),
        ([QUESTION, "--temperature", "nan"], "temperature is a number"),
        ([QUESTION, "--seed", "-1"], "seed is a whole number"),
        ([QUESTION, "--budget-mb", "inf"], "budget_mb is a number"),
        ([QUESTION, "--data-dir", __file__], "cannot be made or used"),
        ([QUESTION, "--max-tokens", "0"], "max_tokens is a number from 1"),
    ],
)
def test_bad_input_gets_a_sentence(tmp_path: Path, words: list[str], sentence: str) -> None:
    done = ask(tmp_path, *words)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_options_may_stand_between_files_and_question(folder: Path, tmp_path: Path) -> None:
    data = ["--data-dir", str(tmp_path)]
    command = [sys.executable, "-m", "engine.main", "ask", "no such.pdf", *data, "--budget-units", "256", QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "There is no file no such.pdf" in done.stderr


def test_nothing_is_made_up_when_nothing_could_be_read(tmp_path: Path) -> None:
    locked = tmp_path / "locked.pdf"
    with pymupdf.open() as document:
        document.new_page()
        document.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret")
    done = ask(tmp_path / "data", str(locked), QUESTION)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("None of it could be read. locked.pdf needs a password: --password-file FILE")
    assert "Go on with" not in done.stderr
    as_json = ask(tmp_path / "data", str(locked), QUESTION, "--json")
    said = json.loads(as_json.stdout)
    assert as_json.returncode == 1
    assert said["answer"].startswith("None of it could be read. locked.pdf needs a password")
    assert said["left_out"] == "locked.pdf could not be read."
    assert said["documents"][0]["outcome"] == "needs_password"
    assert said.keys() == FIELDS.keys()


def test_text_in_pictures_is_left_alone_where_it_is_asked_for(tmp_path: Path) -> None:
    picture = tmp_path / "scan.png"
    pymupdf.Pixmap(pymupdf.csGRAY, 600, 400, bytes(240_000), 0).save(picture)
    done = ask(tmp_path / "data", str(picture), QUESTION, "--recognition", "off", "--json")
    (told,) = json.loads(done.stdout)["documents"]
    assert (told["outcome"], told["reason"]) == ("needs_ocr", "no_text_layer")


@pytest.mark.skipif(sys.platform != "linux", reason="has no such names")
@pytest.mark.parametrize("encoding", ["utf-8:strict", "latin-1:strict", ""])
def test_a_name_that_is_no_valid_unicode_ends_nothing(tmp_path: Path, encoding: str) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9 \xe6\x96\x87.txt"
    with open(path, "wb") as file:  # noqa: PTH123 (a path of bytes)
        file.write(b" ")
    command = [sys.executable, "-m", "engine.main", "read", "--data-dir", tmp_path / "data", path]
    environment = {**os.environ, "PYTHONIOENCODING": encoding} if encoding else {**os.environ, "LC_ALL": "C"}
    for more in (["--json"], []):
        done = subprocess.run([*command, *more], capture_output=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        if more:
            (found,) = json.loads(done.stdout.decode())["documents"]
            assert os.fsencode(found["path"]) == path
            assert (found["name"], found["reason"]) == ("caf\ufffd \u6587.txt", "no_text")
    store = Store(tmp_path / "data" / FILE_NAME)
    assert [found.title for found in store.conversations()] == ["caf\ufffd \u6587.txt"] * 2
    store.close()


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    """A folder with two files of one password."""
    folder = tmp_path / "locked"
    folder.mkdir()
    for name in ("a.pdf", "b.pdf"):
        with pymupdf.open() as document:
            document.new_page().insert_textbox(pymupdf.Rect(50, 50, 550, 800), prose(ord(name[0]), 6))
            document.save(
                folder / name, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="M\u00f6we-7931", owner_pw="own"
            )
    return folder


def kept(data: Path) -> bytes:
    """All that is in the data folder."""
    return b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())


def test_one_password_opens_several_files_and_is_kept_nowhere(locked: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    done = ask(data, str(locked), QUESTION, "--json", "--password", "M\u00f6we-7931")
    said = json.loads(done.stdout)
    assert [(d["outcome"], d["pages_read"]) for d in said["documents"]] == [("read", 1)] * 2
    assert said["answer"] and said["tokens_read"] > 100
    assert "M\u00f6we-7931" not in done.stdout + done.stderr
    assert not any(form in kept(data) for form in ("M\u00f6we-7931".encode(), b"M\\u00f6we-7931", b"we-7931"))


def test_a_wrong_password_says_so_and_no_password_says_what_to_do(locked: Path, tmp_path: Path) -> None:
    wrong = ask(tmp_path / "data", str(locked), QUESTION, "--password", "otter")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "The password does not open a.pdf" in wrong.stderr
    none = ask(tmp_path / "data", str(locked), QUESTION)
    assert none.returncode == 1 and none.stderr.rstrip().endswith("in a terminal you are asked for it.")
    empty = ask(tmp_path / "data", str(locked), QUESTION, "--password", "")
    assert empty.returncode == 1 and "The password is empty." in empty.stderr
    gone = ask(tmp_path / "data", str(locked), QUESTION, "--password-file", str(tmp_path / "none"))
    assert gone.returncode == 1 and "could not be read from" in gone.stderr


def test_a_password_comes_from_a_file_or_standard_input(locked: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "engine.main", "read", str(locked), "--json", "--data-dir", str(tmp_path / "data")]
    given = "M\u00f6we-7931\n".encode()
    done = subprocess.run([*command, "--password-file", "-"], input=given, capture_output=True, check=False)
    assert [d["outcome"] for d in json.loads(done.stdout)["documents"]] == ["read", "read"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals for Python")
def test_in_a_terminal_a_person_is_asked_and_may_try_again(locked: Path, tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "engine.main", "read", str(locked), "--data-dir", str(tmp_path / "data")]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    shown = b""
    typed = [b"otter\n", "M\u00f6we-7931\n".encode()]
    while True:
        try:
            piece = os.read(ours, 1024)
        except OSError:  # its end, on Linux
            break
        if not piece:
            break
        shown += piece
        if typed and shown.count(b"leaves it locked): ") == 3 - len(typed):
            os.write(ours, typed.pop(0))
    os.close(ours)
    assert process.wait() == 0
    text = shown.decode()
    assert "Password of a.pdf, b.pdf" in text and "That password opens none of them." in text
    assert "otter" not in text and "7931" not in text
    assert f"{locked / 'b.pdf'}: read" in text
    assert b"we-7931" not in kept(tmp_path / "data")


def test_torch_reads_the_starter_models_file_as_llama_cpp_does(
    first: tuple[Path, dict[str, Any]], folder: Path, tmp_path: Path
) -> None:
    """The same tokens, the same number of units, and the model's own words for an answer."""
    said = report(tmp_path, str(folder), QUESTION, "--budget-units", "256", "--runtime", "torch", "--dtype", "float32")
    assert (said["tokens_read"], said["documents"][0]["outcome"]) == (first[1]["tokens_read"], "read")
    assert 256 <= said["units_kept"] < said["tokens_read"]
    assert said["answer"]


def test_what_torch_alone_understands_is_not_ignored(folder: Path, tmp_path: Path) -> None:
    done = ask(tmp_path, str(folder), QUESTION, "--device", "cpu")
    assert done.returncode == 1
    assert "--runtime torch" in done.stderr
