"""What the text of an OpenDocument file refers to in other parts of the package: objects and pictures."""

from __future__ import annotations

import posixpath
from xml.etree.ElementTree import Element

from engine.documents.flow import Flow
from engine.documents.inner_pictures import InnerPictures
from engine.documents.odf_package import CONTENT, OdfPackage
from engine.documents.reader import LeftOut


class Embedded:
    """Of one document. left_out: what is in it and gives no text is added. pictures: made for its parts."""

    def __init__(self, package: OdfPackage, pictures: InnerPictures, left_out: list[LeftOut]) -> None:
        self._package, self.pictures, self.left_out = package, pictures, left_out

    def object(self, address: str) -> Element | None:
        """What a chart or a formula consists of."""
        return self._package.tree_or_none(f"{_part(address)}/{CONTENT}")

    def picture(self, flow: Flow, address: str, name: str) -> None:
        """Adds the text in it."""
        part = _part(address)
        known = part if part in self._package else None
        self.pictures.add(flow, name, known, lambda: self._package.read(part, kept=False))


def _part(address: str) -> str:
    return posixpath.normpath(address.removeprefix("./"))
