"""XML -> elements, without the ways in which XML does harm: nothing is ever declared, nothing outside is fetched, and
what a file costs grows with its size and no faster.

It knows no vocabulary. Names are those of ElementTree, "{namespace}name", where the caller may give long namespaces a
short name, and several of them the same: "{w}p".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from engine.documents.limits import DEEPEST_XML
from engine.documents.reader import Unreadable

Skip = Callable[[str, dict[str, str]], bool]
"""(name, attributes) -> whether the element is dropped with all that lies in it."""

_PIECE = 2**16
_AS_THEY_ARE: Mapping[str, str] = MappingProxyType({})
# Real vocabularies have a few hundred names, real namespaces a hundred characters. Each element's name is expanded to
# both, so that long ones would multiply a file's size.
_MOST_NAMES, _LONGEST_NAMESPACE, _LONGEST_NAME = 10_000, 1000, 1000


def tree(data: bytes, short: Mapping[str, str] = _AS_THEY_ARE, skip: Skip | None = None) -> Element:
    """The root. short: namespace -> its short name. Raises Unreadable: unsafe_xml (something is declared, or elements
    lie deeper than DEEPEST_XML), damaged.
    """
    parsing = _Parsing(None, short, skip)
    parsing.feed(data, last=True)
    return parsing.root()


def elements(
    data: bytes,
    wanted: str | Collection[str],
    short: Mapping[str, str] = _AS_THEY_ARE,
    skip: Skip | None = None,
    starts: Collection[str] = (),
) -> Iterator[Element]:
    """Every element of the wanted names that lies in no other one of them, whole, one after another: what lies between
    is forgotten, so that a table of a million rows needs the memory of one. starts: names of elements that are given
    when they begin, without what is in them, to know what the next ones belong to. Raises as `tree`, after what comes
    before the damage.
    """
    if not data:
        raise Unreadable("damaged")
    parsing = _Parsing({wanted} if isinstance(wanted, str) else wanted, short, skip, starts)
    start, size = 0, _PIECE
    while start < len(data):
        before = parsing.events
        try:
            parsing.feed(data[start : start + size], last=start + size >= len(data))
        except Unreadable:
            yield from parsing.found
            raise
        start += size
        yield from parsing.found
        parsing.found.clear()
        # A token that is longer than a piece is scanned anew with each piece: larger ones keep that linear.
        size = _PIECE if parsing.events > before else size * 2


class _Parsing:
    """only: the names of the elements that are wanted; None: everything."""

    def __init__(
        self,
        only: Collection[str] | None,
        short: Mapping[str, str],
        skip: Skip | None,
        starts: Collection[str] = (),
    ) -> None:
        self.found: list[Element] = []
        self.events = 0
        self._only, self._starts, self._short, self._skip = only, starts, short, skip
        self._depth = self._within = self._skipping = 0
        self._names: dict[str, str] = {}
        self._builder = TreeBuilder()
        self._parser = expat.ParserCreate(None, "}")
        self._parser.buffer_text = True
        self._parser.EntityDeclHandler = self._refuse
        self._parser.AttlistDeclHandler = self._refuse
        self._parser.StartNamespaceDeclHandler = self._namespace
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

    def _namespace(self, _: str | None, namespace: str | None) -> None:
        if namespace is not None and len(namespace) > _LONGEST_NAMESPACE:
            raise Unreadable("unsafe_xml")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.events += 1
        self._depth += 1
        if self._depth > DEEPEST_XML:
            raise Unreadable("unsafe_xml")
        if self._skipping:
            self._skipping += 1
            return
        name = self._named(name)
        if "}" in "".join(attributes):
            attributes = {self._named(key): value for key, value in attributes.items()}
        if self._skip is not None and self._skip(name, attributes):
            self._skipping = 1
            return
        if self._only is not None and not self._within:
            if name in self._starts:
                self.found.append(Element(name, attributes))
            if name not in self._only:
                return
            self._builder = TreeBuilder()
        self._within += 1
        self._builder.start(name, attributes)

    def _end(self, name: str) -> None:
        self.events += 1
        self._depth -= 1
        if self._skipping:
            self._skipping -= 1
        elif self._within:
            self._within -= 1
            self._builder.end(self._named(name))
            if self._only is not None and not self._within:
                self.found.append(self._builder.close())

    def _text(self, text: str) -> None:
        self.events += 1
        if self._within and not self._skipping:
            self._builder.data(text)

    def _named(self, name: str) -> str:
        known = self._names.get(name)
        if known is not None:
            return known
        if len(self._names) >= _MOST_NAMES or len(name) > _LONGEST_NAMESPACE + _LONGEST_NAME:
            raise Unreadable("unsafe_xml")
        namespace, _, local = name.rpartition("}")
        self._names[name] = f"{{{self._short.get(namespace, namespace)}}}{local}" if namespace else name
        return self._names[name]
