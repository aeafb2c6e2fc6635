"""A Word document (.docx, .docm, .dotx) -> one page of text: its body, notes behind the paragraphs that they belong to,
then what its headers and footers say, once.

It finds the parts; what is in them is read by `docx_text`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from engine.documents.docx_numbering import Numbering
from engine.documents.docx_styles import Styles
from engine.documents.docx_text import DocxText
from engine.documents.flow import Flow, one_line
from engine.documents.graphic import Graphics
from engine.documents.inner_pictures import InnerPictures
from engine.documents.office_names import NAMESPACES, is_fallback, is_on
from engine.documents.office_package import OfficePackage
from engine.documents.opening import open_document
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Parts, Reader, Unreadable
from engine.documents.safe_xml import elements
from engine.documents.source import Source

MAIN = ".main+xml"
_BLOCKS = ("{w}p", "{w}tbl", "{w}sectPr", "{w}altChunk")
_CALLED = {"footnote": "Footnote", "endnote": "Endnote"}


def open_docx(source: Source, how: How) -> Reader:
    """Raises Unreadable and OSError."""
    package = OfficePackage(source)
    left_out: list[LeftOut] = []

    def parts() -> Iterator[Page]:
        left_out.clear()
        yield _Document(package, how, left_out).page()

    try:
        package.main(MAIN)
    except BaseException:
        package.close()
        raise
    return Parts(parts, left_out, close=package.close)


class _Document:
    def __init__(self, package: OfficePackage, how: How, left_out: list[LeftOut]) -> None:
        self._package, self._how, self._left_out = package, how, left_out
        self._main = package.main(MAIN)
        self._styles = Styles(package.tree_or_none(self._related("styles")))
        self._numbering = Numbering(package.tree_or_none(self._related("numbering")))
        self._pictures = InnerPictures(how.recognition, left_out)
        self._graphics = Graphics(package, self._pictures, left_out)
        self._lost: str | None = None
        self._notes: dict[str, dict[str, str]] = {}
        self._counts: dict[str, int] = {}

    def page(self) -> Page:
        """Raises Unreadable where there is nothing to be had."""
        flow = Flow()
        body = self._story(flow, self._main)
        try:
            for element in elements(self._package.read(self._main), _BLOCKS, NAMESPACES, is_fallback):
                if element.tag == "{w}altChunk":
                    self._add_chunk(flow, element.get("{r}id", ""))
                else:
                    body.blocks([element])
            body.end()
            self._add_running(flow, body)
        except Unreadable as unreadable:
            if not flow:
                raise
            self._lost = unreadable.reason
        return self._pictures.page(1, flow, self._lost)

    def _related(self, kind: str) -> str | None:
        return next(iter(self._package.related(self._main, kind)), None)

    def _story(self, flow: Flow, part: str) -> DocxText:
        on_graphic = self._graphics.of(part)
        return DocxText(flow, self._styles, self._numbering, self._left_out, self._add_note, on_graphic)

    def _add_note(self, flow: Flow, kind: str, name: str) -> None:
        if kind not in self._notes:
            self._notes[kind] = self._read_notes(kind)
        text = self._notes[kind].pop(name, "")
        if kind in _CALLED and text:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            flow.note(f"{_CALLED[kind]} {self._counts[kind]}", text)
        elif text:
            author, _, said = text.partition("\n")
            flow.note(f"Comment by {author}" if author else "Comment", said)

    def _read_notes(self, kind: str) -> dict[str, str]:
        """id -> text; of a comment its author's name comes first, in a line of its own."""
        found: dict[str, str] = {}
        part = self._related(f"{kind}s")
        if part is None:
            return found
        try:
            for note in elements(self._package.read(part), f"{{w}}{kind}", NAMESPACES, is_fallback):
                flow = Flow()
                on_graphic = self._graphics.of(part)
                story = DocxText(flow, self._styles, self._numbering, self._left_out, _no_note, on_graphic)
                story.blocks(note)
                story.end()
                author = f"{one_line(note.get('{w}author', ''))}\n" if kind == "comment" and flow else ""
                found[note.get("{w}id", "")] = author + flow.text()
        except Unreadable as unreadable:
            if unreadable.reason != "damaged":
                raise
            self._lost = "damaged"
        return found

    def _add_running(self, flow: Flow, body: DocxText) -> None:
        """Headers and footers that some page of the document shows, each text once."""
        settings = self._package.tree_or_none(self._related("settings"))
        even = settings.find("{w}evenAndOddHeaders") if settings is not None else None
        relations, said = self._package.relations(self._main), set[str]()
        for section in body.sections:
            first = section.find("{w}titlePg")
            shown = {
                "default": True,
                "first": first is not None and is_on(first.get("{w}val"), True),
                "even": even is not None and is_on(even.get("{w}val"), True),
            }
            for kind in ("header", "footer"):
                for reference in section.findall(f"{{w}}{kind}Reference"):
                    relation = relations.get(reference.get("{r}id", ""))
                    if relation is None or not shown.get(reference.get("{w}type", "default")):
                        continue
                    text = self._running_text(relation.target, said)
                    if text and text not in said:
                        flow.note(kind.capitalize(), text)
                    said.update((text, relation.target))

    def _running_text(self, part: str, read: set[str]) -> str:
        root = None if part in read else self._package.tree_or_none(part)
        if root is None:
            return ""
        flow = Flow()
        story = self._story(flow, part)
        story.blocks(root)
        story.end()
        return one_line(flow.text())

    def _add_chunk(self, flow: Flow, name: str) -> None:
        """A document of another kind that stands in the place of paragraphs."""
        relation = self._package.relations(self._main).get(name)
        if relation is None:
            return
        try:
            source = Source(relation.target.rpartition("/")[2], data=self._package.read(relation.target))
            _, reader = open_document(source, replace(self._how, depth=self._how.depth + 1))
            try:
                for page in reader.pages():
                    flow.exact(page.text)
                    self._lost = self._lost or page.reason
                self._left_out.extend(reader.left_out)
            finally:
                with suppress(OSError):
                    reader.close()
        except Unreadable as unreadable:
            self._left_out.append(LeftOut("part", relation.target, unreadable.reason))


def _no_note(_flow: Flow, _kind: str, _name: str) -> None:
    """A note has none of its own."""
