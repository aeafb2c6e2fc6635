"""What a file of the ZIP form is: by the parts in it, never by its name. It reads two small parts and no text."""

from __future__ import annotations

from pathlib import PurePath

from engine.documents.kinds import OFFICE_ENDINGS, Kind
from engine.documents.office_package import CONTENT_TYPES, OfficePackage
from engine.documents.reader import Unreadable
from engine.documents.reasons import SENTENCES, unsupported
from engine.documents.source import Source

MIMETYPE = "mimetype"
# The main part of an Office file by the end of its content type.
OFFICE = {
    "wordprocessingml.document.main+xml": "docx",
    "wordprocessingml.template.main+xml": "docx",
    "document.macroEnabled.main+xml": "docx",
    "template.macroEnabledTemplate.main+xml": "docx",
    "presentationml.presentation.main+xml": "pptx",
    "presentationml.slideshow.main+xml": "pptx",
    "presentationml.template.main+xml": "pptx",
    "presentation.macroEnabled.main+xml": "pptx",
    "slideshow.macroEnabled.main+xml": "pptx",
    "powerpoint.template.macroEnabled.main+xml": "pptx",
    "spreadsheetml.sheet.main+xml": "xlsx",
    "spreadsheetml.template.main+xml": "xlsx",
    "sheet.macroEnabled.main+xml": "xlsx",
    "excel.template.macroEnabled.main+xml": "xlsx",
}
# Packages of the same form that are no document that is read, by their content types.
OTHER_PACKAGES = {
    "excel.sheet.binary": "Excel files of the binary form",
    "excel.addin": "Excel files of the binary form",
    "ms-visio.": "Visio drawings",
    "fixeddocument": "XPS files",
    "3dmanufacturing": "models for printing",
}
_ODF = "application/vnd.oasis.opendocument."
MIMETYPES = {
    "application/epub+zip": "epub",
    f"{_ODF}text": "odt",
    f"{_ODF}text-template": "odt",
    f"{_ODF}text-master": "odt",
    f"{_ODF}spreadsheet": "ods",
    f"{_ODF}spreadsheet-template": "ods",
    f"{_ODF}presentation": "odp",
    f"{_ODF}presentation-template": "odp",
    f"{_ODF}graphics": "odp",
    f"{_ODF}graphics-template": "odp",
}
OTHER_MIMETYPES = {
    _ODF: "OpenDocument files of this kind",
    "application/vnd.sun.xml.": "older OpenOffice files",
}
_LONGEST_MIMETYPE = 200


def package_kind(source: Source) -> Kind:
    """A key of `readers`, "archive", or a reason why it is not read. Raises OSError."""
    try:
        package = OfficePackage(source)
    except Unreadable as unreadable:
        return _refused(unreadable)
    try:
        return _kind(package, PurePath(source.name).suffix.lower())
    except Unreadable as unreadable:
        return _refused(unreadable)
    finally:
        package.close()


def _kind(package: OfficePackage, ending: str) -> Kind:
    for kind in (_by_mimetype(package), _by_content_type(package)):
        if kind is not None:
            return kind
    if any(name.endswith(".iwa") or name == "Index.zip" for name in package.names):
        return _unsupported(OFFICE_ENDINGS.get(ending, "Pages, Numbers and Keynote files"))
    return _unsupported(OFFICE_ENDINGS[ending]) if ending in OFFICE_ENDINGS else Kind("archive")


def _by_mimetype(package: OfficePackage) -> Kind | None:
    """Books and OpenDocument files name themselves in a part of their own."""
    named = package.read(MIMETYPE)[:_LONGEST_MIMETYPE].decode("ascii", "replace").strip() if MIMETYPE in package else ""
    if named in MIMETYPES:
        return Kind(MIMETYPES[named])
    for begin, plural in OTHER_MIMETYPES.items():
        if named.startswith(begin):
            return _unsupported(plural)
    return Kind("epub") if "META-INF/container.xml" in package else None


def _by_content_type(package: OfficePackage) -> Kind | None:
    if CONTENT_TYPES not in package:
        return None
    types = [kind for _, kind in package.content_types()]
    for found in types:
        for end, kind in OFFICE.items():
            if found.endswith(end):
                return Kind(kind)
    for found in types:
        for word, plural in OTHER_PACKAGES.items():
            if word in found:
                return _unsupported(plural)
    return None


def _unsupported(plural: str) -> Kind:
    return Kind("unknown", "unsupported_type", unsupported(plural))


def _refused(unreadable: Unreadable) -> Kind:
    return Kind("unknown", unreadable.reason, unreadable.message or SENTENCES[unreadable.reason])
