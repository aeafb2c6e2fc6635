"""XML -> elements, without the ways in which XML does harm: no entity is ever declared, nothing outside is fetched.

It knows no vocabulary. Names are those of ElementTree: "{namespace}name".
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from engine.documents.limits import DEEPEST_XML
from engine.documents.reader import Unreadable

_PIECE = 2**16


def tree(data: bytes) -> Element:
    """The root. Raises Unreadable: unsafe_xml (entities are declared, or elements lie deeper than DEEPEST_XML),
    damaged.
    """
    parsing = _Parsing()
    parsing.feed(data, last=True)
    return parsing.root()


def elements(data: bytes, name: str) -> Iterator[Element]:
    """Every element of that name that lies in no other one of it, whole, one after another: what lies between them is
    forgotten, so that a table of a million rows needs the memory of one. Raises as `tree`.
    """
    parsing = _Parsing(name)
    for start in range(0, len(data), _PIECE):
        parsing.feed(data[start : start + _PIECE], last=start + _PIECE >= len(data))
        yield from parsing.found
        parsing.found.clear()
    if not data:
        raise Unreadable("damaged")


class _Parsing:
    """only: the name of the elements that are wanted; None: everything."""

    def __init__(self, only: str | None = None) -> None:
        self.found: list[Element] = []
        self._only, self._depth, self._within = only, 0, 0
        self._builder = TreeBuilder()
        self._parser = expat.ParserCreate(None, "}")
        self._parser.buffer_text = True
        self._parser.EntityDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text

    def feed(self, data: bytes, last: bool) -> None:
        try:
            self._parser.Parse(data, last)
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise Unreadable("damaged") from error

    def root(self) -> Element:
        return self._builder.close()

    def _refuse(self, *_: object) -> None:
        raise Unreadable("unsafe_xml")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST_XML:
            raise Unreadable("unsafe_xml")
        name = _named(name)
        if self._only is not None and not self._within:
            if name != self._only:
                return
            self._builder = TreeBuilder()
        self._within += self._only is not None
        self._builder.start(name, {_named(key): value for key, value in attributes.items()})

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._only is None:
            self._builder.end(_named(name))
        elif self._within:
            self._within -= 1
            self._builder.end(_named(name))
            if not self._within:
                self.found.append(self._builder.close())

    def _text(self, text: str) -> None:
        if self._only is None or self._within:
            self._builder.data(text)


def _named(name: str) -> str:
    return f"{{{name}" if "}" in name else name
