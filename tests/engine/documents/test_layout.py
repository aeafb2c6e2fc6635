from __future__ import annotations

from engine.documents.layout import page_text
from engine.documents.line import Line

LONG = "a line that fills its column"


def column(left: float, words: str, count: int = 6, top: float = 100.0) -> list[Line]:
    return [
        Line(f"{words} {number}: {LONG}", left, top + 12 * number, left + 200, top + 12 * number + 10)
        for number in range(count)
    ]


def title(text: str, top: float) -> Line:
    return Line(text, 60, top, 500, top + 10)


def starts(text: str) -> list[str]:
    return [line.split(":")[0] for line in text.split("\n")]


LEFT = [f"left {number}" for number in range(6)]
RIGHT = [f"right {number}" for number in range(6)]


def test_columns_written_row_by_row_are_read_one_after_the_other() -> None:
    rows = [line for pair in zip(column(50, "left"), column(300, "right"), strict=True) for line in pair]
    assert starts(page_text(rows)) == LEFT + RIGHT


def test_the_left_column_comes_first_if_written_last() -> None:
    assert starts(page_text(column(300, "right") + column(50, "left"))) == LEFT + RIGHT


def test_three_columns() -> None:
    rows = column(550, "third") + column(50, "left") + column(300, "right")
    assert starts(page_text(rows)) == LEFT + RIGHT + [f"third {number}" for number in range(6)]


def test_a_line_across_both_columns_divides_them() -> None:
    lines = [
        title("top", 80),
        *column(300, "right"),
        *column(50, "left"),
        title("middle", 190),
        *column(300, "lower right", top=210),
        *column(50, "lower left", top=210),
    ]
    assert starts(page_text(lines)) == [
        "top",
        *LEFT,
        *RIGHT,
        "middle",
        *(f"lower left {number}" for number in range(6)),
        *(f"lower right {number}" for number in range(6)),
    ]


def test_the_rows_of_a_table_stay_together() -> None:
    lines = []
    for number in range(8):
        top = 100.0 + 14 * number
        for left, cell in ((50.0, f"Item number {number}"), (250.0, str(number)), (300.0, f"{number}.50")):
            lines.append(Line(cell, left, top, left + 7.0 * len(cell), top + 10))
    assert page_text(lines).split("\n")[3] == "Item number 3  3  3.50"


def test_a_word_broken_at_a_line_end_is_whole_and_a_compound_keeps_its_hyphen() -> None:
    texts = [
        "a recon-",
        "naissance flight by the north-",
        "east wall; the north-east wall is a well-known",
        "Jean-",
        "Luc",
    ]
    lines = [Line(text, 50, 100 + 12 * number, 200, 110 + 12 * number) for number, text in enumerate(texts)]
    assert page_text(lines).replace("\n", " ") == (
        "a reconnaissance flight by the north-east wall; the north-east wall is a well-known Jean- Luc"
    )


def test_words_that_always_have_a_hyphen_keep_it_at_a_lines_end() -> None:
    texts = [
        "a self-",
        "evident and well-",
        "paid state-of-the-",
        "art job for twenty-",
        "one, not for the self-",
        "ish",
    ]
    lines = [Line(text, 50, 100 + 12 * number, 200, 110 + 12 * number) for number, text in enumerate(texts)]
    assert page_text(lines) == "a self-evident and well-paid state-of-the-art job for twenty-one, not for the selfish"


def test_soft_hyphens_are_gone() -> None:
    lines = [Line("an or\u00adchard of ap\u00ad", 50, 100, 200, 110), Line("ples", 50, 112, 90, 122)]
    assert page_text(lines) == "an orchard of apples"


def test_text_that_runs_another_way_comes_last() -> None:
    lines = [Line("margin", 10, 100, 20, 300, horizontal=False), title("first", 80), title("second", 120)]
    assert page_text(lines) == "first\nsecond\nmargin"


def test_a_page_without_text() -> None:
    assert page_text([]) == ""


def cells(rows: list[list[str]]) -> list[list[Line]]:
    """A table without rules."""
    lefts = (50.0, 250.0, 310.0, 380.0)
    return [
        [
            Line(text, left, 100.0 + 30 * number, left + 4.5 * len(text), 110.0 + 30 * number)
            for left, text in zip(lefts, row, strict=False)
        ]
        for number, row in enumerate(rows)
    ]


