"""Raised, lowered and struck text means the same in every kind of document."""

from __future__ import annotations

import pytest

from engine.documents.scripts import LOWERED, RAISED, Look, lowered, raised, written
from tests.engine.documents.office_files import W, docx, text
from tests.engine.documents.test_opendocument import odf
from tests.engine.documents.test_pptx import deck, shape
from tests.engine.documents.test_rtf import whole
from tests.engine.documents.test_xlsx import X, c, row, workbook

LINE = "10\u2076 m\u00b2, 101\u2082, H2O, total\u00b3, 1st"
RUNS = [
    ("10", ""), ("6", "up"), (" m", ""), ("2", "up"), (", 101", ""), ("2", "down"), (", H", ""), ("2", "down"),
    ("O, total", ""), ("3", "up"), (", 1", ""), ("s", "up"), ("t", "up"), (" 20", "old"), (" 15", ""),
]  # fmt: skip
SAID = f"{LINE} ~~20~~ 15"


def runs(form: str, **how: str) -> str:
    """form: of a run, with places for how it looks and for what it says."""
    return "".join(form.format(how.get(look, ""), said) for said, look in RUNS)


DRAWN = runs(
    "<a:r><a:rPr {}/><a:t>{}</a:t></a:r>", up='baseline="30000"', down='baseline="-25000"', old='strike="sngStrike"'
)
SPANNED = runs('<text:span text:style-name="{}">{}</text:span>', up="T1", down="T2", old="T3").replace(
    "> ", "><text:s/>"
)
SPANS = "".join(
    f'<style:style style:name="{name}" style:family="text"><style:text-properties {how}/></style:style>'
    for name, how in (
        ("T1", 'style:text-position="super 58%"'),
        ("T2", 'style:text-position="-33% 58%"'),
        ("T3", 'style:text-line-through-style="solid"'),
    )
)
IN_WORD = runs(
    '<w:r><w:rPr>{}</w:rPr><w:t xml:space="preserve">{}</w:t></w:r>',
    up='<w:vertAlign w:val="superscript"/>',
    down='<w:vertAlign w:val="subscript"/>',
    old="<w:strike/>",
)
IN_CELL = runs(
    "<r><rPr>{}</rPr><t>{}</t></r>",
    up='<vertAlign val="superscript"/>',
    down='<vertAlign val="subscript"/>',
    old="<strike/>",
)
FILES = {
    "a.docx": docx(f"<w:p>{IN_WORD}</w:p>"),
    "a.pptx": deck([shape(f"<a:p>{DRAWN}</a:p>")]),
    "a.odt": odf("odt", f"<text:p>{SPANNED}</text:p>", SPANS),
    "a.ods": odf(
        "ods",
        "<table:table><table:table-row><table:table-cell>"
        f"<text:p>{SPANNED}</text:p></table:table-cell></table:table-row></table:table>",
        SPANS,
    ),
    "a.xlsx": workbook({"One": row(1, c("A1", "0", "s"))}, sharedStrings=f"<sst {X}><si>{IN_CELL}</si></sst>"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_power_is_no_number_in_any_kind(name: str) -> None:
    assert text(FILES[name], name) == SAID


def test_in_rtf_too() -> None:
    body = runs("{{\\plain{} {}}}", up="\\super", down="\\sub", old="\\strike")
    assert whole(body).pages[0].text == SAID
    assert whole(r"10\super 6\nosupersub  7{\super 2\plain 3}\strike0 x").pages[0].text == "10\u2076 7\u00b23x"
    assert whole(r"10{\up6 3}\dn 2\dn0 x").pages[0].text == "10\u00b3\u2082x"


def test_what_is_moved_up_by_hand_is_raised() -> None:
    up = '<w:r><w:rPr><w:position w:val="{}"/></w:rPr><w:t>{}</w:t></w:r>'
    assert text(docx(f"<w:p>{up.format(0, 10)}{up.format(6, 3)}{up.format(-4, 2)}</w:p>")) == "10\u00b3\u2082"


def test_a_style_raises_and_strikes_unless_the_run_says_otherwise() -> None:
    styles = (
        f'<w:styles {W}><w:style w:type="character" w:styleId="Up"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
        '</w:style><w:style w:type="paragraph" w:styleId="Gone"><w:rPr><w:strike/></w:rPr></w:style></w:styles>'
    )
    up = '<w:r><w:rPr><w:rStyle w:val="Up"/>{}</w:rPr><w:t>{}</w:t></w:r>'
    level = up.format('<w:vertAlign w:val="baseline"/>', "3")
    struck = '<w:p><w:pPr><w:pStyle w:val="Gone"/></w:pPr><w:r><w:t>Void</w:t></w:r></w:p>'
    file = docx(f"<w:p>{up.format('', '2')}{level}</w:p>{struck}", {"s": ("styles", styles)})
    assert text(file) == "\u00b23\n\n~~Void~~"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("2", "\u00b2"),
        ("-1.5", "\u207b\u00b9.\u2075"),
        ("\u22122", "\u207b\u00b2"),
        ("1, 2", "\u00b9, \u00b2"),
        ("(3)", "\u207d\u00b3\u207e"),
        ("a", "\u1d43"),
        ("q", "q"),
        ("th", "th"),
        ("2a", "^(2a)"),
        ("[4]", "[4]"),
        ("as it was in 1999", "as it was in 1999"),
        ("*", "*"),
        ("", ""),
    ],
)
def test_what_is_raised_is_told_from_what_it_follows(said: str, shown: str) -> None:
    assert raised(said) == shown


def test_runs_that_look_the_same_are_one() -> None:
    up, down = Look(RAISED), Look(LOWERED)
    assert written([("x", Look()), ("1", up), ("a", up)]) == "x^(1a)"
    assert written([("10", Look()), ("1", down), ("2", down)]) == "10\u2081\u2082"
    assert lowered("2", "H") == "2"
