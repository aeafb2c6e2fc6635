from __future__ import annotations

from engine.documents.arabic import Letter, in_order

SIZE = 10.0


def letters(text: str, right: float = 300.0, widths: dict[int, float] | None = None) -> list[Letter]:
    """As MuPDF gives them: in reading order, the first at the right; numbers stand from left to right."""
    found: list[Letter] = []
    for place, character in enumerate(text):
        width = (widths or {}).get(place, 5.0)
        found.append(Letter(character, right - width, right, SIZE))
        right -= width
    return found


def test_lam_alef_is_read_as_it_is_written() -> None:
    swapped = "سالم"  # what comes out of "سلام": the alef, which takes no room, stands before its lam
    assert in_order(letters(swapped, widths={1: 0.0, 2: 9.0})) == "سلام"


def test_an_article_stays_as_it_is() -> None:
    assert in_order(letters("الميناء")) == "الميناء"


def test_a_number_has_the_blank_that_the_page_shows_and_no_other() -> None:
    word = letters("رقم", right=300)
    number = [Letter(digit, 260 + 5 * place, 265 + 5 * place, SIZE) for place, digit in enumerate("4471")]
    after = letters("في", right=257)
    assert in_order([Letter(" ", 280, 285, SIZE), *word, *number, *after]) == "رقم 4471 في"
    close = [Letter(digit, 265 + 5 * place, 270 + 5 * place, SIZE) for place, digit in enumerate("4471")]
    assert in_order([*word, *close]) == "رقم4471"


def test_other_writing_stays_as_it_is() -> None:
    assert in_order(letters(" Room 12b ")) == " Room 12b "


def test_brackets_open_before_words_and_close_behind_them() -> None:
    assert in_order(letters(")انظر ص 15( من ]هنا[ .")) == "(انظر ص 15) من [هنا] ."
    assert in_order(letters("א) שלום (12) סוף")) == "א) שלום (12) סוף"
