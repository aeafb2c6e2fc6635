# ruff: noqa: E501 (XML as it stands in files)
from __future__ import annotations

from engine.documents.reader import LeftOut
from tests.engine.documents.office_files import read, text, zipped

OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
NAMES = " ".join(
    f'xmlns:{name}="{OASIS}{name}:1.0"'
    for name in ("office", "text", "table", "style", "chart", "presentation", "manifest")
)
N = (
    f'{NAMES} xmlns:draw="{OASIS}drawing:1.0" xmlns:svg="{OASIS}svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:math="http://www.w3.org/1998/Math/MathML"'
)
KINDS = {"odt": "text", "ods": "spreadsheet", "odp": "presentation"}


def odf(kind: str, body: str, automatic: str = "", styles: str = "", **parts: str) -> bytes:
    name = KINDS[kind]
    return zipped({
        "mimetype": f"application/vnd.oasis.opendocument.{name}",
        "content.xml": f"<office:document-content {N}><office:automatic-styles>{automatic}</office:automatic-styles><office:body><office:{name}>{body}</office:{name}></office:body></office:document-content>",
        "styles.xml": f"<office:document-styles {N}>{styles}</office:document-styles>",
        **{part.replace("__", "/"): content for part, content in parts.items()},
    })  # fmt: skip


def p(inner: str, attributes: str = "") -> str:
    return f"<text:p {attributes}>{inner}</text:p>"


def test_headings_titles_and_signs() -> None:
    styles = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    body = (
        p("Rules", 'text:style-name="P1"')
        + '<text:h text:outline-level="2">Two</text:h>'
        + p(
            'a<text:s text:c="999999999"/>b<text:tab/>c<text:line-break/>d <text:span>in <text:a>link</text:a></text:span> after'
        )
        + p("<text:ruby><text:ruby-base>base</text:ruby-base><text:ruby-text>sound</text:ruby-text></text:ruby> end")
    )
    assert text(odf("odt", body, styles)) == "# Rules\n\n## Two\n\na b c\nd in link after\n\nbase end"


def test_chapter_numbers_are_counted() -> None:
    outline = "".join(
        f'<text:outline-level-style text:level="{n}" style:num-format="1" text:display-levels="{n}"/>' for n in (1, 2)
    )
    body = "".join(
        f'<text:h text:outline-level="{level}">{said}</text:h>'
        for level, said in ((1, "a"), (2, "b"), (2, "c"), (1, "d"), (2, "e"), (3, "f"))
    )
    said = text(
        odf("odt", body, styles=f"<office:styles><text:outline-style>{outline}</text:outline-style></office:styles>")
    )
    assert said == "# 1 a\n\n## 1.1 b\n\n## 1.2 c\n\n# 2 d\n\n## 2.1 e\n\n### f"


def test_lists() -> None:
    levels = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
        '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>'
        '<text:list-style style:name="L2"><text:list-level-style-bullet text:level="1"/></text:list-style>'
    )

    def item(*inner: str) -> str:
        return f"<text:list-item>{''.join(inner)}</text:list-item>"

    inner = f"<text:list>{item(p('deep'))}{item(p('deeper'))}</text:list>"
    body = (
        f'<text:list text:style-name="L1">{item(p("one"), p("more of one"))}{item(p("two"), inner)}</text:list>'
        f'<text:list text:style-name="L1" text:continue-numbering="true">{item(p("three"))}</text:list>'
        f'<text:list text:style-name="L2">{item(p("dot"))}</text:list>'
    )
    assert text(odf("odt", body, levels)) == "1. one\n\nmore of one\n\n2. two\n  a) deep\n  b) deeper\n3. three\n- dot"


