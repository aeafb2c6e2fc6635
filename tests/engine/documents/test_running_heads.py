from __future__ import annotations

import pytest

from engine.documents.line import Line
from engine.documents.running_heads import RunningHeads

HEIGHT = 800.0
BODY = [Line(f"body line {number}", 50, 120 + 14 * number, 300, 130 + 14 * number) for number in range(20)]


def page(head: str = "", foot: str = "", top: float = 40.0, size: float = 10.0, body: list[Line] = BODY) -> list[Line]:
    lines = [Line(head, 50, top, 200, top + size)] if head else []
    lines += body
    return [*lines, Line(foot, 50, 760, 200, 770)] if foot else lines


def kept(pages: list[list[Line]]) -> list[list[str]]:
    """What stays of each page besides its body."""
    heads = RunningHeads()
    stayed = [heads.without(lines, HEIGHT, number) for number, lines in enumerate(pages, 1)]
    return [[line.text for line in lines if line not in BODY] for lines in stayed]


def test_a_running_head_goes_once_it_is_known_for_such() -> None:
    assert kept([page("Annual report")] * 4) == [["Annual report"], ["Annual report"], [], []]


def test_left_and_right_pages_have_heads_of_their_own() -> None:
    pages = [page("Left") if number % 2 else page("Right") for number in range(7)]
    assert kept(pages) == [["Right"], ["Left"]] * 2 + [[], [], []]


def test_a_right_page_may_have_the_next_chapters_head_and_the_left_ones_goes_on() -> None:
    heads = ["Book", "One", "Book", "One", "Book", "One", "Book", "Two", "Book", "Two"]
    found = kept([page(head) for head in heads])
    assert found[4:] == [[], [], [], ["Two"], [], ["Two"]]


@pytest.mark.parametrize("heads", ["AABA", "AAABA", "AABAA", "ABAABA"])
def test_a_line_that_gave_way_to_another_and_is_back_stays(heads: str) -> None:
    words = {"A": "approved by the board", "B": "rejected by the board"}
    assert kept([page(words[head]) for head in heads])[-1] == [words[heads[-1]]]


@pytest.mark.parametrize("line", ["Risk: high", "Owner of it: Jane Roe", "风险\uff1a高", "Cost : 5"])
def test_what_is_said_of_each_slide_stays_even_if_it_is_the_same(line: str) -> None:
    assert all(kept([page(foot=line)] * 6))


def test_a_head_with_a_colon_somewhere_goes() -> None:
    assert kept([page("Harrow Light and its keepers: a history")] * 4)[2:] == [[], []]


def test_a_number_that_the_text_above_announces_is_no_page_number() -> None:
    pages = [page(foot=str(number), body=[*BODY, Line("Votes:", 50, 400, 99, 410)]) for number in range(1, 6)]
    assert all(found[-1] == str(number) for number, found in enumerate(kept(pages), 1))


@pytest.mark.parametrize(
    "form", ["{}", "- {} -", "Page {}", "Page {} of 9", "{} / 9", "Harrow Light trust        Page {} of 9", "{} Loans"]
)
def test_page_numbers_go_once_they_are_known_for_such(form: str) -> None:
    pages = [page(foot=form.format(number)) for number in range(3, 8)]
    assert [len(stayed) for stayed in kept(pages)] == [1, 1, 0, 0, 0]


def test_roman_page_numbers() -> None:
    assert kept([page(foot=number) for number in ("i", "ii", "iii", "iv", "v")]) == [["i"], ["ii"], [], [], []]


def test_numbers_that_do_not_count_the_pages_stay() -> None:
    pages = [page(f"Invoice {number}") for number in (4711, 4712, 4713, 4714)]
    assert all(kept(pages))
    assert all(kept([page(f"Meter {number}") for number in (3, 9, 4, 1, 7)]))


def test_headings_that_count_along_with_the_pages_stay() -> None:
    assert all(kept([page(f"Chapter {number}", size=18) for number in range(1, 6)]))
    assert all(kept([page(f"4.{number} The {number}.x releases") for number in range(1, 6)]))


def test_slides_may_share_a_title() -> None:
    assert all(kept([page("Results", size=24)] * 3))


def test_the_same_line_at_another_height_or_in_the_body_stays() -> None:
    assert all(kept([page("Annual report", top=40 + 10 * number) for number in range(3)]))
    assert all(kept([page("Annual report", top=108)] * 3))


def test_a_page_of_nothing_else_keeps_its_line() -> None:
    assert kept([page("Left blank on purpose", body=[])] * 3) == [["Left blank on purpose"]] * 3


def test_a_head_is_forgotten_after_some_pages_without_it() -> None:
    assert kept([page("Annual report"), *[page()] * 5, page("Annual report")])[-1] == ["Annual report"]


@pytest.mark.parametrize(("before", "stays"), [([1, 3], 0), ([2, 4], 0), ([1], 1), ([], 1)])
def test_pages_count_by_their_numbers_even_if_some_between_were_not_read(before: list[int], stays: int) -> None:
    heads = RunningHeads()
    for number in (0, *before):
        heads.without(page("Annual report"), HEIGHT, number)
    assert len(heads.without(page("Annual report"), HEIGHT, 5)) - len(BODY) == stays


def test_answers_that_are_the_same_on_many_forms_stay() -> None:
    answers = [Line(text, 50, top, 200, top + 15) for text, top in (("Smoker: yes", 60), ("Diabetes: no", 80))]
    pages = [page(f"Person: P{number}", size=15, body=[*answers, BODY[-1]]) for number in range(1, 5)]
    assert all(
        found == [f"Person: P{number}", *(a.text for a in answers)] for number, found in enumerate(kept(pages), 1)
    )


def test_rows_of_a_list_that_come_again_at_the_top_of_a_page_stay() -> None:
    rows = [Line(f"row {number}", 50, 46 + 14 * number, 200, 56 + 14 * number) for number in range(1, 40)]
    first = [Line("Coffee", 50, 46, 120, 56), Line("3.50", 300, 46, 330, 56)]
    heads = RunningHeads()
    for number in range(1, 5):
        assert heads.without([*first, *rows], HEIGHT, number) == [*first, *rows]


def test_a_head_of_two_lines_goes_with_the_number_that_changes_in_it() -> None:
    second = [[Line(f"{number} of 90", 50, 54, 200, 64)] for number in range(1, 5)]
    pages = [page("Annual report", body=[*second[number], *BODY]) for number in range(4)]
    assert [len(stayed) for stayed in kept(pages)] == [2, 2, 0, 0]


def test_a_page_that_is_recognised_too_counts_once() -> None:
    heads = RunningHeads()
    for number in (1, 1, 2):
        found = heads.without(page(foot=f"{number}"), HEIGHT, number)
    assert len(found) - len(BODY) == 1
