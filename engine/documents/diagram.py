"""A diagram of an Office file ("SmartArt", ISO/IEC 29500-1, section 21.4) -> its texts as lists within lists."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from engine.documents.flow import Flow
from engine.documents.office_names import whole


def add_diagram(flow: Flow, root: Element) -> None:
    """root: of its data part."""
    points = {point.get("modelId", ""): point for point in root.iter("{dgm}pt")}
    below: dict[str, list[tuple[int, str]]] = {}
    for link in root.iter("{dgm}cxn"):
        if link.get("type", "parOf") == "parOf":
            order = whole(link.get("srcOrd"))
            below.setdefault(link.get("srcId", ""), []).append((order, link.get("destId", "")))
    tops = [name for name, point in points.items() if point.get("type") == "doc"]
    flow.apart()
    waiting, seen = [(name, -1) for name in reversed([*tops, *points])], set[str]()
    while waiting:
        name, depth = waiting.pop()
        if name in points and name not in seen:
            seen.add(name)
            flow.item(_text(points[name]), max(0, min(depth, 6)))
            waiting.extend((child, depth + 1) for _, child in sorted(below.get(name, ()), reverse=True))
    flow.apart()


def _text(point: Element) -> str:
    return " ".join("".join(text.text or "" for text in line.iter("{a}t")) for line in point.iter("{a}p"))
