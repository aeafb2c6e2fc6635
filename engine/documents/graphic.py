"""A chart or a diagram of an Office file, found from where it is named, into the text that is read. It knows parts, and
nothing of what a chart holds.
"""

from __future__ import annotations

from engine.documents.chart import add_chart
from engine.documents.diagram import add_diagram
from engine.documents.flow import Flow
from engine.documents.office_package import OfficePackage
from engine.documents.reader import LeftOut


def add_graphic(flow: Flow, package: OfficePackage, part: str, kind: str, name: str, left_out: list[LeftOut]) -> None:
    """part: where it is named, by `name`. kind: "chart" or "diagram". One that is missing or damaged is left out."""
    relation = package.relations(part).get(name)
    root = package.tree_or_none(relation.target) if relation is not None else None
    if root is None:
        left_out.append(LeftOut("part", kind, "damaged"))
    elif kind == "chart":
        add_chart(flow, root)
    else:
        add_diagram(flow, root)
