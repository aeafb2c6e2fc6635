"""What a book says of itself: which parts make it up, in which order, and what its table of contents calls them.

It reads the package document (EPUB 3.3, section 5) and its forerunner of EPUB 2, and no chapter.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from selectolax.lexbor import LexborHTMLParser

from engine.documents.flow import one_line
from engine.documents.html import decode_html
from engine.documents.html_tags import bounded
from engine.documents.limits import MOST_ENTRIES
from engine.documents.reader import Unreadable
from engine.documents.safe_xml import tree
from engine.documents.safe_zip import SafeZip

CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
NCX = "application/x-dtbncx+xml"
# Fonts that are made unusable outside of the book; the text is open (EPUB 3.3, section 4.4).
FONT_METHODS = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_ELSEWHERE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|/")


@dataclass(frozen=True)
class Item:
    """name: of the part in the archive; None where the book names a place outside itself or none. media: its type."""

    name: str | None
    media: str
    properties: str = ""


class Book:
    """spine: what is read, in order; labels: part -> what the table of contents calls it. Raises Unreadable: damaged,
    drm_protected, unsafe_xml.
    """

    def __init__(self, package: SafeZip) -> None:
        self._package = package
        self._folded = {name.casefold(): name for name in package.names}
        if _is_locked(package):
            raise Unreadable("drm_protected")
        self._at = self._package_document()
        document = tree(package.read(self._at))
        self._items = dict(self._manifest(document))
        spine = next(_named(document, "spine"), None)
        if spine is None:
            raise Unreadable("damaged")
        self.spine = list(self._spine(spine))[:MOST_ENTRIES]
        self.labels = self._labels(spine)

    def _manifest(self, document: Element) -> Iterator[tuple[str, Item]]:
        for item in _named(document, "item"):
            name = self.place(self._at, item.get("href", ""))
            yield item.get("id", ""), Item(name, item.get("media-type", ""), item.get("properties", ""))

    def _spine(self, spine: Element) -> Iterator[Item]:
        """Each part once: a book that names one a thousand times is no longer for it."""
        seen: set[str] = set()
        for reference in _named(spine, "itemref"):
            item = self._items.get(reference.get("idref", ""), Item(None, ""))
            if item.name is None or item.name not in seen:
                yield item
            seen |= {item.name} if item.name is not None else set()

    def _labels(self, spine: Element) -> dict[str, str]:
        """Of EPUB 3's navigation document, else of EPUB 2's. A damaged one costs the names and nothing else."""
        contents = [item.name for item in self._items.values() if "nav" in item.properties.split()]
        older = self._items.get(spine.get("toc", ""))
        ncx = [item.name for item in (older, *self._items.values()) if item is not None and item.media == NCX]
        labels: dict[str, str] = {}
        for names, read in ((contents, self._navigation), (ncx, self._ncx)):
            for name in names:
                if name is not None and name in self._package and not labels:
                    try:
                        for part, label in read(name):
                            labels.setdefault(part, label)
                    except Unreadable:
                        continue
        return labels

    def _navigation(self, name: str) -> Iterator[tuple[str, str]]:
        html = decode_html(self._package.read(name)) or ""
        lists = LexborHTMLParser(bounded(html, xhtml=True), scripting=True).css("nav")
        contents = [node for node in lists if "toc" in (node.attributes.get("epub:type") or "").split()] or lists
        for link in contents[0].css("a[href]") if contents else ():
            yield from self._label(name, link.attributes.get("href") or "", link.text())

    def _ncx(self, name: str) -> Iterator[tuple[str, str]]:
        for point in _named(tree(self._package.read(name)), "navPoint"):
            label, content = next(_named(point, "text"), None), next(_named(point, "content"), None)
            if label is not None and content is not None:
                yield from self._label(name, content.get("src", ""), "".join(label.itertext()))

    def _label(self, at: str, address: str, text: str) -> Iterator[tuple[str, str]]:
        part, label = self.place(at, address), one_line(text.replace("\n", " "))
        if part is not None and label:
            yield part, label

    def place(self, at: str, address: str) -> str | None:
        """The part that an address in the part `at` means, whether it is there or not; None: none of this book."""
        path = unquote(re.split(r"[#?]", address, maxsplit=1)[0]).replace("\\", "/")
        if not path or _ELSEWHERE.match(path) or "\0" in path:
            return None
        name = posixpath.normpath(posixpath.join(posixpath.dirname(at), path))
        if name.startswith("../") or name == "..":
            return None
        return name if name in self._package else self._folded.get(name.casefold(), name)

    def _package_document(self) -> str:
        if CONTAINER in self._package:
            for root in _named(tree(self._package.read(CONTAINER)), "rootfile"):
                name = self.place("", root.get("full-path", ""))
                if name is not None and name in self._package:
                    return name
        found = next((name for name in self._package.names if name.lower().endswith(".opf")), None)
        if found is None:
            raise Unreadable("damaged")
        return found


def _is_locked(package: SafeZip) -> bool:
    if ENCRYPTION not in package:
        return False
    methods = [
        next((found.get("Algorithm", "") for found in _named(data, "EncryptionMethod")), "")
        for data in _named(tree(package.read(ENCRYPTION)), "EncryptedData")
    ]
    return any(method not in FONT_METHODS for method in methods)


def _named(element: Element, name: str) -> Iterator[Element]:
    """Whatever namespace they are in: books of all ages give it differently."""
    return (found for found in element.iter() if found.tag.rpartition("}")[2] == name)
