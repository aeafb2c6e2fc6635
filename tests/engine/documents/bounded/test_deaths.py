"""A page that the reading process dies on is a failed page; the others are read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.documents.bounded import pages, pool, process
from engine.documents.bounded.bounds import Bounds, bounds
from engine.documents.bounded.frames import Frame
from engine.documents.bounded.messages import asked_fields
from engine.documents.judge import Extracted
from engine.documents.limits import MIB
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Recognition, Unreadable
from tests.engine.documents.bounded.conftest import SMALL, Read, wait_until_gone

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="has no such end")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="holds on Linux alone")


def outcomes(extracted: Extracted) -> list[str]:
    return [page.reason or page.outcome for page in extracted.pages]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("loop", "too_slow"),
        ("sleep", "too_slow"),
        pytest.param("hold", "too_slow", marks=POSIX),
        ("exit", "crashed"),
        pytest.param("segv", "crashed", marks=POSIX),
        pytest.param("abort", "crashed", marks=POSIX),
        ("raise", "crashed"),
        ("odd", "crashed"),
        ("oddreason", "crashed"),
        pytest.param("allocate", "too_much_memory", marks=LINUX),
        pytest.param("unbind", "too_much_memory", marks=LINUX),
    ],
)
def test_a_page_that_ends_the_process_is_named_and_the_others_are_read(word: str, reason: str, read: Read) -> None:
    seen: list[tuple[int, int | None, str]] = []
    extracted = read(f"read {word} read read", on_page=lambda page, count: seen.append((page.number, count, page.text)))
    assert (extracted.outcome, extracted.reason) == ("partial", reason)
    assert outcomes(extracted) == ["read", reason, "read", "read"]
    assert seen == [(1, 4, "page 1"), (2, 4, ""), (3, 4, "page 3"), (4, 4, "page 4")]
    assert extracted.left_out == (LeftOut("attachment", "list.txt"),)


def test_the_first_and_the_last_page_may_be_the_one(read: Read) -> None:
    assert outcomes(read("exit read exit")) == ["crashed", "read", "crashed"]


def test_no_process_is_started_for_what_comes_after_the_last_page(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[process.Worker] = []

    class Counted(process.Worker):
        def __init__(self) -> None:
            started.append(self)
            super().__init__()

    monkeypatch.setattr(pool, "Worker", Counted)
    assert outcomes(read("read exit")) == ["read", "crashed"]
    assert len(started) == 1


def test_after_three_deaths_the_rest_is_given_up_page_by_page(read: Read) -> None:
    extracted = read("read exit read exit exit read read")
    assert outcomes(extracted) == ["read", "crashed", "read", "crashed", "crashed", "crashed", "crashed"]
    assert (extracted.outcome, extracted.reason, extracted.page_count) == ("partial", "crashed", 7)


def test_deaths_of_an_earlier_try_count_and_their_pages_are_left_alone(read: Read) -> None:
    before = [Page(1, "failed", "crashed", ""), Page(2, "read", None, "page 2"), Page(3, "failed", "crashed", "")]
    assert outcomes(read("exit read exit read read", earlier=before)) == ["crashed", "read", "crashed", "read", "read"]
    assert outcomes(read("exit read exit exit read", earlier=before)) == ["crashed", "read", *["crashed"] * 3]


def test_a_document_that_ends_the_process_before_its_first_page_is_refused(read: Read) -> None:
    extracted = read("gone")
    assert (extracted.kind, extracted.outcome, extracted.reason) == ("pdf", "refused", "crashed")
    assert extracted.sha256 and extracted.message


def test_a_document_without_pages_is_refused_as_a_whole(read: Read) -> None:
    extracted = read("exit", head="{\\rtf")
    assert (extracted.kind, extracted.outcome, extracted.reason, len(extracted.pages)) == (
        "rtf",
        "refused",
        "crashed",
        1,
    )


def test_what_comes_from_front_to_back_is_read_up_to_the_part_that_ends_the_process(read: Read) -> None:
    extracted = read("read read exit read", head="{\\rtf")
    assert outcomes(extracted) == ["read", "read", "crashed"]
    assert (extracted.outcome, extracted.reason) == ("partial", "crashed")
    assert extracted.left_out == (LeftOut("part", pages.REST, "crashed"),)


def test_where_pictures_end_the_process_the_text_around_them_is_read_without_them(read: Read) -> None:
    recognition = Recognition(("eng",), "nowhere")
    extracted = read("recognise", head="{\\rtf", recognition=recognition)
    assert (extracted.outcome, extracted.message) == ("partial", "Not read: its pictures.")
    assert [page.text for page in extracted.pages] == ["page 1"]
    assert extracted.left_out == (LeftOut("picture", "its pictures", "crashed"),)
    extracted = read("exit", head="{\\rtf", recognition=recognition)
    assert (extracted.outcome, extracted.reason) == ("refused", "crashed")


def test_a_process_broken_by_an_earlier_file_is_not_held_against_this_one(read: Read) -> None:
    assert read("read").outcome == "read"
    assert outcomes(read("read breaks-when-used read")) == ["read", "read", "read"]


@POSIX
def test_a_process_that_is_killed_from_outside_once_is_not_held_against_the_file(read: Read, tmp_path: Path) -> None:
    assert outcomes(read(f"read killed:{tmp_path / 'once'} killed:{tmp_path / 'again'} read")) == ["read"] * 4
    assert outcomes(read("read killed read")) == ["read", "too_much_memory", "read"]


@POSIX
def test_a_call_is_made_again_once(read: Read, tmp_path: Path) -> None:
    read("read")
    fields = {**asked_fields(tmp_path / "script.dat", None, How()), "width": 10}
    once = Frame({"job": "image", **fields, "page": f"killed:{tmp_path / 'once'}"})
    assert pool.call(once, SMALL, lambda: False)[0].payload.startswith(b"script.dat")
    with pytest.raises(Unreadable, match="too_much_memory"):
        pool.call(Frame({"job": "image", **fields, "page": "killed"}), SMALL, lambda: False)


def test_a_file_has_an_end_to_its_time_too(read: Read) -> None:
    extracted = read("read loop loop read read", bounds=Bounds(10.0, 0.3, everything=0.45, memory=150 * MIB))
    assert outcomes(extracted) == ["read", "too_slow", "too_slow", "too_slow", "too_slow"]


def test_text_that_is_recognised_has_its_own_time_and_the_page_around_it_has_not(read: Read) -> None:
    long = Bounds(10.0, 0.3, everything=60.0, memory=150 * MIB, recognition=5.0)
    words = "read picture picture-and-loop read loop"
    assert outcomes(read(words, bounds=long)) == ["read", "read", "too_slow", "read", "too_slow"]
    short = Bounds(10.0, 0.3, everything=60.0, memory=150 * MIB, recognition=0.4)
    assert outcomes(read("read picture-without-end read", bounds=short)) == ["read", "too_slow", "read"]


@pytest.mark.parametrize("kind", ["pdf", "docx", "email", "csv"])
def test_pages_have_no_longer_bound_where_text_is_recognised(kind: str) -> None:
    assert bounds(kind, recognition=True).page == bounds(kind, recognition=False).page
    assert (bounds(kind, recognition=True) == bounds(kind, recognition=False)) == (kind == "csv")


def test_text_without_end_is_cut_off(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "LARGEST_EXTRACTED", 15)
    assert outcomes(read("read read read read")) == ["read", "read", "too_large_unpacked", "too_large_unpacked"]


def test_long_pages_and_half_characters_come_whole(read: Read) -> None:
    extracted = read("long half", bounds=Bounds(memory=500 * MIB))
    assert [len(page.text) for page in extracted.pages] == [9 * MIB, 6]
    assert (extracted.pages[1].text, extracted.pages[1].label) == ("\ud800 half", "\udce9")


def test_what_a_reader_prints_harms_nothing(read: Read, capfd: pytest.CaptureFixture[str]) -> None:
    assert outcomes(read("read print read")) == ["read", "read", "read"]
    printed = capfd.readouterr()
    assert "}{ no frame" in printed.err and printed.out == ""


def test_a_mistake_of_ours_is_in_the_log_and_the_password_is_not(read: Read, capfd: pytest.CaptureFixture[str]) -> None:
    extracted = read("read raise", password="Zaunkoenig")
    assert extracted.pages[0].section == "Zaunkoenig"
    log = capfd.readouterr().err
    assert "a mistake of the reader" in log and "Zaunkoenig" not in log


def test_a_file_that_cannot_be_opened_says_why(read: Read) -> None:
    extracted = read("closed")
    assert (extracted.kind, extracted.outcome, extracted.reason) == ("pdf", "needs_password", "encrypted")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_copy_of_the_process_says_nothing(read: Read) -> None:
    assert outcomes(read("read fork read fork read")) == ["read"] * 5


def test_what_the_process_started_ends_with_it(read: Read) -> None:
    extracted = read("spawn exit")
    started = int(extracted.pages[0].text)
    assert outcomes(extracted) == ["read", "crashed"]
    if sys.platform != "win32":
        wait_until_gone(started)


def test_a_file_that_is_written_to_meanwhile_is_said_to_have_been(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "script.dat"
    extracted = read("read read", on_page=lambda page, count: path.write_text(f"{path.read_text()} read"))
    assert (extracted.outcome, extracted.reason, extracted.sha256) == ("refused", "changed", None)
    again = read("read read", on_page=lambda page, count: path.touch())
    assert again.outcome == "read"
