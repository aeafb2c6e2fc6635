"""Pictures of text within files of other kinds, drawn here and recognised with the data that Keepsake brings."""

from __future__ import annotations

import base64
import zipfile
from collections.abc import Callable
from io import BytesIO
from random import Random

import pytest
from PIL import Image, ImageDraw, ImageFont

from engine.documents import inner_pictures
from engine.documents.flow import Flow
from engine.documents.inner_pictures import InnerPictures
from engine.documents.judge import Extracted, judge
from engine.documents.ocr import under_way
from engine.documents.ocr.languages import recognition_for
from engine.documents.ocr.photograph import is_photograph
from engine.documents.opening import open_document
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut
from engine.documents.reasons import CLEARER, RECOGNISE
from engine.documents.source import Source
from tests.engine.documents.office_files import W, office
from tests.engine.documents.test_epub import book, chapter

P = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
X = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ' + P.split(" ", 1)[1]
XDR = 'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" ' + P.split(" ", 1)[1]
ODF = (
    " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for short, name in (("office", "office"), ("text", "text"), ("draw", "drawing"), ("table", "table"))
    )
    + ' xmlns:xlink="http://www.w3.org/1999/xlink"'
)
FOUND = "The weir was opened Monday."
OTHER = "Both gates held until Friday."


def drawn(text: str = FOUND, kind: str = "PNG") -> bytes:
    picture = Image.new("RGB", (640, 120), "white")
    ImageDraw.Draw(picture).text((30, 40), text, fill="black", font=ImageFont.load_default(36))
    return saved(picture, kind)


def saved(picture: Image.Image, kind: str = "PNG") -> bytes:
    file = BytesIO()
    picture.save(file, kind)
    return file.getvalue()


def photograph(width: int = 500, height: int = 400) -> Image.Image:
    random = Random(3)
    small = Image.new("RGB", (40, 32))
    small.putdata([tuple(random.randrange(256) for _ in range(3)) for _ in range(40 * 32)])
    return small.resize((width, height), Image.Resampling.BICUBIC)


def zipped(parts: dict[str, str | bytes]) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return file.getvalue()


def docx(body: str, *pictures: bytes) -> bytes:
    """body: `{0}` stands for a paragraph with the first picture."""
    parts: dict[str, str | bytes] = {f"word/media/{number}.png": data for number, data in enumerate(pictures)}
    inner = body.format(*(docx_picture(number) for number in range(len(pictures))))
    parts["word/document.xml"] = f"<w:document {W}><w:body>{inner}</w:body></w:document>"
    related = [(f"p{number}", "image", f"media/{number}.png") for number in range(len(pictures))]
    return office("word/document.xml", parts, {"word/document.xml": related})


def docx_picture(number: int) -> str:
    blip = f'<pic:blipFill><a:blip r:embed="p{number}"/></pic:blipFill>'
    shown = f'<wp:inline><wp:docPr id="1" name="Scan {number}"/><pic:pic>{blip}</pic:pic></wp:inline>'
    return f"<w:p><w:r><w:drawing>{shown}</w:drawing></w:r></w:p>"