def test_each_number_of_a_clause_has_its_own_form() -> None:
    levels = "".join(
        f'<text:list-level-style-number text:level="{n}" style:num-format="{form}" text:display-levels="{n}"/>'
        for n, form in enumerate("11a", 1)
    )
    inner = "<text:list><text:list-item>{}</text:list-item></text:list>"
    deep = inner.format(p("b") + inner.format(p("c")))
    body = f'<text:list text:style-name="L1"><text:list-item>{p("a")}{deep}</text:list-item></text:list>'
    said = text(odf("odt", body, f'<text:list-style style:name="L1">{levels}</text:list-style>'))
    assert said == "1 a\n  1.1 b\n    1.1.a c"


def test_a_clause_goes_on_after_a_paragraph_of_its_own() -> None:
    levels = "".join(
        f'<text:list-level-style-number text:level="{n}" style:num-format="1" text:display-levels="{n}"/>'
        for n in (1, 2)
    )

    def listed(inner: str, attributes: str = "") -> str:
        return f'<text:list text:style-name="L1" {attributes}>{inner}</text:list>'

    def item(inner: str) -> str:
        return f"<text:list-item>{inner}</text:list-item>"

    on = 'text:continue-numbering="true"'
    body = (
        listed(item(p("a") + f"<text:list>{item(p('b'))}</text:list>"))
        + p("between")
        + listed(item(f"<text:list>{item(p('c'))}{item(p('d'))}</text:list>") + item(p("e")), on)
        + listed(item(f"<text:list>{item(p('f'))}</text:list>"))
    )
    said = text(odf("odt", body, f'<text:list-style style:name="L1">{levels}</text:list-style>'))
    assert said == "1 a\n  1.1 b\n\nbetween\n\n  1.2 c\n  1.3 d\n2 e\n  1.1 f"


def test_a_cell_that_stands_for_several_makes_a_row() -> None:
    twice = '<table:table-cell table:number-columns-repeated="2"><text:p>c</text:p></table:table-cell>'
    assert text(odf("odt", f"<table:table><table:table-row>{twice}</table:table-row></table:table>")) == "c | c"


def test_deleted_and_hidden_text() -> None:
    hidden = (
        '<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style>'
    )
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region></text:tracked-changes>"
        + p(
            'Seen<text:change text:change-id="1"/><text:span text:style-name="T1"> hidden</text:span> text<text:hidden-text> too</text:hidden-text>.'
        )
        + f'<text:section text:display="none">{p("no section")}</text:section><text:section>{p("a section")}</text:section>'
    )
    found = read(odf("odt", body, hidden))
    assert (found.outcome, found.pages[0].text) == ("read", "Seen text.\n\na section")
    assert found.left_out == (LeftOut("hidden", "Hidden text"),)


NOTE = '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p><text:p>Its end.</text:p></text:note-body></text:note>'
COMMENT = "<office:annotation><dc:creator>Ann B</dc:creator><dc:date>2026</dc:date><text:p>Really?</text:p></office:annotation>"


def test_notes_tables_boxes_and_pictures() -> None:
    box = f"<draw:frame><draw:text-box>{p('In the box')}</draw:text-box></draw:frame>"
    picture = '<draw:frame draw:name="Image1"><draw:image/><svg:desc>A boat</svg:desc></draw:frame>'

    def row(*cells: str) -> str:
        return f"<table:table-row>{''.join(f'<table:table-cell>{cell}</table:table-cell>' for cell in cells)}</table:table-row>"

    inner = f"<table:table>{row(p('i'), p('j'))}</table:table>"
    table = (
        f'<table:table><table:table-column table:number-columns-repeated="2"/><table:table-header-rows>{row(p("Boat"), p("Berth"))}</table:table-header-rows>'
        f"{row(p('Plover' + NOTE), p('B2') + p('pier'))}"
        '<table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>wide</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table>'
    )
    body = (
        p(f"Oiled{NOTE}{COMMENT} yearly{box}{picture}.")
        + table
        + f"<table:table>{row(p('Label'), inner)}</table:table>"
    )
    found = read(odf("odt", body))
    assert found.pages[0].text == (
        "Oiled yearly.\n\nIn the box\n\n[Footnote 1: A note. Its end.]\n[Comment by Ann B: Really?]\n\n"
        "Boat | Berth\nPlover | B2 pier\nwide |\n\n[Footnote 2: A note. Its end.]\n\nLabel\n\ni | j"
    )
    assert found.left_out == (LeftOut("picture", "A boat"),)


