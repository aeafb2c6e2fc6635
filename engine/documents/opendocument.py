"""An OpenDocument text (.odt) -> one page, a presentation (.odp) -> a page for each slide. Spreadsheets: `ods`.

Deleted text is left out, hidden text too, which is said; notes and comments stand behind their paragraph, headers and
footers once at the end. It finds the parts; what is in them is read by `odf_text`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from engine.documents.flow import Flow, one_line
from engine.documents.inner_pictures import InnerPictures
from engine.documents.line import Box
from engine.documents.odf_embedded import Embedded
from engine.documents.odf_inline import DRAWN
from engine.documents.odf_package import CONTENT, NAMESPACES, STYLES, OdfPackage
from engine.documents.odf_styles import OdfStyles
from engine.documents.odf_text import DROPPED, OdfText
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, PartsFrom, Reader, Unreadable
from engine.documents.reading_order import reading_order
from engine.documents.safe_xml import elements
from engine.documents.source import Source

_BLOCKS = ("{text}p", "{text}h", "{text}list", "{table}table", *DRAWN)
_RUNNING = ("header", "header-first", "header-left", "footer", "footer-first", "footer-left")
_TITLE = "title"
_NO_NOTES = ("page", "header", "footer", "date-time", "page-number")
"""What a page of notes holds beside them."""
_NUMBERED = re.compile(r"page\s*\d+|slide\s*\d+", re.I)
_LENGTH = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)(cm|mm|in|pt|pc|px)?")
_UNITS = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6, "px": 25.4 / 96}


def open_odt(source: Source, how: How) -> Reader:
    """Raises Unreadable and OSError."""
    return _open(source, how, _text_page)


def open_odp(source: Source, how: How) -> Reader:
    """Raises Unreadable and OSError."""
    return _open(source, how, _slides)


def styles_of(package: OdfPackage, content: bytes) -> tuple[OdfStyles, Element | None]:
    """(styles of a document's content, root of the styles part). Raises Unreadable: too_large_unpacked, unsafe_xml."""
    common = package.tree_or_none(STYLES)
    roots = [] if common is None else [common]
    try:
        own = next(elements(content, "{office}automatic-styles", NAMESPACES), None)
    except Unreadable as unreadable:
        if unreadable.reason != "damaged":
            raise
        own = None
    return OdfStyles(roots if own is None else [*roots, own]), common


def _open(source: Source, how: How, pages: Callable[[OdfPackage, Embedded], Iterator[Page]]) -> Reader:
    package = OdfPackage(source)
    left_out: list[LeftOut] = []

    def parts(first: int) -> Iterator[Page]:
        left_out.clear()
        return pages(package, Embedded(package, InnerPictures(how.recognition, left_out, first), left_out))

    return PartsFrom(parts, left_out, close=package.close)


def _text_page(package: OdfPackage, embedded: Embedded) -> Iterator[Page]:
    content = package.read(CONTENT)
    styles, common = styles_of(package, content)
    flow, lost = Flow(), None
    story = OdfText(flow, styles, embedded)

    def is_dropped(name: str, attributes: dict[str, str]) -> bool:
        is_hidden = name == "{text}section" and attributes.get("{text}display") == "none"
        if is_hidden:
            story.hidden()
        return is_hidden or name in DROPPED

    try:
        for element in elements(content, _BLOCKS, NAMESPACES, is_dropped):
            story.blocks([element])
        story.end()
        if common is not None:
            _add_running(flow, common, styles, embedded)
    except Unreadable as unreadable:
        if not flow:
            raise
        lost = unreadable.reason
    yield embedded.pictures.page(1, flow, lost)


def _add_running(flow: Flow, common: Element, styles: OdfStyles, embedded: Embedded) -> None:
    """Headers and footers of all kinds of pages, each text once."""
    said: set[str] = set()
    for master in common.iter("{style}master-page"):
        for kind in _RUNNING:
            element = master.find(f"{{style}}{kind}")
            if element is None or element.get("{style}display") == "false":
                continue
            running = Flow()
            story = OdfText(running, styles, embedded)
            story.blocks(element)
            story.end()
            text = one_line(running.text())
            if text not in said:
                said.add(text)
                flow.note(kind.partition("-")[0].capitalize(), text)


def _slides(package: OdfPackage, embedded: Embedded) -> Iterator[Page]:
    content = package.read(CONTENT)
    styles, _ = styles_of(package, content)
    number = 0
    try:
        for slide in elements(content, "{draw}page", NAMESPACES):
            number += 1
            embedded.pictures.begin(number)
            yield _slide(number, slide, styles, embedded)
    except Unreadable as unreadable:
        if not number:
            raise
        yield Page(number + 1, "failed", unreadable.reason, "")


def _slide(number: int, slide: Element, styles: OdfStyles, embedded: Embedded) -> Page:
    flow, lost = Flow(), None
    shapes = [shape for shape in slide if shape.tag in DRAWN]
    title = next((shape for shape in shapes if shape.get("{presentation}class") == _TITLE and _said(shape)), None)
    label = _said(title) if title is not None else slide.get("{draw}name", "")
    others = [shape for shape in shapes if shape is not title]
    story = OdfText(flow, styles, embedded)
    try:
        if title is not None:
            flow.heading(label)
        story.blocks(others[place] for place in reading_order([_box(shape) for shape in others]))
        story.blocks(child for child in slide if child.tag == "{office}annotation")
        story.end()
        notes = slide.find("{presentation}notes")
        if notes is not None:
            _add_notes(flow, notes, styles, embedded)
    except Unreadable as unreadable:
        lost = unreadable.reason
    name = None if title is None and _NUMBERED.fullmatch(label) else label or None
    if slide.get("{draw}style-name") in styles.hidden_slides:
        name = f"{name} (hidden)" if name else "hidden"
    return embedded.pictures.page(number, flow, lost, name)


def _add_notes(flow: Flow, notes: Element, styles: OdfStyles, embedded: Embedded) -> None:
    said = Flow()
    story = OdfText(said, styles, embedded)
    story.blocks(shape for shape in notes if shape.get("{presentation}class") not in _NO_NOTES)
    story.end()
    if said:
        flow.apart()
        flow.paragraph(f"Notes: {said.text()}")


def _said(shape: Element) -> str:
    return one_line("".join(shape.itertext()))


def _box(shape: Element) -> Box | None:
    sizes = [_length(shape.get(f"{{svg}}{name}")) for name in ("x", "y", "width", "height")]
    left, top, width, height = sizes
    if left is None or top is None:
        return None
    return left, top, left + max(0.0, width or 0.0), top + max(0.0, height or 0.0)


def _length(text: str | None) -> float | None:
    """In millimetres."""
    found = _LENGTH.fullmatch(text or "")
    return float(found[1]) * _UNITS[found[2] or "mm"] if found else None