def words(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def pptx(*slides: str, media: bytes) -> bytes:
    """Each slide: what is in its p:cSld; the picture is "p"."""
    names = [f"ppt/slides/{number}.xml" for number in range(1, len(slides) + 1)]
    parts: dict[str, str | bytes] = {"ppt/media/p.png": media}
    parts |= {name: f"<p:sld {P}><p:cSld>{inner}</p:cSld></p:sld>" for name, inner in zip(names, slides, strict=True)}
    listed = "".join(f'<p:sldId id="{number}" r:id="s{number}"/>' for number in range(1, len(slides) + 1))
    parts["ppt/presentation.xml"] = f"<p:presentation {P}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
    related = {name: [("p", "image", "../media/p.png")] for name in names}
    related["ppt/presentation.xml"] = [(f"s{n}", "slide", f"slides/{n}.xml") for n in range(1, len(slides) + 1)]
    return office("ppt/presentation.xml", parts, related)


PIC = '<p:pic><p:nvPicPr><p:cNvPr name="Shot"/></p:nvPicPr><p:blipFill><a:blip r:embed="p"/></p:blipFill></p:pic>'
TITLE = (
    '<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Costs</a:t></a:r></a:p>'
    "</p:txBody></p:sp>"
)


def xlsx(media: bytes) -> bytes:
    pic = '<xdr:pic><xdr:nvPicPr><xdr:cNvPr name="Shot"/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed="p"/>'
    parts: dict[str, str | bytes] = {
        "xl/workbook.xml": f'<workbook {X}><sheets><sheet name="One" sheetId="1" r:id="s"/></sheets></workbook>',
        "xl/sheets/1.xml": f"<worksheet {X}/>",
        "xl/drawings/1.xml": f"<xdr:wsDr {XDR}>{pic}</xdr:blipFill></xdr:pic></xdr:wsDr>",
        "xl/media/p.png": media,
    }
    related = {
        "xl/workbook.xml": [("s", "worksheet", "sheets/1.xml")],
        "xl/sheets/1.xml": [("d", "drawing", "../drawings/1.xml")],
        "xl/drawings/1.xml": [("p", "image", "../media/p.png")],
    }
    return office("xl/workbook.xml", parts, related)


def opendocument(kind: str, inner: str, media: bytes) -> bytes:
    content = f"<office:document-content {ODF}><office:body>{inner}</office:body></office:document-content>"
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    return zipped({"mimetype": mimetype, "content.xml": content, "Pictures/p.png": media})


FRAME = '<draw:frame draw:name="Scan"><draw:image xlink:href="Pictures/p.png"/></draw:frame>'


def odt(media: bytes) -> bytes:
    return opendocument("text", f"<office:text><text:p>{FRAME}</text:p></office:text>", media)


def odp(media: bytes) -> bytes:
    return opendocument(
        "presentation", f"<office:presentation><draw:page>{FRAME}</draw:page></office:presentation>", media
    )


def ods(media: bytes) -> bytes:
    row = f"<table:table-row><table:table-cell>{FRAME}</table:table-cell></table:table-row>"
    sheet = f'<table:table table:name="One">{row}</table:table>'
    return opendocument("spreadsheet", f"<office:spreadsheet>{sheet}</office:spreadsheet>", media)


def rtf(media: bytes) -> bytes:
    digits = media.hex()
    lines = "\n".join(digits[place : place + 127] for place in range(0, len(digits), 127)).encode()
    return (
        rb"{\rtf1 {\*\shppict{\pict{\*\picprop{\sp{\sn a}}}\pngblip\picw9 " + lines + rb"}}{\nonshppict{\pict 00}}\par}"
    )


def raw_rtf(media: bytes) -> bytes:
    return rb"{\rtf1{\pict\pngblip\bin" + str(len(media)).encode() + b" " + media + rb"}\par}"


def epub(media: bytes) -> bytes:
    return book(["a.xhtml"], {"a.xhtml": chapter('<img src="p.png"/>'), "p.png": media}).data


def html(media: bytes) -> bytes:
    return b"<!DOCTYPE html><title></title><img src='data:image/png;base64," + base64.b64encode(media) + b"'>"


def saved_page(media: bytes) -> bytes:
    head = b"Snapshot-Content-Location: http://127.0.0.1:9\nMIME-Version: 1.0\nMessage-ID: <1>\nSubject:\n"
    page = b"Content-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n<img src=a.png>\n--x\n"
    picture = b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(media)
    return b"From x 10:10:10\nX-Kept: by a program\n" + head + page + picture + b"\n--x--\n"


KINDS: dict[str, Callable[[bytes], bytes]] = {
    "docx": lambda media: docx("{0}", media),
    "pptx": lambda media: pptx(f"<p:spTree>{PIC}</p:spTree>", media=media),
    "xlsx": xlsx,
    "odt": odt,
    "odp": odp,
    "ods": ods,
    "rtf": rtf,
    "raw rtf": raw_rtf,
    "epub": epub,
    "html": html,
    "saved page": saved_page,
}


def read(data: bytes, on: bool = True, first: int = 1) -> Extracted:
    recognition = recognition_for("auto", None) if on else None
    kind, reader = open_document(Source("a", data=data), How(recognition=recognition))
    try:
        pages = [page for page in reader.pages(first) if page.number >= first]
        return judge(kind, None, pages, reader.page_count, reader.left_out)
    finally:
        reader.close()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_nothing_but_a_picture_of_text_is_recognised(kind: str) -> None:
    found = read(KINDS[kind](drawn()))
    assert [(page.outcome, page.text, page.source) for page in found.pages] == [("read", FOUND, "ocr")]
    assert (found.outcome, found.left_out) == ("read", ())


@pytest.mark.parametrize("kind", KINDS)
def test_without_recognition_it_needs_it(kind: str) -> None:
    found = read(KINDS[kind](drawn()), on=False)
    assert (found.outcome, found.reason) == ("needs_ocr", "no_text_layer")


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_of_no_known_kind_is_said_to_be_one(kind: str) -> None:
    found = read(KINDS[kind](b"\1\0\0\0 no picture"))
    assert (found.outcome, found.reason) == ("needs_ocr", "unreadable_picture")


@pytest.mark.parametrize("kind", KINDS)
def test_an_icon_holds_no_text(kind: str) -> None:
    found = read(KINDS[kind](saved(Image.new("RGB", (128, 128), "blue"))))
    assert [(page.outcome, page.text) for page in found.pages] == [("blank", "")]


def test_text_stands_where_its_picture_does_and_once() -> None:
    found = read(docx(words("Before.") + "{0}" + words("Between.") + "{1}{0}" + words("After."), drawn(), drawn(OTHER)))
    assert found.pages[0].text.split("\n\n") == ["Before.", FOUND, "Between.", OTHER, "After."]
    assert found.pages[0].source == "text"


def test_pictures_that_a_page_only_names_are_not_looked_at_and_those_of_a_message_are() -> None:
    page = b"<!DOCTYPE html><p>Text</p><img src='a.png'><img src='data:image/svg+xml,<svg/>'>" + html(drawn())
    found = read(page)
    assert (found.pages[0].text, found.left_out) == (f"Text\n\n{FOUND}", ())
    head = b"Received: x\nFrom: a@b.c\nTo: d@e.f\nContent-Type: text/html\n\n"
    assert read(head + page).pages[0].text == f"From: a@b.c\nTo: d@e.f\n\nText\n\n{FOUND}"


def test_a_picture_in_a_table_comes_behind_it() -> None:
    cells = "<w:tc>{0}</w:tc><w:tc>" + words("Cell") + "</w:tc>"
    found = read(docx(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>" + words("After."), drawn()))
    assert found.pages[0].text.split("\n\n")[-2:] == [FOUND, "After."]


def test_a_slide_with_a_title_and_a_picture_has_both_and_one_that_is_filled_with_one_too() -> None:
    ground = '<p:bg><p:bgPr><a:blipFill><a:blip r:embed="p"/></a:blipFill></p:bgPr></p:bg><p:spTree/>'
    found = read(pptx(f"<p:spTree>{TITLE}{PIC}</p:spTree>", media=drawn()))
    assert [(page.text, page.source) for page in found.pages] == [(f"# Costs\n\n{FOUND}", "text")]
    assert [page.text for page in read(pptx(ground, media=drawn())).pages] == [FOUND]


def test_what_was_said_on_an_earlier_slide_is_not_said_again_wherever_reading_begins() -> None:
    slide = f"<p:spTree>{TITLE}{PIC}</p:spTree>"
    file = pptx(slide, slide, media=drawn())
    whole = read(file).pages
    assert [page.text for page in whole] == [f"# Costs\n\n{FOUND}", "# Costs"]
    assert read(file, first=2).pages == whole[1:]


def test_before_the_first_part_that_is_wanted_nothing_is_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    monkeypatch.setattr(
        "engine.documents.pictures.page_of", lambda *_, **__: looked.append(1) or Page(1, "blank", None, "")
    )
    pictures = InnerPictures(recognition_for("auto", None), [], first=2)
    for number in (1, 2):
        pictures.begin(number)
        pictures.add(Flow(), "", str(number), lambda number=number: drawn(str(number)))  # type: ignore[misc]
        assert len(looked) == number - 1


def test_frames_before_the_first_one_that_is_wanted_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    monkeypatch.setattr(
        "engine.documents.pictures.page_of",
        lambda _, number, __: looked.append(number) or Page(number, "blank", None, ""),
    )
    file, frame = BytesIO(), Image.new("L", (40, 40))
    frame.save(file, "TIFF", save_all=True, append_images=[frame, frame])
    assert [page.number for page in read(file.getvalue(), first=3).pages] == looked == [3]


def test_a_photograph_is_looked_at_once_and_what_it_is_taken_for_is_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.documents.ocr import tesseract

    sizes: list[tuple[int, int]] = []
    plainly = tesseract._recognised

    def counted(picture: Image.Image, *more: object) -> tesseract.Recognised:
        sizes.append(picture.size)
        return plainly(picture, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(tesseract, "_recognised", counted)
    monkeypatch.setattr("engine.documents.pictures.PHOTOGRAPH_PIXELS", 50_000)
    found = read(docx(words("A view.") + "{0}", saved(photograph(), "JPEG")))
    assert len(sizes) == 1 and sizes[0][0] * sizes[0][1] <= 50_000
    assert found.pages[0].text == "A view." and found.outcome == "read"
    assert found.left_out == (LeftOut("picture", "Scan 0"),)


def test_a_page_of_text_that_is_not_read_is_named_and_a_photograph_or_a_logo_is_not() -> None:
    page = Image.new("RGB", (700, 1000), "white")
    ImageDraw.Draw(page).text((60, 100), FOUND, fill="black", font=ImageFont.load_default(40))
    others = [saved(photograph(900, 700), "JPEG"), saved(Image.new("RGB", (1200, 300), "white"))]
    found = read(docx(words("Only line.") + "{0}{1}{2}{0}", saved(page), *others), on=False)
    assert [part.reason for part in found.left_out] == ["no_text_layer", None, None, "no_text_layer"]
    assert (found.outcome, found.reason) == ("partial", "no_text_layer")
    assert found.message == f"Not read: Scan 0, Scan 0. {RECOGNISE}"
    assert read(docx(words("Only line.") + "{0}{1}", *others), on=False).outcome == "read"
    assert read(docx(words("Only line.") + "{0}", saved(page))).outcome == "read"


def test_a_page_in_which_nothing_can_be_made_out_is_named() -> None:
    page = Image.new("RGB", (700, 1000), "white")
    for place in range(60, 640, 40):
        ImageDraw.Draw(page).arc((place, 100, place + 300, 900), 20, 200, fill="black", width=5)
    found = read(docx(words("Only line.") + "{0}", saved(page)))
    assert found.left_out == (LeftOut("picture", "Scan 0", "not_recognised"),)
    assert (found.outcome, found.message) == ("partial", f"Not read: Scan 0. {CLEARER}")
    assert read(docx(words("Only line.") + "{0}", saved(Image.new("RGB", (700, 1000), "white")))).outcome == "read"


def test_a_photograph_of_print_in_uneven_light_is_read() -> None:
    taken = Image.linear_gradient("L").resize((900, 500)).point(lambda shade: 170 + shade // 3).convert("RGB")
    for row, line in enumerate((FOUND, OTHER)):
        ImageDraw.Draw(taken).text((60, 100 + 80 * row), line, fill="black", font=ImageFont.load_default(40))
    assert is_photograph(taken)
    assert read(docx("{0}", saved(taken))).pages[0].text == f"{FOUND}\n{OTHER}"


@pytest.mark.parametrize(
    "bound", ["MOST_PICTURES", "MOST_PICTURES_OF_A_PART", "PICTURES_SECONDS", "PICTURES_FILE_SECONDS"]
)
def test_beyond_a_bound_the_text_around_stays_and_the_rest_is_named(
    bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inner_pictures, bound, 1e-9 if "SECONDS" in bound else 1)
    found = read(docx("{0}{1}" + words("After."), drawn(), drawn(OTHER)))
    assert found.pages[0].text.split("\n\n") == [FOUND, "After."]
    assert (found.outcome, found.message) == ("partial", "Not read: Scan 1.")


def test_many_large_pictures_leave_room_for_the_slides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.documents.safe_zip.LARGEST_UNPACKED", 30_000)
    media = saved(photograph(), "PNG")
    assert len(media) > 30_000
    slide = f"<p:spTree>{TITLE}{PIC}</p:spTree>"
    assert [page.outcome for page in read(pptx(slide, slide, media=media)).pages] == ["read", "read"]


def test_in_a_book_with_text_a_plate_without_any_is_blank_and_one_with_some_is_read() -> None:
    parts = {
        "a.xhtml": chapter('<img src="plate.png"/>'),
        "b.xhtml": chapter("<p>Text</p>"),
        "c.xhtml": chapter('<svg><image xlink:href="scan.png"/></svg>'),
        "plate.png": saved(photograph()),
        "scan.png": drawn(),
    }
    assert [(page.outcome, page.text) for page in read(book(["a.xhtml", "b.xhtml", "c.xhtml"], parts).data).pages] == [
        ("blank", ""),
        ("read", "Text"),
        ("read", FOUND),
    ]
    found = read(book(["c.xhtml", "a.xhtml"], parts).data)
    assert [(page.outcome, page.reason) for page in found.pages] == [("read", None), ("needs_ocr", "not_recognised")]


def test_it_is_told_while_text_is_recognised_and_not_while_icons_are_passed_over() -> None:
    told: list[bool] = []
    under_way.listen(told.append)
    try:
        pictures = InnerPictures(recognition_for("auto", "en"), [])
        pictures.begin(1)
        pictures.add(Flow(), "icon.png", "icon.png", lambda: saved(photograph(60, 60)))
        assert told == []
        pictures.add(Flow(), "scan.png", "scan.png", drawn)
        assert told == [True, False]
    finally:
        under_way.listen(lambda _: None)


def test_a_picture_is_unpacked_once_however_often_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def data(name: str, content: bytes) -> bytes:
        read.append(name)
        return content

    monkeypatch.setattr(inner_pictures, "MOST_PICTURES", 1)
    pictures = InnerPictures(recognition_for("auto", None), [])
    pictures.begin(1)
    for _ in range(3):
        for name, content in (("text", drawn()), ("over", drawn(OTHER)), ("broken", b"no picture")):
            pictures.add(Flow(), "", name, lambda name=name, content=content: data(name, content))  # type: ignore[misc]
    assert read == ["text", "over", "broken"]


def test_what_one_part_had_no_time_for_another_one_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inner_pictures, "MOST_PICTURES_OF_A_PART", 1)
    pictures = InnerPictures(recognition_for("auto", None), [])
    said: list[str] = []
    for number, names in ((1, (FOUND, OTHER)), (2, (OTHER,))):
        pictures.begin(number)
        flow = Flow()
        for name in names:
            pictures.add(flow, "", name, lambda name=name: drawn(name))  # type: ignore[misc]
        said.append(flow.text())
    assert said == [FOUND, OTHER]