def test_headers_and_footers_stand_once_at_the_end() -> None:
    def master(name: str) -> str:
        return f'<style:master-page style:name="{name}"><style:header>{p("Harbour office")}</style:header><style:footer>{p("Page <text:page-number>1</text:page-number>")}</style:footer></style:master-page>'

    styles = f"<office:master-styles>{master('a')}{master('b')}</office:master-styles>"
    assert text(odf("odt", p("Text"), styles=styles)) == "Text\n\n[Header: Harbour office]\n[Footer: Page 1]"


def test_charts_and_formulas_in_objects() -> None:
    def frame(number: int) -> str:
        return f'<draw:frame><draw:object xlink:href="./Object {number}"/><draw:image/></draw:frame>'

    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    chart = f"<office:document-content {N}><chart:chart><chart:title><text:p>Catch</text:p></chart:title><table:table><table:table-rows><table:table-row>{cell.format('May')}{cell.format('4')}</table:table-row></table:table-rows></table:table></chart:chart></office:document-content>"
    formula = f"<math:math {N}><math:semantics><math:mi>x</math:mi><math:annotation>x^2</math:annotation></math:semantics></math:math>"
    parts = {"Object 1__content.xml": chart, "Object 2__content.xml": formula}
    found = read(odf("odt", p(f"See {frame(2)} and{frame(1)}"), **parts))
    assert (found.outcome, found.pages[0].text) == ("read", "See x^2 and\n\nChart: Catch\n\nMay | 4")
    found = read(odf("odt", p(f"See {frame(3)}")))
    assert (found.outcome, found.left_out) == ("partial", (LeftOut("attachment", "", "unsupported_type"),))


def test_a_locked_file_asks_for_its_password() -> None:
    manifest = f'<manifest:manifest {N}><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
    found = read(odf("odt", p("x"), **{"META-INF__manifest.xml": manifest}))
    assert (found.outcome, found.reason) == ("needs_password", "encrypted")


def cell(said: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}>{p(said) if said else ''}</table:table-cell>"


