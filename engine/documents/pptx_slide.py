"""What stands on one slide of a PowerPoint file -> a Flow: its title, then shapes in the order in which they are read.

It knows the elements of ISO/IEC 29500-1, section 19.3; where a placeholder without a place of its own is, is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from engine.documents.drawing import add_body, add_table, body_text
from engine.documents.flow import Flow, one_line
from engine.documents.graphic import Graphic, OnGraphic, picture
from engine.documents.line import Box
from engine.documents.office_names import is_on, shown_children, whole
from engine.documents.reader import LeftOut
from engine.documents.reading_order import reading_order

TITLES = ("title", "ctrTitle")
_NUMBER = "sldNum"
_RUNNING = ("ftr", "dt", "hdr", _NUMBER)
_SHAPES = ("{p}sp", "{p}grpSp", "{p}graphicFrame", "{p}pic", "{p}cxnSp")
_BULLETED = ("body", "obj")


@dataclass(frozen=True)
class Placeholder:
    """kind: "title", "body", or "obj" where it does not say; index: which of the layout's it is."""

    kind: str
    index: str


class Slide:
    """place_of: where a placeholder is that does not say so itself. said: what running lines earlier slides had; added
    to. left_out: added to.
    """

    def __init__(
        self,
        root: Element,
        place_of: Callable[[Placeholder], Box | None],
        on_graphic: OnGraphic,
        said: set[str],
        left_out: list[LeftOut],
    ) -> None:
        self._place_of, self._on_graphic, self._said, self._left_out = place_of, on_graphic, said, left_out
        tree = root.find("{p}cSld/{p}spTree")
        self._ground = root.find("{p}cSld/{p}bg")
        self._shapes = [] if tree is None else self._seen(tree)
        self._titled = next((shape for shape in self._shapes if _kind(shape) in TITLES and _title(shape)), None)
        self.title = None if self._titled is None else _title(self._titled)

    def add(self, flow: Flow) -> None:
        """Everything on it."""
        flow.heading(self.title or "")
        self._add_shapes(flow, [shape for shape in self._shapes if shape is not self._titled])
        self._add_fill(flow, self._ground)

    def _add_shapes(self, flow: Flow, shapes: list[Element]) -> None:
        running = [shape for shape in shapes if _kind(shape) in _RUNNING]
        others = [shape for shape in shapes if _kind(shape) not in _RUNNING]
        for number in reading_order([self._place(shape) for shape in others]):
            self._add_shape(flow, others[number])
        for shape in running:
            text = body_text(shape.find("{p}txBody"))
            if _kind(shape) != _NUMBER and text not in self._said:
                self._said.add(text)
                flow.paragraph(text)

    def _seen(self, parent: Element) -> list[Element]:
        """Shapes that are hidden are left out, and said where they have text."""
        found, seen = list(_shapes(parent)), []
        for shape in found:
            if not is_on(_property(shape, "hidden")):
                seen.append(shape)
            elif any((text.text or "").strip() for text in shape.iter("{a}t")):
                self._left_out.append(LeftOut("hidden", _name(shape)))
        return seen

    def _add_shape(self, flow: Flow, shape: Element) -> None:
        if shape.tag == "{p}grpSp":
            self._add_shapes(flow, self._seen(shape))
        elif shape.tag == "{p}graphicFrame":
            self._add_graphic(flow, shape)
        elif shape.tag == "{p}pic":
            self._on_graphic(flow, picture(shape, _name(shape)))
        else:
            add_body(flow, shape.find("{p}txBody"), _kind(shape) in _BULLETED)
            self._add_fill(flow, shape.find("{p}spPr/{a}blipFill"))

    def _add_fill(self, flow: Flow, element: Element | None) -> None:
        """A picture that a shape or the slide itself is filled with."""
        found = picture(element, "")
        if found.relation:
            self._on_graphic(flow, found)

    def _add_graphic(self, flow: Flow, frame: Element) -> None:
        for element in _drawn(frame):
            match element.tag:
                case "{a}tbl":
                    add_table(flow, element)
                case "{c}chart":
                    self._on_graphic(flow, Graphic("chart", element.get("{r}id", "")))
                case "{cx}chart":
                    self._left_out.append(LeftOut("part", "chart", "unsupported_type"))
                case "{dgm}relIds":
                    self._on_graphic(flow, Graphic("diagram", element.get("{r}dm", "")))
                case "{p}oleObj":
                    name = element.get("progId") or _name(frame)
                    self._left_out.append(LeftOut("attachment", name[:200], "unsupported_type"))

    def _place(self, shape: Element) -> Box | None:
        found = box(shape)
        if found is None and (placeholder := placeholder_of(shape)) is not None:
            found = self._place_of(placeholder)
        return found


def placeholder_of(shape: Element) -> Placeholder | None:
    """Which of its layout's a shape fills, if any."""
    for properties in shape:
        found = properties.find("{p}nvPr/{p}ph")
        if found is not None:
            return Placeholder(found.get("type", "obj"), found.get("idx", "0"))
    return None


def box(shape: Element) -> Box | None:
    """Where a shape says that it is, within the slide or the group that it is in."""
    for path in ("{p}spPr/{a}xfrm", "{p}grpSpPr/{a}xfrm", "{p}xfrm"):
        found = shape.find(path)
        place = found.find("{a}off") if found is not None else None
        size = found.find("{a}ext") if found is not None else None
        if place is not None and size is not None:
            left, top = whole(place.get("x")), whole(place.get("y"))
            return left, top, left + max(0, whole(size.get("cx"))), top + max(0, whole(size.get("cy")))
    return None


def shapes_of(root: Element) -> Iterable[Element]:
    """Of a slide, a layout or a master, without those in groups."""
    tree = root.find("{p}cSld/{p}spTree")
    return () if tree is None else _shapes(tree)


def _shapes(parent: Element) -> Iterator[Element]:
    for child in shown_children(parent):
        if child.tag in _SHAPES:
            yield child
        elif child.tag == "{mc}AlternateContent":
            yield from _shapes(child)


def _drawn(frame: Element) -> Iterator[Element]:
    """What a frame holds, from the outside; a table or object is not looked into."""
    for child in shown_children(frame):
        yield child
        if child.tag not in ("{a}tbl", "{p}oleObj"):
            yield from _drawn(child)


def _kind(shape: Element) -> str:
    placeholder = placeholder_of(shape)
    return "" if placeholder is None else placeholder.kind


def _title(shape: Element) -> str:
    return one_line(body_text(shape.find("{p}txBody")))


def _name(shape: Element) -> str:
    return (_property(shape, "descr") or _property(shape, "name") or "")[:200]


def _property(shape: Element, name: str) -> str | None:
    for properties in shape:
        found = properties.find("{p}cNvPr")
        if found is not None:
            return found.get(name)
    return None
