# ruff: noqa: E501 (XML as it stands in files)
from __future__ import annotations

import pytest

from engine.documents.reader import LeftOut
from tests.engine.documents.office_files import W, docx, read, text


def p(inner: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def r(said: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{said}</w:t></w:r>"


def style(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr>{properties}{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr>"


def box(inner: str) -> str:
    """As Word writes it: once for programs of today, once for those of before 2010."""
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><wp:docPr id="1" name="Box"/>'
        f"<a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx></wps:wsp>"
        "</a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>"
        f"<w:txbxContent>{inner}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )


STYLES = f"""<w:styles {W}>
<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="Deep"><w:name w:val="Deep"/><w:basedOn w:val="Outlined"/></w:style>
<w:style w:styleId="Outlined"><w:name w:val="Outlined"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>
<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>
<w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>
</w:styles>"""


def test_headings_by_style_by_what_it_is_based_on_and_by_their_own_level() -> None:
    body = (
        p(r("Rules"), style("Titel"))
        + p(r("One"), style("berschrift1"))
        + p(r("Three"), style("Deep"))
        + p(r("Own"), '<w:outlineLvl w:val="1"/>')
        + p(r("Body"), style("Outlined") + '<w:outlineLvl w:val="9"/>')
        + p(r("Round"), style("Loop"))
    )
    said = text(docx(body, {"s": ("styles", STYLES)}))
    assert said == "# Rules\n\n# One\n\n### Three\n\n## Own\n\nBody\n\nRound"


NUMBERING = f"""<w:numbering {W}>
<w:abstractNum w:abstractNumId="7">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="8">
<w:lvl w:ilvl="0"><w:numFmt w:val="upperRoman"/><w:lvlText w:val="Article %1"/><w:pStyle w:val="Clause"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="9"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="10"><w:styleLink w:val="Legal"/>
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:isLgl/><w:lvlText w:val="%1.%2.%3"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="11"><w:numStyleLink w:val="Legal"/></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
<w:num w:numId="5"><w:abstractNumId w:val="11"/></w:num>
<w:num w:numId="6"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="3"/>
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%1)"/></w:lvl></w:lvlOverride></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="9"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="7"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
</w:numbering>"""


def listed(said: str, number: int, level: int = 0) -> str:
    return p(r(said), f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def test_numbers_of_lists_are_counted() -> None:
    body = (
        "".join(listed(said, 1, level) for said, level in (("a", 0), ("b", 1), ("c", 1), ("d", 0), ("e", 1)))
        + listed("f", 4)
        + listed("g", 3)
        + p(r("h"), style("Clause"))
        + p(r("i"), style("Clause"))
        + listed("j", 99)
    )
    said = text(docx(body, {"s": ("styles", STYLES), "n": ("numbering", NUMBERING)}))
    assert said == ("1. a\n  1.a) b\n  1.b) c\n2. d\n  2.a) e\n5. f\n- g\nArticle I h\nArticle II i\n\nj")


def test_a_list_may_take_another_s_levels_or_change_one() -> None:
    body = "".join(listed(said, 5, level) for said, level in (("a", 0), ("b", 1), ("c", 2), ("d", 1), ("e", 0)))
    said = text(docx(body + listed("f", 6) + listed("g", 6), {"n": ("numbering", NUMBERING)}))
    assert said == "I. a\n  I.1 b\n    1.1.1 c\n  I.2 d\nII. e\n(c) f\n(d) g"


def test_a_deleted_paragraph_has_no_number() -> None:
    gone = '<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:del w:id="2"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>'
    assert text(docx(listed("a", 1) + gone + listed("b", 1), {"n": ("numbering", NUMBERING)})) == "1. a\n2. b"


def test_words_drawn_across_the_page_are_read() -> None:
    drawn = '<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>'
    body = p(r("Text.")) + '<w:sectPr><w:headerReference w:type="default" r:id="h"/></w:sectPr>'
    assert text(docx(body, {"h": ("header", f"<w:hdr {W}>{p(drawn)}</w:hdr>")})) == "Text.\n\n[Header: DRAFT]"


def test_insertions_are_text_and_deletions_are_not() -> None:
    moved = f'<w:moveFrom w:id="3">{r("gone ")}</w:moveFrom><w:moveTo w:id="4">{r("here ")}</w:moveTo>'
    deleted = '<w:del w:id="2"><w:r><w:delText>was </w:delText></w:r></w:del>'
    body = (
        p(r("It ") + f'<w:ins w:id="1">{r("is ")}</w:ins>' + deleted + moved + r("now."))
        + p(r("First half, "), '<w:rPr><w:del w:id="5"/></w:rPr>')
        + p(r("second half."))
        + f"<w:tbl>{row(p(r('a')), p(r('b')))}{row(p(r('x')), p(r('y')), properties='<w:trPr><w:del/></w:trPr>')}</w:tbl>"
    )
    assert text(docx(body)) == "It is here now.\n\nFirst half, second half.\n\na | b"


def test_signs_that_are_no_letters() -> None:
    inner = (
        "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t><w:softHyphen/><w:t>d</w:t><w:br/>"
        '<w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Arial" w:char="41"/></w:r>'
    )
    assert text(docx(p(inner))) == "a b-cd\n\u03b1\u2713A"


def test_of_a_field_its_result_is_read() -> None:
    def mark(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    code = "<w:r><w:instrText> IF </w:instrText></w:r>"
    nested = mark("begin") + code + mark("separate") + r("inner result") + mark("end")
    body = (
        p(mark("begin") + code + nested + mark("separate") + r("outer") + mark("end") + r(" after"))
        + p(mark("begin") + code + r("unfinished"))
        + p(r("goes on") + mark("end"))
        + p('<w:fldSimple w:instr="DATE">' + r("4 May") + "</w:fldSimple>")
        + p('<w:hyperlink r:id="x">' + r("the rules") + "</w:hyperlink>")
        + p(
            '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>'
            "</w:fldChar></w:r>" + mark("end") + r(" agreed")
        )
    )
    assert text(docx(body)) == "outer after\n\ngoes on\n\n4 May\n\nthe rules\n\n\u2612 agreed"


def test_a_text_box_is_read_once_after_its_paragraph() -> None:
    said = text(docx(p(r("Before") + box(p(r("In the box"))) + r(" and after.")) + p(r("Next"))))
    assert said == "Before and after.\n\nIn the box\n\nNext"
    older = f"<w:r><w:pict><v:textbox><w:txbxContent>{p(r('Old box'))}</w:txbxContent></v:textbox></w:pict></w:r>"
    assert text(docx(p(older))) == "Old box"


NOTES = {
    "f": ("footnotes", f'<w:footnotes {W}><w:footnote w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
                       f'<w:footnote w:id="2">{p(r("A note."))}{p(r("Its end."))}</w:footnote></w:footnotes>'),
    "e": ("endnotes", f'<w:endnotes {W}><w:endnote w:id="2">{p(r("An endnote."))}</w:endnote></w:endnotes>'),
    "k": ("comments", f'<w:comments {W}><w:comment w:id="2" w:author="Ann  B">{p(r("Really?"))}</w:comment></w:comments>'),
}  # fmt: skip
REFERENCES = "".join(f'<w:r><w:{kind}Reference w:id="2"/></w:r>' for kind in ("footnote", "endnote", "comment"))


def test_notes_stand_after_their_paragraph_or_table() -> None:
    after = "[Footnote 1: A note. Its end.]\n[Endnote 1: An endnote.]\n[Comment by Ann B: Really?]"
    assert (
        text(docx(p(r("Oiled") + REFERENCES + r(" yearly.")) + p(r("Next")), NOTES))
        == f"Oiled yearly.\n\n{after}\n\nNext"
    )
    table = f"<w:tbl>{row(p(r('a') + REFERENCES), p(r('b')))}{row(p(r('c')), p(r('d')))}</w:tbl>"
    assert text(docx(table, NOTES)) == f"a | b\nc | d\n\n{after}"


def test_lost_notes_are_said() -> None:
    broken = {"f": ("footnotes", NOTES["f"][1][:-5])}
    found = read(docx(p(r("Text") + REFERENCES), broken))
    assert (found.outcome, found.reason, found.pages[0].text) == (
        "partial",
        "damaged",
        "Text\n\n[Footnote 1: A note. Its end.]",
    )


def test_tables_with_merged_cells_and_tables_within_tables() -> None:
    wide, down = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>', "<w:tcPr><w:vMerge/></w:tcPr>"
    top = '<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>'
    inner = f"<w:tbl>{row(p(r('i')), p(r('j')))}</w:tbl>"
    body = (
        "<w:tbl>"
        + row(wide + p(r("Both")), p(r("Third")))
        + row(top + p(r("Tall")), p(r("1")) + p(r("2")), p(r("x")))
        + row(down + p(""), p(r("3")), f"<w:sdt><w:sdtContent>{p(r('y'))}</w:sdtContent></w:sdt>")
        + "</w:tbl>"
        + f"<w:tbl>{row(p(r('Label')), inner + p(''))}</w:tbl>"
        + f"<w:tbl>{row(p(r('Alone'), style('berschrift1')) + p(r('in a frame')))}</w:tbl>"
        + f'<w:tbl><w:tr><w:trPr><w:gridBefore w:val="999999999"/></w:trPr><w:tc>{p(r("far"))}</w:tc><w:tc>{p("")}</w:tc></w:tr></w:tbl>'
    )
    said = text(docx(body, {"s": ("styles", STYLES)}))
    assert said.startswith("Both |  | Third\nTall | 1 2 | x\n | 3 | y\n\nLabel\n\ni | j\n\n# Alone\n\nin a frame\n\n")
    assert len(said) < 400 and "far" in said


def test_hidden_text_is_left_out_and_said() -> None:
    body = p(r("Seen") + r(" hidden", "<w:vanish/>") + r(" by style", '<w:rStyle w:val="Secret"/>')
             + r(" shown", '<w:rStyle w:val="Secret"/><w:vanish w:val="0"/>')) + p(r("more", "<w:vanish/>"))  # fmt: skip
    found = read(docx(body, {"s": ("styles", STYLES)}))
    assert (found.outcome, found.pages[0].text) == ("read", "Seen shown")
    assert found.left_out == (LeftOut("hidden", "Hidden text"),)


def test_pictures_and_objects_are_named() -> None:
    picture = (
        '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="A boat"/><a:graphic><a:graphicData>'
        "<pic:pic/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )
    thing = '<w:r><w:object><o:OLEObject ProgID="{}"/></w:object></w:r>'
    found = read(docx(p(r("Text") + picture)))
    assert (found.outcome, found.left_out) == ("read", (LeftOut("picture", "A boat"),))
    found = read(docx(p(r("Text") + thing.format("Excel.Sheet.12") + thing.format("Equation.3"))))
    assert (found.outcome, found.left_out) == (
        "partial",
        (LeftOut("attachment", "Excel.Sheet.12", "unsupported_type"),),
    )
    assert (read(docx(p(picture))).outcome, read(docx(p(""))).reason) == ("needs_ocr", "no_text")


def test_headers_and_footers_stand_once_at_the_end() -> None:
    def part(tag: str, said: str) -> str:
        return f"<w:{tag} {W}>{p(r(said))}</w:{tag}>"

    extra = {
        "h1": ("header", part("hdr", "Harbour office")),
        "h2": ("header", part("hdr", "Harbour office")),
        "h3": ("header", part("hdr", "First page only")),
        "f1": ("footer", part("ftr", "Page 1 of 3")),
    }
    refs = '<w:headerReference w:type="default" r:id="h1"/><w:headerReference w:type="first" r:id="h3"/>'
    body = (
        p(r("One"), f"<w:sectPr>{refs}</w:sectPr>")
        + p(r("Two"))
        + '<w:sectPr><w:headerReference w:type="default" r:id="h2"/><w:footerReference w:type="default" r:id="f1"/></w:sectPr>'
    )
    assert text(docx(body, extra)) == "One\n\nTwo\n\n[Header: Harbour office]\n[Footer: Page 1 of 3]"
    body = body.replace(refs, refs + "<w:titlePg/>")
    assert "[Header: First page only]" in text(docx(body, extra))


def test_a_chart_and_a_diagram_are_read_from_their_parts() -> None:
    def points(tag: str, *values: str) -> str:
        inner = "".join(f'<c:pt idx="{number}"><c:v>{value}</c:v></c:pt>' for number, value in enumerate(values))
        return f"<{tag}><c:strRef><c:strCache>{inner}</c:strCache></c:strRef></{tag}>"

    series = f"<c:ser>{points('c:tx', 'Catch')}{points('c:cat', 'May', 'June')}{points('c:val', '4', '7')}</c:ser>"
    title = "<c:title><a:p><a:r><a:t>Fish landed</a:t></a:r></a:p></c:title>"
    chart = f"<c:chartSpace {W}><c:chart>{title}<c:plotArea><c:barChart>{series}</c:barChart></c:plotArea></c:chart></c:chartSpace>"
    point = '<dgm:pt modelId="{0}"{2}><dgm:t><a:p><a:r><a:t>{1}</a:t></a:r></a:p></dgm:t></dgm:pt>'
    links = "".join(
        f'<dgm:cxn srcId="{a}" destId="{b}" srcOrd="{n}"/>'
        for a, b, n in (("0", "2", 0), ("0", "1", 1), ("2", "3", 0), ("3", "2", 0))
    )
    names = (("0", "", ' type="doc"'), ("1", "Sell", ""), ("2", "Catch", ""), ("3", "By net", ""))
    diagram = f"<dgm:dataModel {W}><dgm:ptLst>{''.join(point.format(*name) for name in names)}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst></dgm:dataModel>"
    drawn = "<w:r><w:drawing><wp:inline><a:graphic><a:graphicData>{}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    body = p(r("See") + drawn.format('<c:chart r:id="c1"/>') + drawn.format('<dgm:relIds r:dm="d1"/>'))
    said = text(docx(body, {"c1": ("chart", chart), "d1": ("diagramData", diagram)}))
    assert said == "See\n\nChart: Fish landed\n\n | Catch\nMay | 4\nJune | 7\n\n- Catch\n  - By net\n- Sell"


def test_dates_and_shares_in_a_chart_are_shown_as_such() -> None:
    def numbers(tag: str, code: str, value: str) -> str:
        inner = f'<c:formatCode>{code}</c:formatCode><c:pt idx="0"><c:v>{value}</c:v></c:pt>'
        return f"<{tag}><c:numRef><c:numCache>{inner}</c:numCache></c:numRef></{tag}>"

    series = f"<c:ser>{numbers('c:cat', 'm/d/yyyy', '46085')}{numbers('c:val', '0.0%', '0.12345')}</c:ser>"
    chart = f"<c:chartSpace {W}>{{}}<c:chart><c:plotArea><c:lineChart>{series}</c:lineChart></c:plotArea></c:chart></c:chartSpace>"
    body = p(r("See") + '<w:r><w:drawing><c:chart r:id="c1"/></w:drawing></w:r>')
    assert text(docx(body, {"c1": ("chart", chart.format(""))})).endswith("2026-03-04 | 12.3%")
    assert text(docx(body, {"c1": ("chart", chart.format("<c:date1904/>"))})).endswith("2030-03-05 | 12.3%")


def test_formulas_are_typed_out() -> None:
    def m(inner: str) -> str:
        return f"<m:r><m:t>{inner}</m:t></m:r>"

    fraction = f"<m:f><m:num>{m('a+b')}</m:num><m:den>{m('2')}</m:den></m:f>"
    power = f"<m:sSup><m:e>{m('x')}</m:e><m:sup>{m('2')}</m:sup></m:sSup>"
    root = f"<m:rad><m:radPr/><m:deg/><m:e>{power}</m:e></m:rad>"
    assert (
        text(docx(p(r("Let ") + f"<m:oMath>{m('y=')}{fraction}{m('+')}{root}</m:oMath>")))
        == "Let y=(a+b)/2+\u221a(x^2)"
    )


def test_the_strict_form_and_odd_names_of_parts() -> None:
    data = docx(p(r("Strictly")))
    from tests.engine.documents.office_files import relations, zipped

    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    parts: dict[str, str | bytes] = {
        "[content_types].xml": types,
        "_rels/.rels": relations([("a", "officeDocument", "\\Word\\Text%201.xml")]),
        "word/text 1.xml": f'<d:document xmlns:d="{strict}"><d:body><d:p><d:r><d:t>Strictly</d:t></d:r></d:p></d:body></d:document>',
    }
    assert text(zipped(parts)) == text(data) == "Strictly"
    parts["word/text 1.xml"] = str(parts["word/text 1.xml"]).encode("utf-16")
    assert text(zipped(parts)) == "Strictly"


def test_a_piece_of_another_kind_is_read_in_its_place() -> None:
    extra = {"k1": ("aFChunk", "Plain words of the piece.")}
    assert text(docx(p(r("Before")) + '<w:altChunk r:id="k1"/>' + p(r("After")), extra)) == (
        "Before\n\nPlain words of the piece.\n\nAfter"
    )


def test_what_was_read_before_the_damage_is_kept() -> None:
    body = "".join(p(r(f"Paragraph {number} of the text.")) for number in range(2000))
    found = read(docx(body + "<w:p></w:q>"))
    assert (found.outcome, found.reason) == ("partial", "damaged")
    assert "Paragraph 1000 of" in found.pages[0].text


@pytest.mark.parametrize("part", ["styles", "numbering"])
def test_a_document_does_without_what_only_says_how_it_looks(part: str) -> None:
    assert text(docx(p(r("Text")), {"x": (part, "<broken")})) == "Text"
    bomb = {"x": (part, '<!DOCTYPE a [<!ENTITY e "eeee">]><a>&e;</a>')}
    assert read(docx(p(r("Text")), bomb)).reason == "unsafe_xml"


def test_a_note_that_is_named_over_and_over_is_said_once() -> None:
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    long = {
        "f": ("footnotes", f'<w:footnotes {W}><w:footnote w:id="2">{p(r("long " * 20000))}</w:footnote></w:footnotes>')
    }
    assert len(text(docx(p(r("x") + reference * 5000), long))) < 110_000