def row(*cells: str, times: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'


def sheet(name: str, *rows: str, attributes: str = "") -> str:
    return f'<table:table table:name="{name}" {attributes}>{"".join(rows)}</table:table>'


def test_sheets_with_what_they_show() -> None:
    hidden = '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>'
    body = (
        sheet(
            "It's",
            row(cell("Boat"), cell("3,20 \u20ac", 'office:value-type="currency" office:value="3.2"'), cell("")),
            row(
                cell("04.03.26", 'office:value-type="date" office:date-value="2026-03-04T00:00:00"'),
                cell("x", 'office:value-type="time" office:time-value="PT14H05M00S"'),
            ),
            row(cell("", 'table:number-columns-repeated="16384"'), times=1048576),
            row(cell("after"), cell("", 'office:value-type="float" office:value="7"')),
        )
        + sheet("Lists", row(cell("hidden")), attributes='table:style-name="ta2"')
        + sheet("Empty")
    )
    found = read(odf("ods", body, hidden))
    assert [(page.number, page.label, page.outcome, page.text) for page in found.pages] == [
        (1, "It's", "read", "Boat | 3,20 \u20ac\n2026-03-04 | 14:05\n\nafter | 7"),
        (2, "Empty", "blank", ""),
    ]
    assert (found.page_count, found.left_out) == (2, (LeftOut("hidden", "Lists"),))


def test_cells_that_say_only_their_value() -> None:
    def valued(kind: str, attributes: str, said: str = "") -> str:
        return cell(said, f'office:value-type="{kind}" {attributes}')

    found = row(
        valued("percentage", 'office:value="0.256"'),
        valued("boolean", 'office:boolean-value="false"'),
        valued("currency", 'office:value="-5.5" office:currency="EUR"'),
        valued("time", 'office:time-value="PT30H04M59.9999999S"', "30:05"),
        valued("time", 'office:time-value="-PT01H05M00S"'),
        valued("time", 'office:time-value="PT00H00M01.5S"', "00:01,50"),
        cell("", 'table:formula="of:=SUM([.A1])"'),
    )
    (page,) = read(odf("ods", sheet("A", found))).pages
    assert page.text == "25.6% | FALSE | -5.5 EUR | 30:05 | -01:05 | 00:00:01.500 | =SUM([.A1])"


def test_hidden_rows_and_columns_are_read_and_said() -> None:
    columns = '<table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>'
    head = row(cell("Boat"), cell("Cost"), cell("Tax"), cell("Due"))
    filtered = row(cell(""), cell("9"), cell("1")).replace(
        "<table:table-row", '<table:table-row table:visibility="filter"'
    )
    (page,) = read(odf("ods", sheet("A", columns, head, filtered, row(cell("x"), cell("8"))))).pages
    assert page.text == "Boat | [hidden column] Cost | [hidden column] Tax | Due\n[hidden row] | 9 | 1\nx | 8"


def test_repeated_cells_and_rows_are_bounded_and_said() -> None:
    found = read(
        odf(
            "ods", sheet("A", row(cell("9", 'table:number-columns-repeated="3"'), times=2), row(cell("7"), times=10**9))
        )
    )
    said = found.pages[0].text
    assert said.startswith("9 | 9 | 9\n9 | 9 | 9\n7\n7") and said.count("7") == 1000
    assert said.endswith("[The row above stands there 1000000000 times in all.]")
    wide = row(cell("9" * 100, 'table:number-columns-repeated="999999"'), times=10**9)
    found = read(odf("ods", sheet("A", wide) + sheet("B", row(cell("b")))))
    assert [(page.outcome, page.reason) for page in found.pages] == [("read", "too_large_unpacked"), ("read", None)]


def test_a_damaged_spreadsheet_keeps_the_sheets_before() -> None:
    data = odf("ods", sheet("A", row(cell("one"))) + sheet("B", row(cell("two"))) + "</wrong>")
    found = read(data)
    assert [(page.label, page.outcome, page.reason) for page in found.pages] == [
        ("A", "read", None),
        ("B", "read", "damaged"),
    ]


def test_slides() -> None:
    def frame(said: str, attributes: str = "") -> str:
        return f"<draw:frame {attributes}><draw:text-box>{p(said)}</draw:text-box></draw:frame>"

    title = 'presentation:class="title"'
    notes = frame("Say it slowly.", 'presentation:class="notes"') + frame("1", 'presentation:class="page-number"')
    notes = f"<presentation:notes>{notes}{frame('And stay calm.')}</presentation:notes>"
    hidden = '<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    places = 'svg:x="{}cm" svg:y="{}cm" svg:width="2cm" svg:height="1cm"'
    body = (
        '<draw:page draw:name="page1">'
        + frame("below", places.format(1, 5))
        + frame("One", title)
        + frame("above", places.format(1, 2))
        + notes
        + "</draw:page>"
        '<draw:page draw:name="Extra" draw:style-name="dp2">'
        + f"<draw:custom-shape>{p('shape')}</draw:custom-shape><draw:g>{frame('grouped')}</draw:g>"
        + "</draw:page>"
        '<draw:page draw:name="page3"><draw:frame><draw:image/></draw:frame></draw:page>'
    )
    found = read(odf("odp", body, hidden))
    assert [(page.label, page.outcome, page.text) for page in found.pages] == [
        ("One", "read", "# One\n\nabove\n\nbelow\n\nNotes: Say it slowly.\nAnd stay calm."),
        ("Extra (hidden)", "read", "shape\n\ngrouped"),
        (None, "needs_ocr", ""),
    ]
