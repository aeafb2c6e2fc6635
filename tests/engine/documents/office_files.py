"""Small Office files, written part by part, so that a test says what is in them."""

from __future__ import annotations

import zipfile
from io import BytesIO

from engine.documents.judge import Extracted, judge, unread
from engine.documents.opening import open_document
from engine.documents.reader import How, Unreadable
from engine.documents.source import Source

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN_TYPES = {
    "word/document.xml": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "ppt/presentation.xml": "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    "xl/workbook.xml": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
}
W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{OFFICE}" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
)


def zipped(parts: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def office(main: str, parts: dict[str, str | bytes], related: dict[str, list[tuple[str, str, str]]]) -> bytes:
    """related: part -> (id, last word of the type, target) of what it refers to."""
    written: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Override PartName="/{main}" ContentType="{MAIN_TYPES[main]}"/></Types>',
        "_rels/.rels": relations([("rId1", "officeDocument", f"/{main}")]),
        **parts,
    }
    for part, found in related.items():
        folder, _, name = part.rpartition("/")
        written[f"{folder}/_rels/{name}.rels"] = relations(found)
    return zipped(written)


def relations(found: list[tuple[str, str, str]]) -> str:
    inner = "".join(f'<Relationship Id="{i}" Type="{OFFICE}/{kind}" Target="{to}"/>' for i, kind, to in found)
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inner}</Relationships>'
    )


def docx(body: str, extra: dict[str, tuple[str, str]] | None = None) -> bytes:
    """body: what is in w:body. extra: relation's id -> (last word of its type, a part's content)."""
    found = extra or {}
    parts: dict[str, str | bytes] = {"word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>"}
    parts |= {f"word/{name}.xml": content for name, (_, content) in found.items()}
    related = [(name, kind, f"{name}.xml") for name, (kind, _) in found.items()]
    return office("word/document.xml", parts, {"word/document.xml": related})


def read(data: bytes, name: str = "a.docx") -> Extracted:
    """As `extract` does, from memory and in this process."""
    kind = "unknown"
    try:
        kind, reader = open_document(Source(name, data=data), How())
    except Unreadable as unreadable:
        return unread(unreadable.kind or kind, None, unreadable.reason, unreadable.message)
    try:
        return judge(kind, None, list(reader.pages()), reader.page_count, reader.left_out)
    except Unreadable as unreadable:
        return unread(unreadable.kind or kind, None, unreadable.reason, unreadable.message)
    finally:
        reader.close()


def text(data: bytes, name: str = "a.docx") -> str:
    """Of a file that is read whole."""
    found = read(data, name)
    assert (found.outcome, found.reason) == ("read", None)
    return "\n\n".join(page.text for page in found.pages if page.text)
