# ruff: noqa: E501 (RTF as it stands in files)
from __future__ import annotations

import pytest

from engine.documents.judge import Extracted
from engine.documents.reader import LeftOut
from tests.engine.documents.office_files import read

FONTS = (
    r"{\fonttbl{\f0\froman\fcharset0 Times New Roman;}{\f1\fswiss\fcharset204{\*\falt Sans}Arial Cyr;}"
    r"{\f2\fcharset128 MS Mincho;}{\f3\fcharset2 Symbol;}{\f4\fcharset2 Wingdings;}}"
)
STYLES = r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}{\*\cs10 Default;}}"


def whole(body: str, head: str = FONTS + STYLES, start: str = r"{\rtf1\ansi\ansicpg1252\deff0") -> Extracted:
    return read((start + head + body + "}").encode("latin-1"), "a.rtf")


def text(body: str, head: str = FONTS + STYLES, start: str = r"{\rtf1\ansi\ansicpg1252\deff0") -> str:
    found = whole(body, head, start)
    assert (found.kind, found.outcome) == ("rtf", "read")
    return found.pages[0].text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (r"caf\'e9 \u233?t\u233\'e9 35\u8239?cm", "caf\u00e9 \u00e9t\u00e9 35\u202fcm"),
        (r"\f1\'cf\'f0\'e8\f0\'e9", "\u041f\u0440\u0438\u00e9"),
        (r"\f2\'93\'fa\'96\{\plain x", "\u65e5\u672c"[:1] + "\u672cx"),
        (r"\f2 \'83A\'83C", "\u30a2\u30a4"),
        (r"\f3 \'61\'b3 {\f4 \'fc}", "\u03b1\u2265 \u2713"),
        (r"\u-10179?\u-8704? \u55357?x", "\U0001f600 \ufffdx"),
        (r"{\uc2\u26085\'93\'fa}\uc0\u26412 \uc1 y", "\u65e5\u672c y".replace("\u672c y", "\u672cy")),
        (r"a\~b\_c\-d\emdash e\lquote f\rquote\tab g\line h\\\{\}", "a b-cd\u2014e\u2018f\u2019 g\nh\\{}"),
        ("one\\\ntwo", "one\n\ntwo"),
        (r"a\'01{\mvf gone}\u7?b", "ab"),
        (r"\u8212\par next", "\u2014\n\nnext"),
    ],
)
def test_letters(body: str, said: str) -> None:
    assert text(body) == said


def test_the_code_page_of_the_document() -> None:
    assert text(r"\'cf\'f0", "", r"{\rtf1\ansi\ansicpg1251") == "\u041f\u0440"
    assert text(r"\'8e", "", r"{\rtf1\mac") == "\u00e9"
    assert text("\u00c3\u00a9", "", r"{\rtf1\ansicpg65001") == "\u00e9"
    assert (
        text(r"\'e9", r"{\fonttbl\f0\fnil\fcharset0 Helvetica;\f1\fcharset204 A;}\f1 ", r"{\rtf1\ansicpg1252")
        == "\u0439"
    )


def test_what_is_no_text_is_passed_over() -> None:
    body = (
        r"{\info{\author Nobody}}{\*\generator Writer;}{\*\unknown{\deeper words}}{\colortbl;\red1;}"
        r"{\upr{ansi words}{\*\ud{Unicode words}}} {\field{\*\fldinst HYPERLINK x}{\fldrslt shown}}{\xe index entry}"
        r"{\shp{\*\shpinst{\sp{\sn n}{\sv v}}}{\shprslt again}}{\nonesttables no}\bin5 {{{{{. end"
    )
    assert text(body) == "Unicode words shown. end"


def test_deleted_and_hidden_text() -> None:
    found = whole(r"Seen{\v  hidden\par} {\deleted gone\par}{\v\plain shown}\par {\revised added}")
    assert found.pages[0].text == "Seen shown\n\nadded"
    assert found.left_out == (LeftOut("hidden", "Hidden text"),)


def test_headings_and_lists() -> None:
    body = (
        r"\pard\s1 One\par\pard\s2 Two\par\pard\outlinelevel2 Three\par"
        r"{\listtext\pard\plain{\f3 \'b7}\tab}\pard first\par{\listtext\tab 2.\tab}\pard\ilvl1 second\par\pard body"
    )
    assert text(body) == "# One\n\n## Two\n\n### Three\n\n- first\n  2. second\n\nbody"


def test_tables_and_tables_within_tables() -> None:
    body = (
        r"\trowd\cellx1\cellx2\pard\intbl Boat\cell Berth\par at the pier\cell\row"
        r"\trowd\pard\intbl a{\footnote Note.}\cell\itap2 i\nestcell j\nestcell{\*\nesttableprops\trowd\nestrow}"
        r"{\nonesttables\par}\pard\intbl b\cell\row\pard After"
    )
    assert text(body) == "Boat | Berth at the pier\ni | j\na | b\n\n[Footnote 1: Note.]\n\nAfter"


def test_notes_boxes_headers_and_comments() -> None:
    body = (
        r"{\header Harbour office\par}{\headerf Harbour office}{\footer Page {\field{\*\fldinst PAGE}{\fldrslt 1}}}"
        r"Oiled{\super\chftn{\footnote{\super\chftn} Cold {\i pressed}.\par Twice.}} yearly{\footnote\ftnalt At the end.}"
        r"{\*\atnid AB}{\*\atnauthor Ann B}{\*\annotation{\*\atndate 1}Really?}"
        r"{\shp{\*\shpinst{\shptxt In the box\par}}}.\par Next"
    )
    assert text(body) == (
        "Oiled yearly.\n\n[Footnote 1: Cold pressed. Twice.]\n[Endnote 1: At the end.]\n[Comment by Ann B: Really?]\n\n"
        "In the box\n\nNext\n\n[Header: Harbour office]\n[Footer: Page 1]"
    )


def test_pictures_and_objects_are_named() -> None:
    found = whole(r"Text{\*\shppict{\pict\pngblip 89504e47}}{\nonshppict{\pict 00}}")
    assert (found.outcome, found.left_out) == ("read", (LeftOut("picture", ""),))
    found = whole(r"Text{\object\objemb{\*\objclass Excel.Sheet.8}{\*\objdata 00ff}{\result seen}}")
    assert (found.outcome, found.pages[0].text) == ("partial", "Textseen")
    assert found.left_out == (LeftOut("attachment", "Excel.Sheet.8", "unsupported_type"),)
    assert whole(r"Text{\object{\*\objclass Equation.3}{\result x}}").left_out == ()
    assert whole(r"{\pict 00}").outcome == "needs_ocr"
    assert whole(r"Text{\pict 00}{\*\objclass x}").left_out == (LeftOut("picture", ""),)
    assert text(r"{\*\unknown{\object words}{\*\ud words}}Text") == "Text"


def test_a_torn_file_gives_what_is_there_and_says_so() -> None:
    found = read(rb"{\rtf1\ansi One\par Tw", "a.rtf")
    assert (found.outcome, found.reason, found.pages[0].text) == ("partial", "damaged", "One\n\nTw")
    deep = read(rb"{\rtf1 One\par " + b"{" * 10**6, "a.rtf")
    assert (deep.outcome, deep.reason) == ("refused", "damaged") or deep.pages[0].text == "One"


def test_notes_within_notes_cost_no_more_than_their_text() -> None:
    said = text(r"{\footnote a" * 300 + "long " * 10 + "}" * 300)
    assert len(said) < 2000 and "long long" in said
