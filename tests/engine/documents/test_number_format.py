from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.number_format import BUILT_IN, shown


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        ("3.2000000000000002", "General", "3.2"),
        ("12345678901234", "General", "12345678901234"),
        ("1E+20", "General", "1E+20"),
        ("-0", "General", "0"),
        ("5", 'General "kg"', "5 kg"),
        ("3.2", "0.00", "3.20"),
        ("2.675", "0.00", "2.68"),
        ("-0.001", "0.00", "0.00"),
        ("1234567.891", "#,##0.00", "1,234,567.89"),
        ("-1234.5", "#,##0 ;(#,##0)", "(1,235)"),
        ("0", "#,##0;-#,##0;\\-", "-"),
        ("0", "0;;", ""),
        ("-3", "0;;", ""),
        ("1234567", "#,##0,", "1,235"),
        ("0.075", "0.0%", "7.5%"),
        ("0.5", "0%", "50%"),
        ("1234.5", "[$\u20ac-407] #,##0.00", "\u20ac 1,234.50"),
        ("1234.5", '#,##0.00\\ "\u20ac"', "1,234.50 \u20ac"),
        ("-5", "$#,##0;-$#,##0", "-$5"),
        ("-5", "$#,##0.00", "-$5.00"),
        ("7", "00000", "00007"),
        ("5551234567", "(###) ###-####", "(555) 123-4567"),
        ("0.5", "#.##", ".5"),
        ("0.25", "# ?/?", "0.25"),
        ("12345", "0.00E+00", "1.23E+04"),
        ("12", '[<10]"few";[>=10]"many"', "many"),
        ("12", "@", "12"),
        ("12", "[Red]0_);[Blue](0)", "12"),
        ("46085", "m/d/yy", "2026-03-04"),
        ("46085.5875", "dd.mm.yyyy hh:mm", "2026-03-04 14:06"),
        ("46085", "[$-407]d. mmmm yyyy", "2026-03-04"),
        ("46085", "mmm yyyy", "2026-03"),
        ("46085", "yyyy", "2026"),
        ("46085", "dddd", "2026-03-04"),
        ("0.5", "h:mm AM/PM", "12:00"),
        ("0.999999", "hh:mm:ss", "00:00:00"),
        ("1.25", "[h]:mm", "30:00"),
        ("-0.25", "[h]:mm:ss", "-6:00:00"),
        ("0.0104", "mm:ss", "00:14:59"),
        ("0.00001157", "mm:ss.0", "00:00:01.000"),
        ("60", "yyyy-mm-dd", "1900-02-29"),
        ("59", "yyyy-mm-dd", "1900-02-28"),
        ("61", "yyyy-mm-dd", "1900-03-01"),
        ("-1", "yyyy-mm-dd", "-1"),
        ("2958466", "yyyy-mm-dd", "2958466"),
        ("7", '"d"0', "d7"),
        ("no number", "0.00", "no number"),
        ("NaN", "0.00", "NaN"),
    ],
)  # fmt: skip
def test_a_number_is_said_as_the_sheet_shows_it(number: str, code: str, said: str) -> None:
    assert shown(number, code) == said


def test_days_count_from_1904_where_the_workbook_says_so() -> None:
    assert shown("0", "yyyy-mm-dd", from_1904=True) == "1904-01-01"
    assert shown("44623", "yyyy-mm-dd", from_1904=True) == "2026-03-04"


@given(st.floats(allow_nan=False) | st.integers(), st.text('0#?.,%/@ymdhs[]"\\;E+-_* ag$<=>1\u20ac', max_size=300))
def test_any_code_gives_a_text(number: float, code: str) -> None:
    assert isinstance(shown(str(number), code), str)
    assert all(shown(str(number), known) for known in BUILT_IN.values() if abs(number) < 1e9)
