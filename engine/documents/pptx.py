"""A PowerPoint file (.pptx, .pptm, .ppsx, .potx) -> a page for each slide, in the order in which they are shown: title,
shapes, notes, comments. Hidden slides are read and said to be hidden: they keep their numbers.

It finds the parts; what stands on a slide is read by `pptx_slide`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.documents.drawing import body_text, paragraph_text
from engine.documents.flow import Flow
from engine.documents.graphic import Graphics
from engine.documents.inner_pictures import InnerPictures
from engine.documents.line import Box
from engine.documents.office_names import is_on
from engine.documents.office_package import OfficePackage
from engine.documents.page import Page
from engine.documents.pptx_slide import TITLES, Placeholder, Slide, box, placeholder_of, shapes_of
from engine.documents.reader import How, LeftOut, PartsFrom, Reader, Unreadable
from engine.documents.source import Source

MAIN = ".main+xml"
_HIDDEN = "hidden"
_NO_NOTES = ("sldImg", "sldNum", "hdr", "ftr", "dt")
"""What a page of notes holds beside them."""


@dataclass(frozen=True)
class _Listed:
    part: str
    section: str | None


def open_pptx(source: Source, how: How) -> Reader:
    """Raises Unreadable and OSError."""
    package = OfficePackage(source)
    try:
        deck = _Deck(package, how)
    except BaseException:
        package.close()
        raise
    return PartsFrom(deck.pages, deck.left_out, len(deck.slides), package.close)


class _Deck:
    """slides: as the presentation lists them; one that is not there has the part ""."""

    def __init__(self, package: OfficePackage, how: How) -> None:
        self._package, self._how = package, how
        main = package.main(MAIN)
        root = package.tree(main)
        self.left_out: list[LeftOut] = []
        self._places: dict[str, list[tuple[Placeholder, Box]]] = {}
        sections = {
            slide.get("id", ""): section.get("name")
            for section in root.iter("{p14}section")
            for slide in section.iter("{p14}sldId")
        }
        relations = package.relations(main)
        found: dict[str, _Listed] = {}
        for slide in root.iter("{p}sldId"):
            name = slide.get("{r}id", "")
            part = relations[name].target if name in relations else ""
            found.setdefault(name, _Listed(part, sections.get(slide.get("id", "")) or None))
        self.slides = list(found.values())

    def pages(self, first: int) -> Iterator[Page]:
        """One that cannot be read is "failed" and does not end the others. Before `first` no picture is looked at."""
        self.left_out.clear()
        pictures = InnerPictures(self._how.recognition, self.left_out, first)
        said: set[str] = set()
        for number, listed in enumerate(self.slides, 1):
            try:
                yield self._page(number, listed, said, pictures)
            except Unreadable as unreadable:
                yield Page(number, "failed", unreadable.reason, "", section=listed.section)

    def _page(self, number: int, listed: _Listed, said: set[str], pictures: InnerPictures) -> Page:
        def place_of(placeholder: Placeholder) -> Box | None:
            return self._place(listed.part, placeholder)

        pictures.begin(number)
        root, on_graphic = self._package.tree(listed.part), Graphics(self._package, pictures, self.left_out)
        slide, flow = Slide(root, place_of, on_graphic.of(listed.part), said, self.left_out), Flow()
        slide.add(flow)
        self._add_notes(flow, listed.part)
        self._add_comments(flow, listed.part)
        label = slide.title
        if not is_on(root.get("show"), True):
            label = f"{label} ({_HIDDEN})" if label else _HIDDEN
        return pictures.page(number, flow, None, label, listed.section)

    def _place(self, slide: str, placeholder: Placeholder) -> Box | None:
        """From the slide's layout, or from the master that the layout follows."""
        layout = self._first(slide, "slideLayout")
        found = [place for other, place in self._placeholders(layout) if other.index == placeholder.index]
        for other, place in self._placeholders(self._first(layout, "slideMaster")):
            if other.kind == placeholder.kind or {other.kind, placeholder.kind} <= {*TITLES}:
                found.append(place)
        return next(iter(found), None)

    def _placeholders(self, part: str) -> list[tuple[Placeholder, Box]]:
        if part not in self._places:
            root = self._package.tree_or_none(part) if part else None
            found = [] if root is None else [(placeholder_of(shape), box(shape)) for shape in shapes_of(root)]
            self._places[part] = [(name, place) for name, place in found if name is not None and place is not None]
        return self._places[part]

    def _first(self, part: str, kind: str) -> str:
        return next(iter(self._package.related(part, kind)), "") if part else ""

    def _add_notes(self, flow: Flow, slide: str) -> None:
        part = self._first(slide, "notesSlide")
        root = self._package.tree_or_none(part) if part else None
        for shape in () if root is None else root.iter("{p}sp"):
            placeholder = placeholder_of(shape)
            text = body_text(shape.find("{p}txBody"))
            if text and (placeholder is None or placeholder.kind not in _NO_NOTES):
                flow.apart()
                flow.paragraph(f"Notes: {text}")

    def _add_comments(self, flow: Flow, slide: str) -> None:
        for part in self._package.related(slide, "comments"):
            root = self._package.tree_or_none(part)
            for element in () if root is None else root.iter():
                if element.tag == "{p}text":
                    flow.note("Comment", element.text or "")
                elif element.tag == "{a}p":
                    flow.note("Comment", paragraph_text(element))
