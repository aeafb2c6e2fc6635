"""The parts of an OpenDocument file (OASIS OpenDocument 1.3) and its names under short namespaces."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from engine.documents.compound import LOCKED
from engine.documents.reader import Unreadable
from engine.documents.safe_xml import Skip, tree
from engine.documents.safe_zip import SafeZip
from engine.documents.source import Source

_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
_NAMED = ("office", "text", "table", "style", "chart", "presentation", "manifest", "meta", "number")
NAMESPACES = {
    **{f"{_OASIS}{name}:1.0": name for name in _NAMED},
    f"{_OASIS}drawing:1.0": "draw",
    f"{_OASIS}svg-compatible:1.0": "svg",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://www.w3.org/1998/Math/MathML": "math",
}
CONTENT, STYLES, _MANIFEST = "content.xml", "styles.xml", "META-INF/manifest.xml"


class OdfPackage:
    """Raises Unreadable: encrypted; else as SafeZip, and OSError. Close it after use."""

    def __init__(self, source: Source) -> None:
        self._zip = SafeZip(source)
        try:
            manifest = self.tree_or_none(_MANIFEST)
            if manifest is not None and _is_locked(manifest):
                raise Unreadable("encrypted", LOCKED)
        except BaseException:
            self._zip.close()
            raise

    def __contains__(self, part: str) -> bool:
        return part in self._zip

    def read(self, part: str, kept: bool = True) -> bytes:
        """Raises Unreadable, as SafeZip."""
        if part not in self._zip:
            raise Unreadable("damaged")
        return self._zip.read(part, kept=kept)

    def tree_or_none(self, part: str, skip: Skip | None = None) -> Element | None:
        """Of a part that a document can do without: None where it is missing or damaged. Raises Unreadable:
        too_large_unpacked, unsafe_xml.
        """
        try:
            return tree(self.read(part), NAMESPACES, skip)
        except Unreadable as unreadable:
            if unreadable.reason == "damaged":
                return None
            raise

    def close(self) -> None:
        """Lets go of the file."""
        self._zip.close()


def _is_locked(manifest: Element) -> bool:
    """Each part is locked by itself, or all of them as one."""
    return any(
        entry.get("{manifest}full-path", "") in (CONTENT, "encrypted-package")
        and entry.find("{manifest}encryption-data") is not None
        for entry in manifest.iter("{manifest}file-entry")
    )
