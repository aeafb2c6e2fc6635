"""What a file of the ZIP form is: by the parts in it, never by its name. It reads two small parts and no text."""

from __future__ import annotations

from pathlib import PurePath

from engine.documents.kinds import OFFICE_ENDINGS, Kind
from engine.documents.reader import Unreadable
from engine.documents.reasons import SENTENCES, unsupported
from engine.documents.safe_xml import tree
from engine.documents.safe_zip import SafeZip
from engine.documents.source import Source

CONTENT_TYPES, MIMETYPE = "[Content_Types].xml", "mimetype"
_TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"
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
    "spreadsheetml.sheet.main+xml": "xlsx",
    "spreadsheetml.template.main+xml": "xlsx",
    "sheet.macroEnabled.main+xml": "xlsx",
}
MIMETYPES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.text-template": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.spreadsheet-template": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.presentation-template": "odp",
}
_LONGEST_MIMETYPE = 200


def package_kind(source: Source) -> Kind:
    """A key of `readers`, "archive", or a reason why it is not read. Raises OSError."""
    try:
        package = SafeZip(source)
    except Unreadable as unreadable:
        return _refused(unreadable.reason)
    try:
        return _kind(package, PurePath(source.name).suffix.lower())
    except Unreadable as unreadable:
        return _refused(unreadable.reason)
    finally:
        package.close()


def _kind(package: SafeZip, ending: str) -> Kind:
    if MIMETYPE in package and package.size(MIMETYPE) <= _LONGEST_MIMETYPE:
        found = MIMETYPES.get(package.read(MIMETYPE).decode("ascii", "replace").strip())
        if found is not None:
            return Kind(found)
    if "META-INF/container.xml" in package:
        return Kind("epub")
    if CONTENT_TYPES in package:
        for override in tree(package.read(CONTENT_TYPES)).iter(f"{_TYPES}Override"):
            kind = next((kind for end, kind in OFFICE.items() if override.get("ContentType", "").endswith(end)), None)
            if kind is not None:
                return Kind(kind)
    if ending in OFFICE_ENDINGS:
        return Kind("unknown", "unsupported_type", unsupported(OFFICE_ENDINGS[ending]))
    return Kind("archive")


def _refused(reason: str) -> Kind:
    return Kind("unknown", reason, SENTENCES[reason])
