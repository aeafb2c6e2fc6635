"""Sentences made of numbers, times and outcomes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from app.document_words import (
    advice,
    coverage,
    is_trouble,
    name_shown,
    page_outcome,
    page_title,
    place_cited,
    reread_progress,
    state,
    unread,
)
from app.folder_words import after_password, changed_files, folder_summary, locked_files, meaning_of_password
from app.memory_words import memory_line, reread_cost
from app.records import Document, Folder, Memory, RereadCost
from app.words import duration, megabytes, when
from engine.documents.reasons import SENTENCES, pages_sentence

MEMORY = Memory(units=4096, budget=4096, tokens_read=48210)


def document(**fields: object) -> Document:
    return Document.of({"id": "d", "conversation": "c", "name": "lease.pdf", **fields})


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "a few seconds"),
        (42, "about 40 s"),
        (170, "about 3 min"),
        (3600, "about 1 h"),
        (7800, "about 2 h 10 min"),
        (14340, "about 4 h"),
    ],
)
def test_times_promise_no_more_than_they_can(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_sizes_change_their_unit() -> None:
    assert megabytes(812.4) == "812 MB"
    assert megabytes(1536) == "1.5 GB"


def test_moments() -> None:
    now = datetime(2026, 11, 30, 12, 0)
    assert when(datetime(2026, 11, 30, 9, 5).timestamp(), now) == "09:05"
    assert when(datetime(2026, 11, 29, 23, 0).timestamp(), now) == "Yesterday"
    assert when(datetime(2026, 3, 2).timestamp(), now) == "2 Mar"
    assert when(datetime(2025, 3, 2).timestamp(), now) == "2 Mar 2025"


def test_reading_says_page_and_time_left() -> None:
    reading = document(outcome="reading", page=41, pages=312, seconds_left=180)
    assert state(reading, None) == "page 41 of 312, about 3 min left"


def test_a_file_without_pages_says_its_share() -> None:
    reading = document(outcome="reading", page=1, pages=None, tokens=4000, tokens_read=1000, seconds_left=180)
    assert state(reading, None) == "25 % read, about 3 min left"
    assert state(document(outcome="reading", tokens=4000), None) == "Opening"


def test_paused_says_where() -> None:
    assert state(document(outcome="paused", page=None, pages=312), None) == "Paused"
    assert state(document(outcome="paused", page=41, pages=312), None) == "Paused at page 41 of 312"


def test_read_says_pages_and_what_is_kept() -> None:
    assert state(document(outcome="read", pages=312), MEMORY) == "312 pages, keeps 8 %"
    assert state(document(outcome="read", pages=1), None) == "1 page"


def test_partial_names_the_reason_of_each_page_left_out() -> None:
    skipped = [{"page": page, "reason": "no_text_layer", "message": "a scan without text"} for page in range(6)]
    partial = document(outcome="partial", part="page", pages=312, pages_read=306, pages_skipped=skipped)
    assert state(partial, None) == "312 pages: 306 read, 6 without text"
    said = "Pages 2 to 7 are pictures without text. Run text recognition (OCR) on the file and drop it again."
    assert advice(document(outcome="partial", pages=312, pages_skipped=skipped, message=said)) == said


def test_coverage_counts_every_part_once() -> None:
    damaged = [{"page": page, "reason": "damaged", "message": "damaged"} for page in (7, 8)]
    mixed = document(
        outcome="partial", part="page", pages=312, pages_read=312, pages_recognised=10, pages_skipped=damaged
    )
    assert coverage(mixed) == "312 pages: 300 read, 10 by recognition, 2 damaged"
    assert coverage(document(part="slide", pages=4, pages_read=4, tokens=1200)) == "4 slides, 1,200 tokens"
    assert coverage(document(part="page", pages=2, pages_read=2, pages_recognised=2)) == "2 pages: 2 by recognition"
    assert coverage(document(pages_read=1, tokens=900)) == "900 tokens"
    assert coverage(document(pages_read=1)) == "Read"


def test_what_lies_in_a_document_unread_is_counted() -> None:
    left_out = [
        {"what": "picture", "name": ""},
        {"what": "picture", "name": ""},
        {"what": "attachment", "name": "a.heic", "reason": None},
        {"what": "attachment", "name": "a.msg", "reason": "unsupported_type"},
    ]
    said = "2 pictures in it not read. 1 attached file in it not read."
    assert advice(document(outcome="read", left_out=left_out)) == said
    partial = document(outcome="partial", left_out=left_out, message="Not read: a.msg.")
    assert advice(partial) == f"Not read: a.msg. {said}"


@pytest.mark.parametrize(
    "reason", ["crashed", "damaged", "not_recognised", "too_slow", "unreadable_font", "unsafe_xml"]
)
def test_what_became_of_a_page_is_named_in_the_sum(reason: str) -> None:
    assert pages_sentence(reason, [2])
    partial = document(
        outcome="partial", part="page", pages=2, pages_read=1, pages_skipped=[{"page": 2, "reason": reason}]
    )
    assert coverage(partial).startswith("2 pages: 1 read, 1 ") and "left out" not in coverage(partial)


def test_a_second_copy_is_no_trouble_and_asks_for_nothing() -> None:
    said = "This is the same file as Dr. Reed, notes.pdf, which is read."
    copy = document(outcome="refused", reason="duplicate", message=said)
    assert (state(copy, None), advice(copy), is_trouble(copy)) == (said, "", False)


def test_where_there_is_no_text_the_reason_is_said() -> None:
    damaged = document(outcome="refused", reason="damaged", message=SENTENCES["damaged"])
    assert unread(damaged) == SENTENCES["damaged"]
    assert unread(document(outcome="waiting")).startswith("Its text has not been taken out yet.")


def test_below_its_archive_a_file_is_called_by_its_own_name() -> None:
    assert name_shown(document(name="letters.zip/a/first.txt", folder="letters.zip")) == "a/first.txt"
    assert name_shown(document(name="letters.zip")) == "letters.zip"


def test_one_file_is_spoken_of_as_one() -> None:
    assert changed_files(1) == "1 file changed since" and changed_files(2) == "2 files changed since"
    assert meaning_of_password(1) == "It is tried on it and kept nowhere."
    assert after_password(0, 1) == "It does not open it. Check it and type it again."
    assert after_password(1, 1) == "It opened 1 file. Type the password of the other."
    assert after_password(2, 0) == ""


def test_the_text_of_pictures_is_recognised_page_by_page() -> None:
    waiting = document(outcome="waiting", part="page", page=41, pages=312, doing="recognising")
    assert state(waiting, None) == "Recognising page 41 of 312"
    opening = document(outcome="waiting", part="slide", page=2, pages=9, doing="opening")
    assert state(opening, None) == "Opening slide 2 of 9"
    assert state(document(outcome="waiting", page=2, doing="opening"), None) == "Opening"
    assert state(document(outcome="reading", part="slide", page=2, pages=9), None) == "slide 2 of 9"


def test_locked_files_are_named() -> None:
    names = [f"{letter}.pdf" for letter in "abcdef"]
    assert locked_files(1, names[:1]) == "a.pdf needs a password"
    assert locked_files(2, names[:2]) == "a.pdf and b.pdf need a password"
    assert locked_files(6, names) == "a.pdf, b.pdf, c.pdf and 3 more need a password"
    assert locked_files(1204, names[:1]) == "a.pdf and 1,203 more need a password"
    assert locked_files(2, ()) == "2 files need a password"


def test_a_password_opens_what_lies_in_a_message_and_no_office_file() -> None:
    attached = [{"what": "attachment", "name": "lease.pdf", "reason": "encrypted"}]
    mail = document(outcome="partial", kind="email", reason="encrypted", left_out=attached)
    archived = document(outcome="needs_password", kind="archive", reason="wrong_password")
    office = document(outcome="needs_password", kind="docx", reason="encrypted")
    older = replace(mail, reason="outdated")
    assert [each.opens_with_password for each in (mail, archived, office, older)] == [True, True, False, False]


def test_a_locked_file_is_opened_here() -> None:
    locked = document(outcome="needs_password", kind="pdf", reason="encrypted", message="It is locked. Save a copy.")
    assert state(locked, None) == "Needs a password."
    assert advice(locked) == "Type it above. It is tried on every locked file and kept nowhere."
    office = document(outcome="needs_password", kind="docx", reason="encrypted", message="It is locked. Save a copy.")
    assert (state(office, None), advice(office)) == ("It is locked.", "Save a copy.")


def test_a_folder_sums_up_its_files() -> None:
    def folder(outcomes: dict[str, int], left_out: dict[str, int] | None = None) -> str:
        return folder_summary(Folder("/drop", "drop", outcomes=outcomes, left_out=left_out or {}))

    assert folder({"read": 3}) == "3 files, all read"
    summed = Folder("/drop", "drop", outcomes={"read": 3}, tokens=12_000)
    assert folder_summary(summed) == "3 files, all read, 12,000 tokens"
    assert folder({"read": 1, "waiting": 1200}) == "1,201 files, 1 done"
    said = "1,204 files, 4 could not be read, 100 read in part. 70 left out: 60 hidden, 10 ignored"
    assert folder({"read": 1100, "partial": 100, "refused": 4}, {"hidden": 60, "ignored": 10}) == said


@pytest.mark.parametrize(
    ("citation", "words"),
    [
        ({"page": 12}, "p. 12"),
        ({"page": 12, "place": "page 12"}, "p. 12"),
        ({"page": 4, "place": "slide 4"}, "slide 4"),
        ({"page": 3, "place": "The long tow"}, "The long tow"),
        ({"page": 3, "place": "The last page 9"}, "The last page 9"),
        ({"page": 1, "place": None}, ""),
    ],
)
def test_a_citation_names_the_place(citation: dict[str, object], words: str) -> None:
    assert place_cited(citation) == words


def test_the_dialog_says_where_it_is() -> None:
    page = {"page": 4, "outcome": "read", "section": "Loans", "source": "ocr"}
    said = "Page 4 of 312, Loans. Its text was recognised in a picture"
    assert page_title(document(part="page"), page, 312) == said
    assert page_title(document(part="chapter"), {"page": 3, "label": "The tow"}, 12) == "Chapter 3 of 12: The tow"
    assert page_title(document(), {"page": 1}, 1) == ""
    assert page_outcome(page) == "" and page_outcome({"outcome": "blank"}) == "This page is blank."


@pytest.mark.parametrize("outcome", ["needs_password", "needs_ocr", "refused", "failed"])
def test_every_trouble_has_a_reason_and_something_to_do(outcome: str) -> None:
    assert state(document(outcome=outcome), None).endswith(".")
    assert advice(document(outcome=outcome)).endswith(".")


def test_the_engines_own_sentences_come_first() -> None:
    known = document(outcome="refused", message="This file is damaged. Get another copy. Drop that.")
    assert state(known, None) == "This file is damaged."
    assert advice(known) == "Get another copy. Drop that."
    assert state(document(outcome="failed", message="The file is empty."), None) == "The file is empty."


def test_memory_line() -> None:
    assert memory_line(MEMORY) == "holds 4,096 of each head\u2019s units from 48,210 tokens read"


def test_what_reading_again_takes() -> None:
    said = "Reads 3 documents (41,200 tokens) again with this question in view{}. What was read before stays as it is."
    assert reread_cost(RereadCost(documents=3, tokens=41_200, seconds=250)) == said.format(": about 4 min")
    assert reread_cost(RereadCost(documents=3, tokens=41_200)) == said.format("; the time is not known yet")


def test_reading_again_says_where_it_is() -> None:
    reading = document(outcome="reading", page=5, pages=41, seconds_left=110)
    assert reread_progress(reading) == "Reading again for this question: page 5 of 41, about 2 min left"
    assert reread_progress(document(outcome="reading")) == "Reading again for this question"
