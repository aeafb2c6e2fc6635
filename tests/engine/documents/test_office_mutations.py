# ruff: noqa: E501 (XML as it stands in files)
"""Whatever happens to a good Office file, reading it ends in an outcome."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.documents import test_docx, test_opendocument, test_pptx, test_xlsx
from tests.engine.documents.office_files import docx, read, zipped

p, r = test_docx.p, test_docx.r
WORD = docx(
    p(r("Head"), '<w:pStyle w:val="berschrift1"/><w:outlineLvl w:val="1"/>')
    + test_docx.listed("item", 1, 1)
    + p(
        r("Text")
        + test_docx.box(p(r("box")))
        + test_docx.REFERENCES
        + '<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>'
    )
    + "<w:tbl>"
    + test_docx.row('<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>' + p(r("a")), p(r("b")))
    + "</w:tbl>"
    + '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><m:oMath><m:f><m:num/><m:den/></m:f></m:oMath></w:p>',
    {"s": ("styles", test_docx.STYLES), "n": ("numbering", test_docx.NUMBERING), **test_docx.NOTES},
)
SLIDES = test_pptx.deck(
    [
        test_pptx.shape("One", test_pptx.TITLE)
        + test_pptx.shape("Body", 'idx="1"', (1, 2, 3, 4))
        + test_pptx.shape("x", place=(5, 6, 7, 8)),
        test_pptx.shape("Two"),
    ]
)
BOOK = test_xlsx.workbook(
    {"A": test_xlsx.row(1, test_xlsx.c("A1", "0", "s"), test_xlsx.c("B1", "46085.5", style=3), test_xlsx.c("C1", "1", "b")), "B": ""},
    properties='<workbookPr date1904="0"/>', styles=test_xlsx.STYLES, sharedStrings=test_xlsx.STRINGS,
)  # fmt: skip
TEXT = test_opendocument.odf(
    "odt",
    '<text:h text:outline-level="1">Head</text:h>' + test_opendocument.p(f'a<text:s text:c="2"/>b{test_opendocument.NOTE}{test_opendocument.COMMENT}')
    + f'<text:list text:style-name="L1"><text:list-item text:start-value="3">{test_opendocument.p("item")}</text:list-item></text:list>'
    + test_opendocument.sheet("t", test_opendocument.row(test_opendocument.cell("a"), test_opendocument.cell("b"), times=2)),
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" text:display-levels="1"/></text:list-style>',
)  # fmt: skip
TABLE = test_opendocument.odf(
    "ods",
    test_opendocument.sheet("A", test_opendocument.row(test_opendocument.cell("x", 'office:value-type="date" office:date-value="2026-03-04" table:number-columns-repeated="2"'), times=2))
    + test_opendocument.sheet("B", test_opendocument.row(test_opendocument.cell("y"))),
)  # fmt: skip
OTHER_SLIDES = test_opendocument.odf(
    "odp",
    '<draw:page draw:name="page1">'
    + f'<draw:frame presentation:class="title" svg:x="1cm" svg:y="2cm"><draw:text-box>{test_opendocument.p("One")}</draw:text-box></draw:frame>'
    + f"<draw:g><draw:custom-shape>{test_opendocument.p('shape')}</draw:custom-shape></draw:g>"
    + f"<presentation:notes><draw:frame><draw:text-box>{test_opendocument.p('said')}</draw:text-box></draw:frame></presentation:notes></draw:page>",
)
RICH_TEXT = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset128 B;}{\f2\fcharset2 Symbol;}}{\stylesheet{\s1 heading 1;}}"
    rb"\s1 One\par{\listtext 1.\tab}item\par\uc1\u8239?x{\f1\'93\'fa}{\f2\'61}{\footnote note}\trowd\intbl a\cell b\cell\row\bin3 abc{\*\shpinst{\shptxt box}}}"
)
PACKAGES = {"a.docx": WORD, "a.pptx": SLIDES, "a.xlsx": BOOK, "a.odt": TEXT, "a.ods": TABLE, "a.odp": OTHER_SLIDES}
PIECE = re.compile(rb'<[^<>]+>|"[^"<>]*"|[^<>"]+')
INSTEAD = [
    b"",
    b'"-1"',
    b'"0"',
    b'"99999999999999999999"',
    b'"1e999"',
    b'"NaN"',
    b'"\xc2\xb2"',
    b"<w:p>",
    b"</w:p>",
    b"<",
    b"&amp;",
    b"&#0;",
    b"\0",
    b"\xff",
    b"9" * 400,
]


def changed(data: st.DataObject, content: bytes) -> bytes:
    """With pieces lost, doubled, swapped, or with others in their place."""
    pieces = PIECE.findall(content)
    for _ in range(data.draw(st.integers(1, 4))):
        if not pieces:
            break
        place, other = data.draw(st.integers(0, len(pieces) - 1)), data.draw(st.integers(0, len(pieces) - 1))
        match data.draw(st.sampled_from(["instead", "double", "swap", "cut", "many"])):
            case "instead":
                pieces[place] = data.draw(st.sampled_from(INSTEAD))
            case "double":
                pieces.insert(place, pieces[other])
            case "swap":
                pieces[place], pieces[other] = pieces[other], pieces[place]
            case "many":
                pieces[place] *= 50 if len(pieces[place]) < 10_000 else 1
            case "cut":
                del pieces[place:]
    return b"".join(pieces)


@pytest.mark.parametrize("name", PACKAGES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_changed_part_gives_an_outcome(name: str, data: st.DataObject) -> None:
    with zipfile.ZipFile(BytesIO(PACKAGES[name])) as archive:
        parts: dict[str, str | bytes] = {part: archive.read(part) for part in archive.namelist()}
    part = data.draw(st.sampled_from(sorted(parts)))
    if data.draw(st.booleans()):
        parts[part] = changed(data, bytes(archive_part) if isinstance(archive_part := parts[part], bytes) else b"")
    else:
        del parts[part]
    found = read(zipped(parts), name)
    assert found.outcome in ("read", "partial", "needs_ocr", "needs_password", "refused")
    for page in found.pages:
        page.text.encode()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_changed_rich_text_gives_an_outcome(data: st.DataObject) -> None:
    content = bytearray(RICH_TEXT)
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 6))] = data.draw(
            st.sampled_from(
                [
                    b"",
                    b"{",
                    b"}",
                    b"\\",
                    b"\\'",
                    b"\\u-1 ",
                    b"\\u99999 ",
                    b"\\bin9999 ",
                    b"\\f7 ",
                    b"\\uc99999 ",
                    b"\\cell ",
                    b"\\row ",
                    b"\xff",
                ]
            )
        )
    found = read(bytes(content), "a.rtf")
    for page in found.pages:
        page.text.encode()


@pytest.mark.parametrize("name", PACKAGES)
def test_the_good_files_are_read_whole(name: str) -> None:
    assert read(PACKAGES[name], name).outcome == "read"
    assert read(RICH_TEXT, "a.rtf").outcome == "read"