TABLE = cells(
    [["Item", "Count", "Price"], ["Copper pipe", "14", "3.20"], ["Ring", "220", "0.08"], ["Flange", "9", "4"]]
)


def test_a_table_written_column_by_column_is_read_row_by_row() -> None:
    lines = [title("before", 60), *(row[column] for column in range(3) for row in TABLE), title("after", 260)]
    assert page_text(lines).split("\n") == [
        "before",
        "Item  Count  Price",
        "Copper pipe  14  3.20",
        "Ring  220  0.08",
        "Flange  9  4",
        "after",
    ]


def test_the_second_line_of_a_cell_stays_with_the_first() -> None:
    lines = [row[column] for column in range(3) for row in TABLE]
    lines.insert(2, Line("of 15 mm", 50, 140, 90, 150))
    assert "Copper pipe\nof 15 mm\n14  3.20\nRing" in page_text(lines)


def test_a_line_above_the_one_that_stands_in_the_row_belongs_to_it() -> None:
    lines = [row[column] for column in range(3) for row in TABLE]
    lines.insert(1, Line("Pipe of pure", 50, 117, 90, 127))
    assert page_text(lines).split("\n")[:3] == ["Item  Count  Price", "Pipe of pure", "Copper pipe  14  3.20"]


def test_dates_that_were_written_before_all_that_belongs_to_them_are_read_with_it() -> None:
    dates = [Line(f"20{10 + number}", 50, 100 + 38 * number, 80, 110 + 38 * number) for number in range(3)]
    rest = [
        Line(f"{what} {number}", 180, 100 + 38 * number + down, 400, 110 + 38 * number + down)
        for number in range(3)
        for what, down in (("Cook at place", 0), ("Menus of kind", 14))
    ]
    assert page_text([*dates, *rest]).split("\n") == [
        text for number in range(3) for text in (f"20{10 + number}  Cook at place {number}", f"Menus of kind {number}")
    ]


def test_two_blocks_side_by_side_are_no_table() -> None:
    left = [
        Line(text, 50, 100 + 12 * number, 120, 110 + 12 * number) for number, text in enumerate(("To", "Ann", "Oslo"))
    ]
    right = [
        Line(text, 300, 100 + 12 * number, 380, 110 + 12 * number) for number, text in enumerate(("No", "7", "May"))
    ]
    assert page_text(left + right).split("\n")[:2] == ["To", "Ann"]


def test_where_text_runs_from_right_to_left_the_right_column_comes_first() -> None:
    hebrew = "שורה שממלאת את הטור כולו"
    sides = {"left": column(50, "x"), "right": column(300, "x")}
    lines = [
        Line(f"{hebrew} {side} {number}", line.left, line.top, line.right, line.bottom)
        for side, found in sides.items()
        for number, line in enumerate(found)
    ]
    found = page_text(lines).split("\n")
    assert [text.split()[-2] for text in found] == ["right"] * 6 + ["left"] * 6


def test_the_cells_of_a_row_run_from_right_to_left_too() -> None:
    lines = [Line("מחיר", 200, 100, 240, 110), Line("פריט", 300, 100, 340, 110), Line("שמן", 50, 140, 300, 150)]
    assert page_text([lines[1], lines[0], lines[2]]).split("\n") == ["פריט  מחיר", "שמן"]


def test_a_page_number_that_stands_apart_belongs_to_no_column() -> None:
    number, head = Line("17", 290, 400, 298, 410), Line("Loans", 60, 40, 100, 50)
    found = starts(page_text([number, head, *column(50, "left"), *column(310, "right")]))
    assert found == ["Loans", *LEFT, *RIGHT, "17"]


def test_the_pieces_of_a_line_are_no_cells() -> None:
    lines = [Line("See page 15 ", 50, 100, 100, 110), Line("(left", 101, 100, 120, 110), Line(").", 120, 100, 124, 110)]
    assert page_text([*lines, Line("7", 200, 100, 205, 110)]) == "See page 15 (left).  7"
