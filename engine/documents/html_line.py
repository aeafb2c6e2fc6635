"""The line of a page that is being read: its words, and what stands in a line and is more than letters.

Marks of notes, raised and struck text, quotation marks, addresses, what is typed and ticked in a form. It knows no
blocks: who has a line ends it.
"""

from __future__ import annotations

from collections.abc import Callable

from selectolax.lexbor import LexborNode

from engine.documents.flow import one_line
from engine.documents.html_inline import Addresses, note_mark, refers
from engine.documents.html_math import formula
from engine.documents.scripts import lowered, raised, struck

_TICKED, _NOT_TICKED = " [x] ", " [ ] "
_TYPED = frozenset({"text", "number", "date", "time", "datetime-local", "month", "week", "email", "tel", "url"})
_PLACED = frozenset({"x", "y", "dx", "dy"})

Attributes = dict[str, str | None]
Leave = Callable[[], None]


def nothing() -> None:
    """Where nothing is to be done at an element's end."""


class Line:
    """Its `enter_...` begin an element and return what ends it; None: nothing in it is read. addresses: takes those of
    the links.
    """

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._pieces: list[str] = []
        self._ended = 0

    def add(self, text: str) -> None:
        """At its end."""
        self._pieces.append(text)

    def take(self) -> str:
        """What was read; the next line begins."""
        text = "".join(self._pieces)
        self._pieces.clear()
        self._ended += 1
        return text

    def enter_link(self, _: LexborNode, attributes: Attributes) -> Leave:
        address = (attributes.get("href") or "").strip()
        ended, begin = self._ended, len(self._pieces)

        def leave() -> None:
            text = one_line("".join(self._pieces[begin:])) if self._ended == ended else ""
            if text:
                self._addresses.add(text, address)

        return leave

    def enter_reference(self, node: LexborNode, attributes: Attributes) -> Leave:
        if "noteref" not in (attributes.get("epub:type") or attributes.get("role") or ""):
            return self.enter_link(node, attributes)
        return self._changed(lambda _, text: note_mark(text))

    def enter_raised(self, node: LexborNode, _: Attributes) -> Leave:
        change = note_mark if refers(node) else raised
        return self._changed(lambda _, text: change(text))

    def enter_lowered(self, _: LexborNode, __: Attributes) -> Leave:
        return self._changed(lambda before, text: lowered(text, before))

    def enter_struck(self, _: LexborNode, __: Attributes) -> Leave:
        """As Markdown shows it: an old price beside the new one."""
        return self._changed(lambda _, text: struck(text))

    def _changed(self, change: Callable[[str, str], str]) -> Leave:
        """change: what stands before the element, and its text -> what is written for it."""
        ended, begin = self._ended, len(self._pieces)

        def leave() -> None:
            if self._ended == ended:
                before = self._pieces[begin - 1] if begin else ""
                self._pieces[begin:] = [change(before, "".join(self._pieces[begin:]))]

        return leave

    def enter_ruby_text(self, _: LexborNode, __: Attributes) -> Leave:
        return self._between("(", ")")

    def enter_quoted(self, _: LexborNode, __: Attributes) -> Leave:
        return self._between("\u201c", "\u201d")

    def enter_apart(self, _: LexborNode, __: Attributes) -> Leave:
        return self._between(" ", " ")

    def enter_span_of_drawing(self, node: LexborNode, attributes: Attributes) -> Leave:
        """Words that are placed by themselves are a line of their own."""
        return self.enter_apart(node, attributes) if attributes.keys() & _PLACED else nothing

    def enter_option(self, _: LexborNode, attributes: Attributes) -> Leave:
        return self._between(_TICKED if "selected" in attributes else "", "\n")

    def enter_input(self, _: LexborNode, attributes: Attributes) -> Leave:
        kind = (attributes.get("type") or "text").lower()
        if kind in ("checkbox", "radio") and "role" not in attributes:
            self.add(_TICKED if "checked" in attributes else _NOT_TICKED)
        elif kind in _TYPED:
            self.add(f" {attributes.get('value') or ''} ")
        return nothing

    def enter_break(self, _: LexborNode, __: Attributes) -> Leave:
        return self._between("\n", "")

    def _between(self, begin: str, end: str) -> Leave:
        self.add(begin)
        return lambda: self.add(end)

    def enter_formula(self, node: LexborNode, attributes: Attributes) -> Leave | None:
        found = formula(node, attributes.get("alttext"))
        if found is None:
            return nothing
        self.add(found)
        return None


ENTER_IN_LINE: dict[str, Callable[[Line, LexborNode, Attributes], Leave | None]] = {
    **dict.fromkeys(("del", "s", "strike"), Line.enter_struck),
    **dict.fromkeys(("button", "text"), Line.enter_apart),  # "text": of a drawing
    "a": Line.enter_reference,
    "sup": Line.enter_raised,
    "sub": Line.enter_lowered,
    "rt": Line.enter_ruby_text,
    "q": Line.enter_quoted,
    "br": Line.enter_break,
    "tspan": Line.enter_span_of_drawing,
    "option": Line.enter_option,
    "input": Line.enter_input,
    "math": Line.enter_formula,
}
