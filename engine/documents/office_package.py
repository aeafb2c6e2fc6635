"""An Office file's parts and how they refer to each other (ISO/IEC 29500-2, Open Packaging Conventions).

It knows no kind of document. Part names are given without the leading "/", and found whatever their letters' case.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from engine.documents.office_names import NAMESPACES, is_fallback
from engine.documents.reader import Unreadable
from engine.documents.safe_xml import tree
from engine.documents.safe_zip import SafeZip
from engine.documents.source import Source

CONTENT_TYPES = "[Content_Types].xml"


@dataclass(frozen=True)
class Relation:
    """kind: the last word of its type ("styles", "slide"). target: a part's name, or an address where `external`."""

    kind: str
    target: str
    external: bool = False


class OfficePackage:
    """Raises Unreadable and OSError, as SafeZip does. Close it after use."""

    def __init__(self, source: Source) -> None:
        self._zip = SafeZip(source)
        self._names = {name.lower(): name for name in self._zip.names}
        self._relations: dict[str, dict[str, Relation]] = {}

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._names

    @property
    def names(self) -> list[str]:
        """Of all parts."""
        return self._zip.names

    def read(self, part: str, kept: bool = True) -> bytes:
        """Raises Unreadable: damaged also where there is no such part; else as SafeZip."""
        name = self._names.get(part.lower())
        if name is None:
            raise Unreadable("damaged")
        return self._zip.read(name, kept=kept)

    def tree(self, part: str) -> Element:
        """A part's root. Raises Unreadable."""
        return tree(self.read(part), NAMESPACES, is_fallback)

    def tree_or_none(self, part: str | None) -> Element | None:
        """Of a part that a document can do without: None where it is missing or damaged. Raises Unreadable:
        too_large_unpacked, unsafe_xml.
        """
        try:
            return self.tree(part) if part is not None else None
        except Unreadable as unreadable:
            if unreadable.reason == "damaged":
                return None
            raise

    def content_types(self) -> list[tuple[str, str]]:
        """(part, type), parts that are named before those that go by their ending, whose part is "". Raises Unreadable:
        damaged, unsafe_xml.
        """
        root = self.tree(CONTENT_TYPES)
        named = [(_part(found.get("PartName", "")), found) for found in root.iter("{ct}Override")]
        return [(part, e.get("ContentType", "")) for part, e in [*named, *(("", e) for e in root.iter("{ct}Default"))]]

    def relations(self, part: str = "") -> dict[str, Relation]:
        """By id, of a part or of the whole package. Empty where there are none, or they are damaged."""
        if part not in self._relations:
            folder, name = posixpath.split(part)
            found = self.tree_or_none(posixpath.join(folder, "_rels", f"{name}.rels"))
            self._relations[part] = {} if found is None else _relations(found, folder)
        return self._relations[part]

    def related(self, part: str, kind: str) -> list[str]:
        """The parts of this kind that a part refers to, in its own order."""
        return [found.target for found in self.relations(part).values() if found.kind == kind and not found.external]

    def main(self, content_type: str) -> str:
        """The main part: what the package refers to, or else what has a content type of this ending. Raises Unreadable:
        damaged.
        """
        found = [part for part in self.related("", "officeDocument") if part in self]
        if not found:
            found = [part for part, kind in self.content_types() if kind.endswith(content_type) and part in self]
        if not found:
            raise Unreadable("damaged")
        return found[0]

    def close(self) -> None:
        """Lets go of the file."""
        self._zip.close()


def _relations(root: Element, folder: str) -> dict[str, Relation]:
    found: dict[str, Relation] = {}
    for relation in root.iter("{rel}Relationship"):
        target, external = relation.get("Target", ""), relation.get("TargetMode") == "External"
        kind = relation.get("Type", "").rpartition("/")[2]
        found[relation.get("Id", "")] = Relation(kind, target if external else _part(target, folder), external)
    return found


def _part(target: str, folder: str = "") -> str:
    """From the place of the part that refers to it; some programs write "\\" or leave the "/" of the root out."""
    path = unquote(target.replace("\\", "/").partition("#")[0])
    joined = path if path.startswith("/") else posixpath.join(folder, path)
    return posixpath.normpath(joined).lstrip("/") if path else ""
