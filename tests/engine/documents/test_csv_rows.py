from __future__ import annotations

import csv
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.csv_rows import open_csv, table_text
from engine.documents.flow import Flow
from engine.documents.reader import How, Unreadable
from engine.documents.source import Source


def read(text: str) -> str:
    (page,) = open_csv(Source("a.csv", data=text.encode()), How()).pages()
    return page.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name,fee\nOkafor,12.50\n", "name | fee\nOkafor | 12.50"),
        ('name,fee\n"Okafor, Ada","1\n2"\n', "name | fee\nOkafor, Ada | 1 2"),
        ("a;b\n1,5;2,5\n3,5;4,5\n", "a | b\n1,5 | 2,5\n3,5 | 4,5"),
        ("a\tb, c\n1\t2, 3\n", "a | b, c\n1 | 2, 3"),
        ("a|b\n1|2\n", "a | b\n1 | 2"),
        ("sep=;\na;b,c\n", "a | b,c"),
        ('a,b\n"say ""hi""",=SUM(A1:A2)\n', 'a | b\nsay "hi" | =SUM(A1:A2)'),
        ('a,b\n"say \\"hi\\"",2\n', 'a | b\nsay "hi" | 2'),
        ("Report of May\n\na,b\n1,\n,2\n3,4\n", "Report of May\na | b\n1 |\n | 2\n3 | 4"),
        ('sep="\n"a",b\n"1",2\n', 'sep="\na | b\n1 | 2'),
        ("a,b,c\n1,,3\n", "a | b | c\n1 |  | 3"),
        ("one\ntwo\n", "one\ntwo\n"),
        ("Dear all, this is no table.\nIt is a letter,\nand its lines, as you see, differ, all of them.\n\nYours", ...),
    ],
)
def test_rows_stay_together(text: str, expected: str) -> None:
    assert (table_text(text) or text) == (text if expected is ... else expected)
    assert read(text) == ((table_text(text) or text) if '"' in text else text)


def test_a_quotation_mark_that_is_never_closed_swallows_nothing() -> None:
    text = 'a,b\n1,2\n3,"4 inch\n' + "5,6\n" * 2000
    found = table_text(text)
    assert found is not None and found.startswith('a | b\n1 | 2\n3 | "4 inch\n5 | 6\n') and found.count("5 | 6") == 2000


@pytest.mark.parametrize("end", ["5,6\n", "5,6", "5,6\n7,8"])
def test_nor_does_one_in_a_short_table(end: str) -> None:
    assert (table_text('a,b\n1,2\n"x",y\n3,"4 inch\n' + end) or "").startswith('a | b\n1 | 2\n"x" | y\n3 | "4 inch')


def test_a_last_cell_of_several_lines_is_one() -> None:
    assert table_text('a,b\n1,"2\n3"') == table_text('a,b\n1,"2\n3"\n') == "a | b\n1 | 2 3"


def test_a_cell_may_be_long() -> None:
    assert (table_text(f"a,b\n{'x' * 200_000},2\n") or "").endswith("x | 2")


def test_what_is_no_text_is_refused() -> None:
    for data, reason in ((b" \n", "no_text"), (bytes(99) + b"\x01", "binary")):
        with pytest.raises(Unreadable) as refused:
            open_csv(Source("a.csv", data=data), How())
        assert refused.value.reason == reason


CELLS = st.text(st.sampled_from('ab \u00e9\u4e8c",;\t\n='), max_size=8)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=8), st.sampled_from(",;\t|"))
def test_no_cell_is_lost_whatever_parts_them(rows: list[list[str]], delimiter: str) -> None:
    file = StringIO()
    table = [["head", "of", "table"], *rows]
    csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(table)
    flow = Flow()
    for row in table:
        flow.row(row)
    assert table_text(file.getvalue().replace("\r\n", "\n")) == flow.text()


@settings(deadline=None)
@given(st.text(st.sampled_from('a,;"\\\n\t|'), max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    found = table_text(text)
    assert found is None or set(found) <= set(text) | {" ", "|"}
