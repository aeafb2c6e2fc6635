from __future__ import annotations

import struct
from pathlib import Path

import pytest

from engine.documents.compound import LOCKED
from engine.documents.extract import extract
from engine.documents.opening import kind_of_source
from engine.documents.source import Source
from tests.engine.documents.office_files import MAIN_TYPES, docx, zipped

ODF = "application/vnd.oasis.opendocument."
TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{}</Types>'


def kind(data: bytes, name: str = "a.bin") -> tuple[str, str | None, str]:
    found = kind_of_source(Source(name, data=data))
    return found.kind, found.reason, found.message or ""


def typed(content_type: str, name: str = "x/y.xml") -> bytes:
    return zipped(
        {"[Content_Types].xml": TYPES.format(f'<Override PartName="/{name}" ContentType="{content_type}"/>'), name: ""}
    )


@pytest.mark.parametrize(
    ("content_type", "found"),
    [
        *[(content_type, part[:1]) for part, content_type in MAIN_TYPES.items()],
        ("application/vnd.ms-word.document.macroEnabled.main+xml", "w"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml", "w"),
        ("application/vnd.ms-word.template.macroEnabledTemplate.main+xml", "w"),
        ("application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml", "p"),
        ("application/vnd.ms-powerpoint.template.macroEnabled.main+xml", "p"),
        ("application/vnd.ms-excel.sheet.macroEnabled.main+xml", "x"),
    ],
)
def test_office_files_by_their_main_part(content_type: str, found: str) -> None:
    assert kind(typed(content_type), "a.zip")[:2] == ({"w": "docx", "p": "pptx", "x": "xlsx"}[found], None)


@pytest.mark.parametrize(
    ("content_type", "words"),
    [
        ("application/vnd.ms-excel.sheet.binary.macroEnabled.main", "Excel files of the binary form"),
        ("application/vnd.ms-visio.drawing.main+xml", "Visio"),
        ("application/vnd.ms-package.xps-fixeddocument+xml", "XPS"),
    ],
)
def test_other_packages_are_named(content_type: str, words: str) -> None:
    found, reason, message = kind(typed(content_type))
    assert (found, reason) == ("unknown", "unsupported_type") and words in message


@pytest.mark.parametrize(
    ("mimetype", "found"),
    [
        (f"{ODF}text", "odt"),
        (f"{ODF}spreadsheet\n", "ods"),
        (f"{ODF}presentation-template", "odp"),
        ("application/epub+zip", "epub"),
        (f"{ODF}formula", "unknown"),
        ("application/vnd.sun.xml.writer", "unknown"),
    ],
)
def test_those_that_name_themselves(mimetype: str, found: str) -> None:
    assert kind(zipped({"mimetype": mimetype, "content.xml": ""}), "a.zip")[0] == found


def test_the_rest_is_an_archive_or_named_by_what_is_in_it() -> None:
    assert kind(zipped({"a.txt": "x", "folder/[Content_Types].xml": "x"}))[:2] == ("archive", None)
    assert kind(zipped({"a.txt": "x"}), "a.docx")[:2] == ("archive", None)
    assert "Pages" in kind(zipped({"Index/Document.iwa": "x"}), "a.zip")[2]
    assert "Keynote" in kind(zipped({"Index.zip": "x"}), "a.key")[2]
    assert kind(b"PK\x03\x04 torn")[:2] == ("unknown", "damaged")
    bomb = '<!DOCTYPE a [<!ENTITY e "eeee">]><a/>'
    assert kind(zipped({"[Content_Types].xml": bomb}))[1] == "unsafe_xml"


def test_a_word_file_is_one_under_any_name() -> None:
    data = docx("<w:p/>")
    assert kind(data, "a.zip")[0] == kind(data, "a.txt")[0] == "docx"


def compound(*names: str, sector: int = 512) -> bytes:
    """A file of the older form with these streams in its list, which has a sector for each four names."""
    shift, per_sector = {512: 9, 4096: 12}[sector], sector // 128
    entries = [
        name.encode("utf-16-le").ljust(64, b"\0") + struct.pack("<H", len(name) * 2 + 2) + bytes(62) for name in names
    ]
    directory = [
        b"".join(entries[start : start + per_sector]).ljust(sector, b"\0")
        for start in range(0, len(entries), per_sector)
    ]
    table = [0xFFFFFFFD] + [number + 2 for number in range(len(directory) - 1)] + [0xFFFFFFFE]
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    struct.pack_into("<H", header, 30, shift)
    struct.pack_into("<I", header, 48, 1)
    struct.pack_into("<I", header, 68, 0xFFFFFFFE)
    struct.pack_into("<I", header, 76, 0)
    fat = struct.pack(f"<{len(table)}I", *table).ljust(sector, b"\xff")
    return bytes(header).ljust(sector, b"\0") + fat + b"".join(directory)


@pytest.mark.parametrize("sector", [512, 4096])
@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ("WordDocument", "older Word files"),
        ("Workbook", "older Excel files"),
        ("PowerPoint Document", "older PowerPoint files"),
        ("__properties_version1.0", "Outlook messages"),
        ("Something else", "older Office files"),
    ],
)
def test_older_files_are_named_by_their_streams(stream: str, words: str, sector: int) -> None:
    data = compound("Root Entry", "a", "b", "c", "d", "e", stream, sector=sector)
    found, reason, message = kind(data, "a.xyz")
    assert (found, reason) == ("unknown", "unsupported_type") and words in message


def test_a_newer_file_that_is_locked_asks_for_its_password() -> None:
    data = compound("Root Entry", "\x06DataSpaces", "EncryptionInfo", "x", "EncryptedPackage")
    assert kind(data, "a.docx") == ("unknown", "encrypted", LOCKED)


@pytest.mark.parametrize(
    ("stream", "outcome", "words"),
    [("EncryptedPackage", "needs_password", LOCKED), ("__properties_version1.0", "refused", "Outlook messages")],
)
def test_a_dropped_file_of_the_older_form_is_named_by_what_is_in_it(
    stream: str, outcome: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "letter.docx"
    path.write_bytes(compound("Root Entry", "a", "b", stream))
    found = extract(path)
    assert found.outcome == outcome and words in (found.message or "")


def test_a_list_that_goes_in_circles_ends() -> None:
    data = bytearray(compound("Root Entry", *"abcdefgh"))
    struct.pack_into("<I", data, 512 + 8, 1)
    assert kind(bytes(data))[1] == "unsupported_type"
    assert kind(bytes(data[:520]))[1] in ("damaged", "unsupported_type")
    assert kind(bytes(data[:8]))[1] == "damaged"
