"""Sentences made of numbers, times and outcomes."""

from __future__ import annotations

from datetime import datetime

import pytest

from app.records import Document, Memory, RereadCost
from app.words import advice, duration, megabytes, memory_line, reread_cost, reread_progress, state, when

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
    skipped = [{"page": page, "reason": "no_text", "message": "a scan without text"} for page in range(6)]
    partial = document(outcome="partial", pages=312, pages_read=306, pages_skipped=skipped)
    assert state(partial, None) == "306 of 312 pages read"
    assert advice(partial) == "6 pages left out: a scan without text."
    said = "Pages 2 to 7 are pictures without text. Run text recognition (OCR) on the file and drop it again."
    assert advice(document(outcome="partial", pages=312, pages_skipped=skipped, message=said)) == said


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
