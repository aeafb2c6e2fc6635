# ruff: noqa: E501 (XML as it stands in files)
from __future__ import annotations

from engine.documents.reader import LeftOut
from engine.documents.reading_order import reading_order
from tests.engine.documents.office_files import OFFICE, office, read

P = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main" '
    f'xmlns:r="{OFFICE}"'
)


def deck(slides: list[str], order: list[int] | None = None, attributes: dict[int, str] | None = None,
         parts: dict[str, str] | None = None, related: dict[str, list[tuple[str, str, str]]] | None = None,
         sections: str = "") -> bytes:  # fmt: skip
    """slides: what is in each spTree. parts, related: of other parts, such as notes."""
    shown = order or list(range(1, len(slides) + 1))
    ids = "".join(f'<p:sldId id="{255 + number}" r:id="s{number}"/>' for number in shown)
    written: dict[str, str | bytes] = {
        "ppt/presentation.xml": f"<p:presentation {P}><p:sldIdLst>{ids}</p:sldIdLst>{sections}</p:presentation>",
        **{
            f"ppt/slides/slide{number}.xml": f"<p:sld {P} {(attributes or {}).get(number, '')}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
            for number, shapes in enumerate(slides, 1)
        },
        **(parts or {}),
    }
    found = {
        "ppt/presentation.xml": [
            (f"s{number}", "slide", f"slides/slide{number}.xml") for number in range(1, len(slides) + 1)
        ]
    }
    return office("ppt/presentation.xml", written, found | (related or {}))


