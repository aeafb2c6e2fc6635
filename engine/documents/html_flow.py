"""The tree of a page -> its text, read from top to bottom. It opens no file and follows no address.

Blocks become paragraphs, headings, items and rows of a `flow.Flow`; white space is what a browser shows of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from engine.documents.flow import Flow, one_line
from engine.documents.html_hidden import LONGEST_CONSENT, NEVER, frame_part, is_hidden
from engine.documents.html_inline import Addresses
from engine.documents.html_line import ENTER_IN_LINE, Attributes, Leave, Line, nothing
from engine.documents.html_list import List, list_of
from engine.documents.html_table import MOST_COLUMNS, MOST_ROWS, Table, is_table, span
from engine.documents.html_tags import tag_names

BLOCKS = tag_names(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup p"
    " plaintext pre search section select summary table tbody td textarea tfoot th thead tr ul video xmp"
)
# Shown as nothing: where a word may be parted, and marks of no width.
_UNSHOWN = re.compile("[\u00ad\u200b\u2060\ufeff]")
_BLANKS = re.compile(r"[\t\r\n\f][ \t\r\n\f]*| [ \t\r\n\f]+")


@dataclass
class Read:
    """text: of the page. heading: the first one, "" where there is none. pictures: the addresses of those that it
    shows. hidden: whether something was left out that nobody would see. frame: signs left out of what stands on every
    page of a site, by what it was ("navigation").
    """

    text: str = ""
    heading: str = ""
    pictures: list[str] = field(default_factory=list)
    hidden: bool = False
    frame: dict[str, int] = field(default_factory=dict)


def read_tree(root: LexborNode, with_frame: bool, host: str = "") -> Read:
    """with_frame: whether navigation and the like are read too. host: of the page; the addresses of links that stay
    there are not written down.
    """
    writer = _Writer(with_frame, host)
    pending: list[LexborNode | Leave] = [root]
    while pending:
        item = pending.pop()
        if not isinstance(item, LexborNode):
            item()
            continue
        if item.next is not None and item is not root:
            pending.append(item.next)
        tag = item.tag or ""
        if tag == "-text":
            writer.text(item.text_content or "")
            continue
        leave = writer.enter(tag, item)
        if leave is not None:
            pending.append(leave)
            if item.first_child is not None:
                pending.append(item.first_child)
    return writer.finished()


class _Writer:
    """Its `_enter_...` begin an element and return what ends it; None: nothing in it is read."""

    def __init__(self, with_frame: bool, host: str) -> None:
        self._with_frame = with_frame
        self._flow, self._read = Flow(), Read()
        self._heading = self._cells = 0
        self._is_behind_consent = False
        self._open: Counter[str] = Counter()
        self._lists: list[List] = []
        self._tables: list[Table | None] = []  # None: one that only puts things beside one another
        self._addresses = Addresses(host)
        self._line = Line(self._addresses)

    def finished(self) -> Read:
        self._break()
        self._read.text = self._flow.text()
        return self._read

    def text(self, text: str) -> None:
        text = _UNSHOWN.sub("", text)
        self._line.add(text if self._open["exact"] else _BLANKS.sub(" ", text))

    def enter(self, tag: str, node: LexborNode) -> Leave | None:
        """What ends the element; None: nothing in it is read."""
        attributes = node.attributes
        if tag in NEVER or (attributes and self._is_hidden(attributes)):
            return None
        if not self._with_frame and self._is_frame(tag, node, attributes):
            return None
        if tag in BLOCKS:
            self._break()
        if (enter := _ENTER.get(tag)) is not None:
            return enter(self, node, attributes)
        if (enter_in_line := ENTER_IN_LINE.get(tag)) is not None:
            return enter_in_line(self._line, node, attributes)
        return self._break if tag in BLOCKS else nothing

    def _is_hidden(self, attributes: Attributes) -> bool:
        hidden = is_hidden(attributes)
        self._read.hidden |= hidden
        return hidden

    def _is_frame(self, tag: str, node: LexborNode, attributes: Attributes) -> bool:
        part = frame_part(tag, attributes, self._open["article"] > 0)
        if part is None or (part == "consent" and self._is_behind_consent):
            return False
        signs = len(read_tree(node, with_frame=True).text)
        if part == "consent" and signs > LONGEST_CONSENT:
            self._is_behind_consent = True  # the page itself; what is in it is not measured again
            return False
        self._read.frame[part] = self._read.frame.get(part, 0) + signs
        return True

    def _break(self) -> None:
        """The line, the paragraph, the item that was being read ends here."""
        if self._cells:
            self._line.add(" ")
            return
        text = self._line.take()
        if not text.strip():
            return
        if self._open["exact"]:
            self._flow.exact(text)
        elif self._heading:
            self._flow.heading(text, self._heading)
            self._read.heading = self._read.heading or one_line(text)
        elif self._lists:
            self._flow.item(text, len(self._lists) - 1, self._lists[-1].take_mark())
        else:
            quote = "> " * self._open["quote"]
            lines = (one_line(line) for line in text.split("\n"))
            self._flow.paragraph("\n".join(quote + line for line in lines if line))
            self._addresses.write(self._flow)

    def _enter_heading(self, node: LexborNode, _: Attributes) -> Leave:
        before, self._heading = self._heading, int((node.tag or "h1")[1])

        def leave() -> None:
            self._break()
            self._heading = before

        return leave

    def _enter_exact(self, _: LexborNode, __: Attributes) -> Leave:
        return self._within("exact")

    def _enter_article(self, _: LexborNode, __: Attributes) -> Leave:
        return self._within("article")

    def _enter_quote(self, _: LexborNode, __: Attributes) -> Leave:
        return self._within("quote")

    def _within(self, what: str) -> Leave:
        """Counts how many of them are open."""
        self._open[what] += 1

        def leave() -> None:
            self._break()
            self._open[what] -= 1

        return leave

    def _enter_list(self, node: LexborNode, attributes: Attributes) -> Leave:
        self._lists.append(list_of(node.tag or "", attributes))
        self._apart()

        def leave() -> None:
            self._break()
            self._lists.pop()
            self._apart()

        return leave

    def _enter_item(self, node: LexborNode, attributes: Attributes) -> Leave:
        if self._lists:
            self._lists[-1].begin(node.tag or "", attributes)
            if self._cells:
                self._line.add(f"{self._lists[-1].take_mark()} ")
        return self._break

    def _apart(self) -> None:
        """Before the first and after the last of a list or table."""
        if not self._cells and not self._lists:
            self._flow.apart()
            self._addresses.write(self._flow)

    def _enter_table(self, node: LexborNode, _: Attributes) -> Leave:
        self._tables.append(Table() if self._cells or is_table(node) else None)
        self._apart()

        def leave() -> None:
            self._break()
            self._tables.pop()
            self._apart()

        return leave

    def _enter_row(self, _: LexborNode, __: Attributes) -> Leave:
        table = self._tables[-1] if self._tables else None
        if table is None:
            return self._break

        def leave() -> None:
            cells = table.end_row()
            if self._cells:
                self._line.add(", ".join(filter(None, cells)) + "; ")
            else:
                self._flow.row(cells)

        return leave

    def _enter_cell(self, _: LexborNode, attributes: Attributes) -> Leave:
        table = self._tables[-1] if self._tables else None
        if table is None:
            return self._break
        outside, self._line = self._line, Line(self._addresses)
        self._cells += 1

        def leave() -> None:
            self._cells -= 1
            text = one_line(self._line.take()).rstrip(";")
            self._line = outside
            table.cell(text, span(attributes, "colspan", MOST_COLUMNS), span(attributes, "rowspan", MOST_ROWS))

        return leave

    def _enter_picture(self, _: LexborNode, attributes: Attributes) -> Leave:
        named = (attributes.get(name) for name in ("src", "xlink:href", "href"))
        self._read.pictures.append(next(filter(None, named), ""))
        if alt := one_line(attributes.get("alt") or ""):
            self._line.add(f" [Picture: {alt}] ")
        return nothing


_ENTER: dict[str, Callable[[_Writer, LexborNode, Attributes], Leave | None]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _Writer._enter_heading),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext", "textarea"), _Writer._enter_exact),
    **dict.fromkeys(("main", "article"), _Writer._enter_article),
    **dict.fromkeys(("ul", "ol", "dir", "menu", "dl"), _Writer._enter_list),
    **dict.fromkeys(("li", "dt", "dd"), _Writer._enter_item),
    **dict.fromkeys(("td", "th"), _Writer._enter_cell),
    **dict.fromkeys(("img", "svg:image", "image"), _Writer._enter_picture),
    "blockquote": _Writer._enter_quote,
    "table": _Writer._enter_table,
    "tr": _Writer._enter_row,
}
