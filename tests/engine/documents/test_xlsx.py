# ruff: noqa: E501 (XML as it stands in files)
from __future__ import annotations

from engine.documents.reader import LeftOut
from tests.engine.documents.office_files import OFFICE, office, read

X = f'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{OFFICE}"'
STYLES = f"""<styleSheet {X}><numFmts count="1"><numFmt numFmtId="164" formatCode="[$-407]dd/mm/yyyy;@"/></numFmts>
<cellXfs><xf numFmtId="0"/><xf numFmtId="4"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="9"/><xf numFmtId="20"/></cellXfs></styleSheet>"""
STRINGS = f'<sst {X}><si><t>Boat</t></si><si><r><t>Plo</t></r><r><t>ver</t></r><rPh sb="0"><t>sound</t></rPh></si><si><t xml:space="preserve">two_x000D_\nlines</t></si></sst>'


def workbook(
    sheets: dict[str, str],
    states: dict[str, str] | None = None,
    properties: str = "",
    columns: str = "",
    **parts: str,
) -> bytes:
    """sheets: name -> what is in its sheetData. columns: the cols of each. parts: "styles", "sharedStrings", or "comments1" of the first sheet."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="s{n}"{(states or {}).get(name, "")}/>'
        for n, name in enumerate(names)
    )
    written: dict[str, str | bytes] = {
        "xl/workbook.xml": f"<workbook {X}>{properties}<sheets>{listed}</sheets></workbook>",
        **{
            f"xl/worksheets/sheet{n}.xml": f"<worksheet {X}><dimension ref='A1:A1'/>{columns}<sheetData>{sheets[name]}</sheetData></worksheet>"
            for n, name in enumerate(names)
        },
        **{f"xl/{name}.xml": content for name, content in parts.items()},
    }
    related = [(f"s{n}", "worksheet", f"worksheets/sheet{n}.xml") for n in range(len(names))]
    related += [(name, name, f"/xl/{name}.xml") for name in ("styles", "sharedStrings") if name in parts]
    found = {"xl/workbook.xml": related}
    if "comments1" in parts:
        found["xl/worksheets/sheet0.xml"] = [("c1", "comments", "../comments1.xml")]
    return office("xl/workbook.xml", written, found)


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def c(place: str, value: str, kind: str = "n", style: int = 0) -> str:
    return f'<c r="{place}" t="{kind}" s="{style}"><v>{value}</v></c>'


def inline(value: str) -> str:
    return f'<c t="inlineStr"><is><t>{value}</t></is></c>'


def test_cells_of_every_kind() -> None:
    data = (
        row(1, c("A1", "0", "s"), c("B1", "1", "s"), c("C1", "2", "s"), c("D1", "99", "s"))
        + row(
            2, c("A2", "1234.5", style=1), c("B2", "46085", style=2), c("C2", "46085", style=3), c("D2", "0.5", style=4)
        )
        + row(
            3,
            c("A3", "1", "b"),
            c("B3", "#REF!", "e"),
            c("C3", "sum of it", "str"),
            c("D3", "2026-03-04T00:00:00", "d"),
        )
        + row(4, inline("from"), inline("an exporter"), c("", "7", style=77))
        + row(5, c("B5", "0.25", style=5), '<c r="C5"><f>A1*2</f></c>', '<c r="D5"><f>A1</f><v>8</v></c>')
    )
    (page,) = read(workbook({"Boats": data}, styles=STYLES, sharedStrings=STRINGS)).pages
    assert page.text == (
        "Boat | Plover | two lines\n"
        "1,234.50 | 2026-03-04 | 2026-03-04 | 50%\n"
        "TRUE | #REF! | sum of it | 2026-03-04\n"
        "from | an exporter | 7\n"
        " | 06:00 | =A1*2 | 8"
    )


def test_sheets_stand_in_the_workbook_s_order_and_hidden_ones_are_said() -> None:
    sheets = {
        "O&apos;Hara &amp; Co": row(1, c("A1", "1")),
        "Lists": row(1, c("A1", "2")),
        "Empty": "",
        "Last": row(1, c("A1", "3")),
    }
    found = read(workbook(sheets, {"Lists": ' state="veryHidden"'}))
    assert [(page.number, page.label, page.outcome, page.text) for page in found.pages] == [
        (1, "O'Hara & Co", "read", "1"),
        (2, "Empty", "blank", ""),
        (3, "Last", "read", "3"),
    ]
    assert (found.outcome, found.page_count, found.left_out) == ("read", 3, (LeftOut("hidden", "Lists"),))


def test_hidden_rows_and_columns_are_read_and_said() -> None:
    columns = '<cols><col min="1" max="1" width="9"/><col min="2" max="3" hidden="1"/></cols>'
    filtered = row(2, c("B2", "9"), c("C2", "1")).replace("<row", '<row hidden="1"')
    data = row(1, inline("Boat"), inline("Cost"), inline("Tax"), inline("Due")) + filtered + row(3, c("A3", "4"))
    (page,) = read(workbook({"A": data}, columns=columns)).pages
    assert page.text == "Boat | [hidden column] Cost | [hidden column] Tax | Due\n[hidden row] | 9 | 1\n4"


def test_the_number_of_a_row_may_be_nonsense() -> None:
    data = '<row r="{}"><c><v>1</v></c></row><row r="x"><c><v>2</v></c></row>'.format("9" * 5000)
    assert read(workbook({"A": data})).pages[0].text.split() == ["1", "2"]


def test_a_struck_cell_is_said_to_be() -> None:
    fonts = "<fonts><font/><font><strike/></font><font><strike val='0'/></font></fonts>"
    formats = "".join(f'<xf numFmtId="0" fontId="{number}"/>' for number in (0, 1, 2, 9))
    styles = f"<styleSheet {X}>{fonts}<cellXfs>{formats}</cellXfs></styleSheet>"
    data = row(1, *(c("", "8", style=number) for number in range(4)))
    assert read(workbook({"A": data}, styles=styles)).pages[0].text == "8 | ~~8~~ | 8 | 8"


def test_dates_of_the_other_system() -> None:
    data = workbook({"A": row(1, c("A1", "44623", style=2))}, properties='<workbookPr date1904="1"/>', styles=STYLES)
    assert read(data).pages[0].text == "2026-03-04"


def test_a_cell_far_away_costs_little_and_gaps_part_tables() -> None:
    data = (
        row(1, c("A1", "1"), c("XFD1", "2"))
        + row(2, c("A2", "3"))
        + row(9, c("A9", "4"))
        + row(1048576, c("A1048576", "5"))
    )
    text = read(workbook({"A": data})).pages[0].text
    assert text.replace(" ", "").replace("|", "") == "12\n3\n\n4\n\n5" and len(text) < 150


def test_a_row_s_number_may_have_any_length() -> None:
    data = (
        row(1, c("A1", "1")) + f'<row r="{"9" * 5000}">{c("A2", "2")}</row>' + '<row r="x">' + c("A3", "3") + "</row>"
    )
    assert read(workbook({"A": data})).pages[0].text == "1\n\n2\n3"


def test_comments_on_cells() -> None:
    comments = f'<comments {X}><commentList><comment ref="B2"><text><r><t>Check </t></r><r><t>this</t></r></text></comment></commentList></comments>'
    assert (
        read(workbook({"A": row(1, c("A1", "1"))}, comments1=comments)).pages[0].text
        == "1\n\n[Comment on B2: Check this]"
    )


def test_a_damaged_sheet_takes_no_other_with_it() -> None:
    good = "".join(row(number, c(f"A{number}", str(number))) for number in range(1, 4))
    found = read(workbook({"Good": good, "Torn": good + "</wrong>", "Lost": "</wrong>"}))
    assert [(page.outcome, page.reason) for page in found.pages] == [
        ("read", None),
        ("read", "damaged"),
        ("failed", "damaged"),
    ]
    assert (found.outcome, found.reason, found.pages[1].text) == ("partial", "damaged", "1\n2\n3")


def test_one_long_string_named_a_million_times_is_no_million_strings() -> None:
    strings = f"<sst {X}><si><t>{'long ' * 60000}</t></si></sst>"
    cells = "".join(row(number, c("", "0", "s")) for number in range(1, 1000))
    found = read(workbook({"A": cells}, sharedStrings=strings))
    assert sum(len(page.text) for page in found.pages) <= 64 * 2**20
    assert found.reason == "too_large_unpacked"