def line(text: str, properties: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>"


def shape(text: str, kind: str = "", place: tuple[int, int, int, int] | None = None) -> str:
    placeholder = f"<p:ph {kind}/>" if kind else ""
    where = (
        ""
        if place is None
        else f'<a:xfrm><a:off x="{place[0]}" y="{place[1]}"/><a:ext cx="{place[2]}" cy="{place[3]}"/></a:xfrm>'
    )
    body = text if text.startswith("<a:p>") else line(text)
    return f"<p:sp><p:nvSpPr><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:spPr>{where}</p:spPr><p:txBody>{body}</p:txBody></p:sp>"


TITLE = 'type="title"'


def test_slides_come_as_they_are_shown_with_titles_and_sections() -> None:
    sections = '<p:extLst><p14:sectionLst><p14:section name="Loans"><p14:sldIdLst><p14:sldId id="256"/></p14:sldIdLst></p14:section></p14:sectionLst></p:extLst>'
    data = deck(
        [shape("Body", 'idx="1"') + shape("One", TITLE), shape("Only a box"), ""],
        [2, 1, 3],
        {1: 'show="0"'},
        sections=sections,
    )
    found = read(data)
    assert [(page.number, page.label, page.section, page.outcome, page.text) for page in found.pages] == [
        (1, None, None, "read", "Only a box"),
        (2, "One (hidden)", "Loans", "read", "# One\n\n- Body"),
        (3, None, None, "blank", ""),
    ]
    assert (found.kind, found.outcome, found.page_count) == ("pptx", "read", 3)


def test_shapes_are_read_column_by_column() -> None:
    left, right = (0, 400), (500, 400)
    shapes = (
        shape("right text", place=(right[0], 200, right[1], 300))
        + shape("left head", place=(left[0], 100, left[1], 90))
        + shape("across the foot", place=(0, 600, 900, 50))
        + shape("right head", place=(right[0], 100, right[1], 90))
        + shape("left text", place=(left[0], 195, left[1], 300))
    )
    assert read(deck([shapes])).pages[0].text.split("\n\n") == [
        "left head",
        "left text",
        "right head",
        "right text",
        "across the foot",
    ]


def test_the_place_of_a_placeholder_is_its_layout_s() -> None:
    second, body = shape("x", 'type="body" idx="2"', (0, 300, 9, 9)), shape("x", 'type="body"', (0, 100, 9, 9))
    layout = f"<p:sldLayout {P}><p:cSld><p:spTree>{second}</p:spTree></p:cSld></p:sldLayout>"
    master = f"<p:sldMaster {P}><p:cSld><p:spTree>{body}</p:spTree></p:cSld></p:sldMaster>"
    shapes = (
        shape("last", 'type="body" idx="2"')
        + shape("middle", place=(0, 200, 9, 9))
        + shape("first", 'type="body" idx="9"')
    )
    related = {
        "ppt/slides/slide1.xml": [("l", "slideLayout", "../slideLayouts/slideLayout1.xml")],
        "ppt/slideLayouts/slideLayout1.xml": [("m", "slideMaster", "../slideMasters/slideMaster1.xml")],
    }
    parts = {"ppt/slideLayouts/slideLayout1.xml": layout, "ppt/slideMasters/slideMaster1.xml": master}
    text = read(deck([shapes], parts=parts, related=related)).pages[0].text
    assert text == "- first\n\nmiddle\n\n- last"


def test_lists_are_numbered_and_bulleted_as_they_say() -> None:
    auto = '<a:pPr lvl="0"><a:buAutoNum type="{}"/></a:pPr>'
    body = (
        line("one", auto.format("arabicPeriod"))
        + line("two", auto.format("arabicPeriod"))
        + line("plain", "<a:pPr><a:buNone/></a:pPr>")
        + line("a", auto.format("alphaLcParenR"))
        + line("deep", '<a:pPr lvl="1"/>')
        + "<a:p><a:r><a:t>two</a:t></a:r><a:br/><a:fld><a:t>lines</a:t></a:fld></a:p>"
    )
    assert (
        read(deck([shape(body, 'idx="1"')])).pages[0].text == "1. one\n2. two\n\nplain\n\na) a\n  - deep\n- two lines"
    )


def test_what_stands_deeper_does_not_begin_a_list_anew() -> None:
    auto = '<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>'
    deeper = line("note", '<a:pPr lvl="1"><a:buChar char="-"/></a:pPr>')
    body = line("one", auto) + deeper + line("two", auto) + line("dot", '<a:pPr><a:buChar char="-"/></a:pPr>')
    body += line("one again", auto)
    text = read(deck([shape(body, 'idx="1"')])).pages[0].text
    assert text == "1. one\n  - note\n2. two\n- dot\n1. one again"


def test_groups_tables_notes_and_comments() -> None:
    def cell(text: str, attributes: str = "") -> str:
        return f"<a:tc {attributes}><a:txBody>{line(text) if text else '<a:p/>'}</a:txBody></a:tc>"

    wide, covered = cell("Boat", 'gridSpan="2"'), cell("", 'hMerge="1"')
    number, said = shape("1", 'type="sldNum"'), shape("Say it slowly.", 'type="body" idx="1"')
    table = f"<a:tbl><a:tr>{wide}{covered}{cell('Berth')}</a:tr><a:tr>{cell('Plover')}{cell('4')}{cell('B2')}</a:tr></a:tbl>"
    frame = f"<p:graphicFrame><a:graphic><a:graphicData>{table}</a:graphicData></a:graphic></p:graphicFrame>"
    group = f"<p:grpSp><p:grpSpPr/>{shape('in a group')}<p:grpSp>{shape('deeper')}</p:grpSp></p:grpSp>"
    beside = f"<p:grpSp>{shape('And stay calm.')}</p:grpSp>"
    notes = f"<p:notes {P}><p:cSld><p:spTree>{number}{said}{beside}</p:spTree></p:cSld></p:notes>"
    comments = f"<p:cmLst {P}><p:cm><p:text>Shorter?</p:text></p:cm></p:cmLst>"
    related = {"ppt/slides/slide1.xml": [("n", "notesSlide", "../notes1.xml"), ("c", "comments", "../comments1.xml")]}
    parts = {"ppt/notes1.xml": notes, "ppt/comments1.xml": comments}
    text = read(deck([group + frame], parts=parts, related=related)).pages[0].text
    assert (
        text
        == "in a group\n\ndeeper\n\nBoat |  | Berth\nPlover | 4 | B2\n\nNotes: Say it slowly.\n\nNotes: And stay calm.\n\n[Comment: Shorter?]"
    )


def test_running_lines_stand_once_and_numbers_not_at_all() -> None:
    shapes = shape("Harbour office", 'type="ftr"') + shape("7", 'type="sldNum"')
    found = read(deck([shape("One", TITLE) + shapes, shape("Two", TITLE) + shapes]))
    assert [page.text for page in found.pages] == ["# One\n\nHarbour office", "# Two"]


def test_a_slide_of_a_picture_needs_recognition_and_objects_are_named() -> None:
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="1" name="Picture 1" descr="A scanned letter"/></p:nvPicPr></p:pic>'
    thing = (
        '<p:graphicFrame><a:graphic><a:graphicData><mc:AlternateContent><mc:Choice><p:oleObj progId="Excel.Sheet.12"/></mc:Choice>'
        '<mc:Fallback><p:oleObj progId="Excel.Sheet.12"/></mc:Fallback></mc:AlternateContent></a:graphicData></a:graphic></p:graphicFrame>'
    )
    found = read(deck([picture, shape("Text") + picture + thing]))
    assert [page.outcome for page in found.pages] == ["needs_ocr", "read"]
    picture_left = LeftOut("picture", "A scanned letter")
    assert found.left_out == (picture_left, picture_left, LeftOut("attachment", "Excel.Sheet.12", "unsupported_type"))


def test_a_diagram_on_a_slide_and_one_that_is_lost() -> None:
    frame = (
        '<p:graphicFrame><a:graphic><a:graphicData><dgm:relIds r:dm="{}"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    data = f'<dgm:dataModel {P}><dgm:ptLst><dgm:pt modelId="1"><dgm:t>{line("Catch")}</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>'
    related = {"ppt/slides/slide1.xml": [("d", "diagramData", "../data1.xml")]}
    found = read(deck([frame.format("d") + frame.format("lost")], parts={"ppt/data1.xml": data}, related=related))
    assert (found.outcome, found.pages[0].text) == ("partial", "- Catch")


def test_a_damaged_slide_takes_no_other_with_it() -> None:
    found = read(deck([shape("One"), "<p:sp>", shape("Three")]))
    assert [(page.outcome, page.reason) for page in found.pages] == [
        ("read", None),
        ("failed", "damaged"),
        ("read", None),
    ]


def test_boxes_that_cannot_be_parted_stay_in_order() -> None:
    assert reading_order([(0, 0, 10, 10), (5, 5, 15, 15), (0, 0, 20, 20)]) == [0, 1, 2]
    assert reading_order([(0, 5, 1, 6), None, (0, 0, 1, 1)]) == [0, 1, 2]
    assert reading_order([(-30, 0, -20, 10), (-30, -40, -20, -10)]) == [1, 0]
    many = [(0.0, float(-number), 1.0, float(-number)) for number in range(5000)]
    assert reading_order(many) == list(range(5000))


def test_hidden_shapes_are_left_out_and_those_with_text_are_said() -> None:
    hidden = shape("Unseen").replace("<p:nvSpPr>", '<p:nvSpPr><p:cNvPr name="Note" hidden="1"/>')
    group = f'<p:grpSp><p:nvGrpSpPr><p:cNvPr name="Group"/></p:nvGrpSpPr>{hidden}{shape("Seen")}</p:grpSp>'
    found = read(deck([group + hidden.replace("Unseen", "")]), "a.pptx")
    assert [page.text for page in found.pages] == ["Seen"]
    assert found.left_out == (LeftOut("hidden", "Note"),)
