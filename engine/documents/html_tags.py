"""HTML -> the same HTML with bounds, so that the parser's work grows as the text does. It builds no tree.

The rules of HTML look up the whole stack of open elements at many tags, and open every unclosed `<font>` anew in each
paragraph (HTML Standard, section 13.2.4.3: the list of active formatting elements): 40 KB of marks can take gigabytes.
Tags too many levels down, and formatting that is opened and opened again, are left out; the text between them stays.
In XHTML, an element that closes itself gets its end tag: the parser would take what follows for what is in it.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape

DEEPEST, MOST_FORMATS, MOST_ATTRIBUTES = 400, 50, 1000


def tag_names(names: str) -> frozenset[str]:
    """Of a list with blanks between."""
    return frozenset(names.split())


VOID = tag_names("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")
FORMATS = tag_names("b big code em font i s small strike strong tt u")
# What stands in these is no markup up to their end tag.
RAW = tag_names("script style title textarea xmp iframe noembed noframes noscript")
CODE = frozenset({"script", "style"})
# What an element of this name ends where it begins, unless one of the others lies between.
_BLOCKS = tag_names("ul ol menu dir dl table td th blockquote section article button details object")
_SCOPES = tag_names("table td th caption button object template")
_TABLE, _SELECT = frozenset({"table"}), frozenset({"select"})
ENDS_PARAGRAPH = tag_names(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul"
)
_CELLS = tag_names("tr td th tbody thead tfoot caption colgroup")
CLOSES = {
    "li": ({"li"}, _BLOCKS | {"dt", "dd"}),
    "dt": ({"dt", "dd"}, _BLOCKS | {"li"}),
    "dd": ({"dt", "dd"}, _BLOCKS | {"li"}),
    "tr": ({"tr"}, _TABLE),
    "td": ({"td", "th"}, _TABLE),
    "th": ({"td", "th"}, _TABLE),
    "option": ({"option"}, _SELECT),
}
_TAG = re.compile(r"<(?:(!--)|(!\[CDATA\[)|(/?)([a-zA-Z][^\s/<>]*)((?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+|[^<>]*)>)")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_LONG_TAG = 10_000


def bounded(html: str, xhtml: bool = False) -> str:
    """HTML that the parser reads in time that grows as its length."""
    return _Bounds(html, xhtml).html()


class _Bounds:
    def __init__(self, html: str, xhtml: bool) -> None:
        self._html, self._xhtml = html, xhtml
        self._kept: list[str] = []
        self._from = 0
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._formats = 0
        self._dropped: Counter[str] = Counter()
        self._endless: set[str] = set()

    def html(self) -> str:
        place = 0
        while tag := _TAG.search(self._html, place):
            place = self._take(tag)
        self._kept.append(self._html[self._from :])
        return "".join(self._kept)

    def _take(self, tag: re.Match[str]) -> int:
        """Returns where the next tag is looked for."""
        comment, cdata, slash, name, attributes = tag.groups()
        if comment:
            return self._after("-->", tag.end())
        if cdata:
            end = self._after("]]>", tag.end())
            if self._xhtml and end > tag.end():
                self._replace(tag.start(), end, escape(self._html[tag.end() : end - 3], quote=False))
            return end
        name = name.lower()
        if slash:
            self._close(name, tag)
            return tag.end()
        closed = self._xhtml and attributes.endswith("/") and name not in VOID
        if closed:
            self._replace(tag.start(), tag.end(), f"<{name}{attributes[:-1]}></{name}>")
        elif name in RAW:
            end = self._after(f"</{name}", tag.end())
            if end == tag.end() and name not in CODE:
                self._replace(tag.start(), end, " ")  # else all that follows would be its content
            return end
        elif name not in VOID and not (attributes.endswith("/") and (self._counts["svg"] or self._counts["math"])):
            self._start(name, tag)
        if len(attributes) > _LONG_TAG and len(re.findall(r"[\s/]", _QUOTED.sub(" ", attributes))) > MOST_ATTRIBUTES:
            self._replace(tag.start(), tag.end(), f"<{name}></{name}>" if closed else f"<{name}>")
        return tag.end()

    def _start(self, name: str, tag: re.Match[str]) -> None:
        if name in FORMATS:
            if self._formats >= MOST_FORMATS:
                self._drop(name, tag)
            else:
                self._formats += 1
            return
        if name in _CELLS and not self._counts["table"]:
            return  # outside of a table the parser takes no notice of them
        if name in ENDS_PARAGRAPH and self._counts["p"]:
            self._end_before({"p"}, _SCOPES)
        if name in CLOSES:
            self._end_before(*CLOSES[name])
        if len(self._open) >= DEEPEST:
            self._drop(name, tag)
            return
        self._open.append(name)
        self._counts[name] += 1

    def _close(self, name: str, tag: re.Match[str]) -> None:
        if self._dropped[name]:
            self._dropped[name] -= 1
            self._replace(tag.start(), tag.end(), " ")
        elif name in FORMATS:
            self._formats = max(0, self._formats - 1)
        elif self._counts[name]:
            self._pop(len(self._open) - self._open[::-1].index(name) - 1)

    def _end_before(self, closed: set[str], between: frozenset[str]) -> None:
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place] in closed:
                self._pop(place)
                return
            if self._open[place] in between:
                return

    def _pop(self, place: int) -> None:
        for name in self._open[place:]:
            self._counts[name] -= 1
        del self._open[place:]

    def _drop(self, name: str, tag: re.Match[str]) -> None:
        self._dropped[name] += 1
        self._replace(tag.start(), tag.end(), "" if name in FORMATS else " ")

    def _replace(self, start: int, end: int, text: str) -> None:
        """A second replacement of the same place takes the first one's."""
        if start < self._from:
            self._kept.pop()
        else:
            self._kept.append(self._html[self._from : start])
        self._kept.append(text)
        self._from = end

    def _after(self, end: str, place: int) -> int:
        """What never ends is not looked for again."""
        if end in self._endless:
            return place
        found = re.compile(re.escape(end), re.I).search(self._html, place)
        if found is None:
            self._endless.add(end)
            return place
        return found.end()
