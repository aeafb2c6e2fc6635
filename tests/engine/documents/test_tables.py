from __future__ import annotations

from engine.documents.line import Line
from engine.documents.tables import Box, with_rows

WIDTHS = (100.0, 60.0, 80.0)


def rules(rows: int, height: float = 20.0, left: float = 50.0, top: float = 100.0) -> list[Box]:
    """A grid of thin rules."""
    places = [left + sum(WIDTHS[:number]) for number in range(len(WIDTHS) + 1)]
    level = [(left, top + height * row - 0.3, places[-1], top + height * row + 0.3) for row in range(rows + 1)]
    return level + [(x - 0.3, top, x + 0.3, top + height * rows) for x in places]


def cell(text: str, row: int, column: int, line: int = 0) -> Line:
    left, top = 54 + sum(WIDTHS[:column]), 102 + 20 * row + 9 * line
    return Line(text, left, top, left + 5 * len(text), top + 8)


def texts(lines: list[Line], shapes: list[Box], words: list[Line] | None = None) -> list[str]:
    return [line.text for line in with_rows(lines, shapes, lambda _: words or [])]


ROWS = [["Item", "Count", "Price"], ["Rubber ring", "220", "0.08"], ["Flange", "9", "4.10"]]
CELLS = [[cell(text, row, column) for column, text in enumerate(texts)] for row, texts in enumerate(ROWS)]
EXPECTED = ["Item | Count | Price", "Rubber ring | 220 | 0.08", "Flange | 9 | 4.10"]


def test_the_cells_of_a_row_are_one_line_in_whatever_order_they_were_written() -> None:
    by_row = [line for row in CELLS for line in row]
    by_column = [row[column] for column in range(3) for row in CELLS]
    assert texts(by_row, rules(3)) == texts(by_column, rules(3)) == texts(by_row[::-1], rules(3)) == EXPECTED


def test_what_stands_around_a_table_stays_around_it() -> None:
    before, after = Line("before", 50, 60, 200, 70), Line("after", 50, 200, 200, 210)
    lines = [before, *(line for row in CELLS for line in row), after]
    assert texts(lines, rules(3)) == ["before", *EXPECTED, "after"]


def test_an_empty_cell_keeps_its_place_and_an_empty_row_goes() -> None:
    lines = [*CELLS[0], CELLS[1][0], CELLS[1][2]]
    assert texts(lines, rules(3)) == ["Item | Count | Price", "Rubber ring |  | 0.08"]


def test_a_cell_of_several_lines_is_one_and_a_broken_word_whole() -> None:
    lines = [
        *CELLS[0],
        cell("A gauge for pres-", 1, 0),
        cell("sure, brass", 1, 0, 1),
        cell("3", 1, 1),
        cell("7.50", 1, 2),
    ]
    assert texts(lines, rules(3))[1] == "A gauge for pressure, brass | 3 | 7.50"


def test_a_line_that_runs_through_several_cells_is_taken_apart() -> None:
    words = [cell("Flange", 2, 0), cell("9", 2, 1), cell("4.10", 2, 2)]
    through = Line("Flange 9 4.10", words[0].left, words[0].top, words[-1].right, words[0].bottom)
    assert texts([*CELLS[0], *CELLS[1], through], rules(3), words)[2] == EXPECTED[2]


def test_joined_cells_are_one() -> None:
    shapes = [box for box in rules(3) if box[2] - box[0] > 1 or not 149 < box[0] < 151]
    shapes.append((149.7, 120, 150.3, 160))  # between the first and the second column, below the first row
    title = Line("Item and its count", 54, 102, 150, 110)
    assert texts([title, CELLS[0][2], *CELLS[1], *CELLS[2]], shapes)[0] == "Item and its count | Price"


def test_cells_that_are_boxes_make_a_table() -> None:
    boxes: list[Box] = []
    for row in range(3):
        for column, width in enumerate(WIDTHS):
            left, top = 50 + sum(WIDTHS[:column]), 100 + 20 * row
            boxes.append((left, top, left + width, top + 20))
    assert texts([line for row in CELLS for line in row], boxes) == EXPECTED


def test_a_frame_and_a_drawing_are_no_tables() -> None:
    lines = [line for row in CELLS for line in row]
    frame = [(40.0, 90.0, 400.0, 300.0), (42.0, 92.0, 398.0, 298.0)]
    assert texts(lines, frame * 3) == [line.text for line in lines]
    one_column = [*CELLS[0][:1], *CELLS[1][:1], *CELLS[2][:1]]
    assert texts(one_column, rules(3)) == ["Item", "Rubber ring", "Flange"]


def test_two_tables_on_a_page() -> None:
    lower = [Line(line.text, line.left, line.top + 200, line.right, line.bottom + 200) for row in CELLS for line in row]
    lines = [*(line for row in CELLS for line in row), *lower]
    assert texts(lines, rules(3) + rules(3, top=300)) == EXPECTED * 2


def test_thousands_of_rules_are_a_drawing() -> None:
    lines = [line for row in CELLS for line in row]
    assert texts(lines, rules(3) * 1000) == [line.text for line in lines]


def test_a_cell_over_several_rows_stands_in_the_first() -> None:
    """The rule below the second row begins at the second column."""
    shapes = [shape for shape in rules(3) if not (shape[0] == 50 and 139 < shape[1] < 140)]
    shapes.append((150, 139.7, 290, 140.3))
    over = Line("Both", 54, 136, 74, 144)
    lines = [*CELLS[0], over, *CELLS[1][1:], *CELLS[2][1:]]
    assert texts(lines, shapes) == ["Item | Count | Price", "Both | 220 | 0.08", " | 9 | 4.10"]


def test_a_drawing_of_many_rules_is_no_table_and_takes_no_time() -> None:
    lines = [Line(f"word {number}", 10, 10 * number, 60, 10 * number + 8) for number in range(100)]
    crossing: list[tuple[float, float, float, float]] = [(0, 4 * n, 2000, 4 * n) for n in range(500)]
    crossing += [(4 * n, 0, 4 * n, 2000) for n in range(500)]
    assert with_rows(lines, crossing, lambda line: []) == lines
    boxes: list[tuple[float, float, float, float]] = [(0, n / 5, 600 + n, n / 5 + 10) for n in range(3900)]
    assert with_rows(lines, boxes, lambda line: []) == lines
