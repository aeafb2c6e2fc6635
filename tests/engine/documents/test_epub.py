from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from engine.documents.epub import open_epub
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Unreadable
from engine.documents.source import Source

CONTAINER = '<container xmlns="urn:x"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
OPF = (
    '<package xmlns="http://www.idpf.org/2007/opf"><manifest>{manifest}</manifest>'
    '<spine toc="ncx">{spine}</spine></package>'
)
NCX = (
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Part one</text></navLabel>'
    '<content src="a.xhtml"/><navPoint><navLabel><text>Within</text></navLabel><content src="a.xhtml#w"/></navPoint>'
    "</navPoint></navMap></ncx>"
)
NAV = (
    '<html xmlns="http://www.w3.org/1999/xhtml"><body><nav epub:type="landmarks"><a href="../a.xhtml">Start</a></nav>'
    '<nav epub:type="toc"><ol><li><a href="../a.xhtml">The empty\n slip</a></li><li>'
    '<a href="../c%20d.xhtml">Tow</a></li></ol></nav></body></html>'
)


def chapter(body: str, prolog: str = "") -> str:
    return f'<?xml version="1.0"?>{prolog}<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>{body}</html>'


def book(spine: list[str], parts: dict[str, str | bytes], manifest: str = "", **more: str) -> Source:
    """spine: addresses of the chapters; parts: below OPS/."""
    types = {True: "image/png", False: "application/xhtml+xml"}
    items = "".join(
        f'<item id="i{number}" href="{name}" media-type="{types[name.endswith(".png")]}"/>'
        for number, name in enumerate(spine)
    )
    order = "".join(f'<itemref idref="i{number}"/>' for number in range(len(spine)))
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("mimetype", "application/epub+zip")
        package.writestr("META-INF/container.xml", CONTAINER)
        package.writestr("OPS/book.opf", OPF.format(manifest=items + manifest, spine=order))
        for name, content in (*((f"OPS/{name}", content) for name, content in parts.items()), *more.items()):
            package.writestr(name, content)
    return Source("book.epub", data=file.getvalue())


def pages(source: Source) -> list[Page]:
    reader = open_epub(source, How())
    try:
        return list(reader.pages())
    finally:
        reader.close()


def test_hidden_text_of_a_chapter_is_named() -> None:
    reader = open_epub(book(["a.xhtml"], {"a.xhtml": chapter("<p>Seen</p><div hidden='hidden'>UNSEEN</div>")}), How())
    for _ in range(2):
        assert [page.text for page in reader.pages()] == ["Seen"]
        assert list(reader.left_out) == [LeftOut("hidden", "OPS/a.xhtml")]
    reader.close()


def test_chapters_come_by_the_spine_with_the_names_of_the_contents() -> None:
    found = pages(
        book(
            ["c%20d.xhtml", "a.xhtml", "b.xhtml"],
            {
                "a.xhtml": chapter("<p>First</p>"),
                "b.xhtml": chapter("<h2>Own heading</h2><p>Second</p>"),
                "c d.xhtml": chapter('<p>Third<a epub:type="noteref" href="#n">1</a></p><aside>Note</aside>'),
                "toc/nav.xhtml": NAV,
            },
            '<item id="nav" href="toc/nav.xhtml" properties="scripted nav"/>',
        )
    )
    assert [(page.number, page.text, page.label, page.section) for page in found] == [
        (1, "Third[1]\n\nNote", "Tow", None),
        (2, "First", "The empty slip", None),
        (3, "## Own heading\n\nSecond", "Own heading", "The empty slip"),
    ]


def test_names_of_epub_2_and_of_a_book_whose_newer_contents_are_damaged() -> None:
    parts = {"a.xhtml": chapter("<p>First</p>"), "toc.ncx": NCX, "nav.xhtml": "<p>none</p>"}
    ncx = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    for manifest in (ncx, ncx + '<item id="nav" href="nav.xhtml" properties="nav"/>'):
        assert [page.label for page in pages(book(["a.xhtml"], parts, manifest))] == ["Part one"]
    assert [page.label for page in pages(book(["a.xhtml"], {**parts, "toc.ncx": "<ncx"}, ncx))] == [None]


def test_a_chapter_that_cannot_be_read_costs_that_chapter() -> None:
    entities = '<!DOCTYPE html [<!-- <x> --> <!ENTITY a "b">]>'
    found = pages(
        book(
            ["gone.xhtml", "a.xhtml", "../../../etc/passwd", "http://a.b/c.xhtml", "e.xhtml", "binary.xhtml"],
            {
                "a.xhtml": chapter("<p>Fair</p>"),
                "e.xhtml": chapter("&a;", entities),
                "binary.xhtml": bytes(range(32)) * 9,
            },
        )
    )
    assert [(page.outcome, page.reason) for page in found] == [
        ("failed", "damaged"),
        ("read", None),
        ("failed", "unsafe_archive"),
        ("failed", "unsafe_archive"),
        ("failed", "unsafe_xml"),
        ("failed", "damaged"),
    ]


def test_a_cover_is_blank_and_a_book_of_pictures_needs_recognition() -> None:
    parts = {"cover.xhtml": chapter("<img src='x.png'/>"), "a.xhtml": chapter("<p>Text</p>"), "p.png": b"\x89PNG"}
    assert [page.outcome for page in pages(book(["cover.xhtml", "a.xhtml", "p.png"], parts))] == [
        "blank",
        "read",
        "blank",
    ]
    assert [page.reason for page in pages(book(["cover.xhtml", "p.png"], parts))] == ["no_text_layer"] * 2


def test_a_part_that_is_named_often_is_read_once() -> None:
    assert len(pages(book(["a.xhtml"] * 500, {"a.xhtml": chapter("<p>Text</p>")}))) == 1


def encryption(algorithm: str) -> dict[str, str]:
    method = f'<enc:EncryptionMethod Algorithm="{algorithm}"/>'
    data = f'<enc:EncryptedData>{method}<enc:CipherReference URI="OPS/a.xhtml"/></enc:EncryptedData>'
    return {"META-INF/encryption.xml": f'<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#">{data}</encryption>'}


def test_a_locked_book_is_refused_and_locked_fonts_lock_nothing() -> None:
    parts = {"a.xhtml": chapter("<p>Text</p>")}
    assert pages(book(["a.xhtml"], parts, **encryption("http://www.idpf.org/2008/embedding")))[0].text == "Text"
    with pytest.raises(Unreadable) as refused:
        open_epub(book(["a.xhtml"], parts, **encryption("http://www.w3.org/2001/04/xmlenc#aes256-cbc")), How())
    assert refused.value.reason == "drm_protected"


def test_names_that_lead_out_are_said_and_never_opened() -> None:
    source = book(["a.xhtml"], {"a.xhtml": chapter("<p>Text</p>")}, **{"../../out.xhtml": "OUT"})
    reader = open_epub(source, How())
    assert list(reader.left_out) == [LeftOut("file", "../../out.xhtml")]
    assert [page.text for page in reader.pages()] == ["Text"]
    reader.close()


@pytest.mark.parametrize(
    ("opf", "reason"),
    [
        ("<package><manifest/></package>", "damaged"),
        ("<package", "damaged"),
        ('<!DOCTYPE package [<!ENTITY a "b">]><package/>', "unsafe_xml"),
    ],
)
def test_a_book_without_an_order_is_refused(opf: str, reason: str) -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("OPS/other.opf", opf)
    with pytest.raises(Unreadable) as refused:
        open_epub(Source("book.epub", data=file.getvalue()), How())
    assert refused.value.reason == reason
