"""A chart, a diagram or a picture of an Office file, found from where it is named, into the text that is read. It knows
parts, and nothing of what these hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from xml.etree.ElementTree import Element

from engine.documents.chart import add_chart
from engine.documents.diagram import add_diagram
from engine.documents.flow import Flow
from engine.documents.inner_pictures import InnerPictures
from engine.documents.office_package import OfficePackage
from engine.documents.reader import LeftOut


@dataclass(frozen=True)
class Graphic:
    """kind: "chart", "diagram" or "picture". relation: the id of what it consists of; "" where it does not say. name:
    what the document calls a picture.
    """

    kind: str
    relation: str
    name: str = ""


OnGraphic = Callable[[Flow, Graphic], None]
"""Adds its text."""


class Graphics:
    """Of one document. left_out: what is missing or damaged is added."""

    def __init__(self, package: OfficePackage, pictures: InnerPictures, left_out: list[LeftOut]) -> None:
        self._package, self._pictures, self._left_out = package, pictures, left_out

    def of(self, part: str) -> OnGraphic:
        """For those that this part names."""
        return partial(self._add, part)

    def _add(self, part: str, flow: Flow, graphic: Graphic) -> None:
        relation = self._package.relations(part).get(graphic.relation)
        target = None if relation is None or relation.external else relation.target
        if graphic.kind == "picture":
            self._pictures.add(flow, graphic.name, target, lambda: self._package.read(target or "", kept=False))
        elif (root := self._package.tree_or_none(target)) is None:
            self._left_out.append(LeftOut("part", graphic.kind, "damaged"))
        elif graphic.kind == "chart":
            add_chart(flow, root)
        else:
            add_diagram(flow, root)


def picture(element: Element | None, name: str) -> Graphic:
    """Of the first {a}blip in an element."""
    found = next(element.iter("{a}blip"), None) if element is not None else None
    return Graphic("picture", "" if found is None else found.get("{r}embed", ""), name)
