"""The text of a package's file: paragraphs, headings and lists of HTML, DocBook, Markdown, reStructuredText and novels.

It knows no packages and no questions.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

LIST_ITEM = re.compile(r"\s*(?:[-*\u2022\u2013]|\(?\d{1,2}[.)])\s+\S")
_WORD = re.compile(r"[^\W\d_]{2}")
# A shorter paragraph is a menu, a caption or a line of a form.
_SHORTEST_PARAGRAPH = 40

Kind = Literal["paragraph", "heading", "item"]


def texts(path: Path) -> Iterator[tuple[str, str]]:
    """(name, text) of each document in a file."""
    if path.suffix == ".rdb":
        yield from _novels(path.read_bytes())
        return
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = data.decode("utf-8", errors="replace")
    name = path.name.removesuffix(".gz")
    if name.endswith((".html", ".xml", ".page")):
        text = _text_of_markup(text)
    elif name.endswith((".rst", ".txt")) and "/doc" in path.as_posix() and ".. " in text:
        text = tidy(_text_of_rst(text))
    else:
        text = tidy(text)
    yield from _parts(name, text)


def _parts(name: str, text: str, size: int = 200_000) -> Iterator[tuple[str, str]]:
    """A very long file as several documents, so that none is drawn from too rarely."""
    for number, begin in enumerate(range(0, len(text), size)):
        yield f"{name}#{number}", text[begin : begin + size]


def tidy(text: str) -> str:
    """Paragraphs, headings and list items on one line each, parted by a blank line but for the items of a list.

    Paragraphs too short to say anything are left out.
    """
    blocks = (_block(list(filter(str.strip, block.split("\n")))) for block in re.split(r"\n\s*\n", text))
    return "\n\n".join(filter(None, blocks))


def _block(lines: list[str]) -> str:
    """A line that begins like an item inside a paragraph is prose that broke at a dash or a number."""
    if not lines:
        return ""
    if LIST_ITEM.match(lines[0]):
        return "\n".join(line for line in joined(lines) if _WORD.search(line))
    if lines[0].startswith("#") and _WORD.search(lines[0]):
        below = " ".join(" ".join(lines[1:]).split())
        return " ".join(lines[0].split()) + (f"\n{below}" if below else "")
    paragraph = " ".join(" ".join(lines).split())
    return paragraph if len(paragraph) > _SHORTEST_PARAGRAPH else ""


def joined(lines: Sequence[str]) -> list[str]:
    """Lines that a page's width broke are joined; headings and list items keep lines of their own."""
    found: list[str] = []
    for line in filter(None, (" ".join(line.split()) for line in lines)):
        if found and not LIST_ITEM.match(line) and not found[-1].startswith("#"):
            found[-1] += f" {line}"
        else:
            found.append(line)
    return found


class _Blocks(HTMLParser):
    """Paragraphs, headings and list items of HTML, DocBook or Mallard; nothing of scripts, styles and navigation."""

    BREAKS = re.compile("p|para|div|dd|td|th|tr|pre|screen|section|table|ul|ol|head|body")
    HEADINGS = re.compile("h[1-6]|title|term|dt")
    ITEMS = re.compile("li|listitem|item")
    HIDDEN = re.compile("script|style|nav|head|info")
    HIDDEN_CLASSES = re.compile(r"nav|\btoc\b|\brelated\b|sphinxsidebar|page-menu|footer")

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[tuple[Kind, str]] = []
        self._kind: Kind = "paragraph"
        self._parts: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._hidden:
            self._hidden += [tag] if tag == self._hidden[0] else []
            return
        if self.HIDDEN.fullmatch(tag) or self._is_navigation(tag, attrs):
            self._end_block()
            self._hidden.append(tag)
        elif self.HEADINGS.fullmatch(tag):
            self._end_block("heading")
        elif self.ITEMS.fullmatch(tag):
            self._end_block("item")
        elif self.BREAKS.fullmatch(tag):
            self._end_block(self._kind if not self._said() else "paragraph")

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            if tag == self._hidden[0]:
                self._hidden.pop()
        elif any(kind.fullmatch(tag) for kind in (self.HEADINGS, self.ITEMS, self.BREAKS)):
            self._end_block()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._parts.append(data)

    def close(self) -> None:
        super().close()
        self._end_block()

    def _is_navigation(self, tag: str, attrs: list[tuple[str, str | None]]) -> bool:
        marks = " ".join(value or "" for name, value in attrs if name in ("class", "role"))
        return tag in ("div", "ul", "table") and bool(self.HIDDEN_CLASSES.search(marks))

    def _said(self) -> str:
        return " ".join("".join(self._parts).split()).rstrip("\u00b6")  # Sphinx marks a heading with a pilcrow

    def _end_block(self, following: Kind = "paragraph") -> None:
        """following: what the next block is."""
        said = self._said()
        if len(said) > _SHORTEST_PARAGRAPH or (self._kind != "paragraph" and _WORD.search(said)):
            self.blocks.append((self._kind, said))
        self._kind, self._parts = following, []


def _text_of_markup(markup: str) -> str:
    parser = _Blocks()
    parser.feed(markup)
    parser.close()
    text, before = "", "paragraph"
    for kind, said in parser.blocks:
        gap = "\n" if kind == before == "item" else "\n\n"
        text += (gap if text else "") + (f"- {said}" if kind == "item" else said)
        before = kind
    return text


def _text_of_rst(text: str) -> str:
    """The prose of reStructuredText: no directives, code, tables; titles marked; roles and literals as plain words."""
    kept, hidden = [], False
    for block in re.split(r"\n\s*\n", text):
        indented = block.startswith((" ", "\t"))
        if not indented:
            hidden = block.startswith("..")
        if not hidden and not re.search(r"^[+|]|^=+ +=", block):
            kept.append(_titled(block))
            hidden = block.rstrip().endswith("::")
    plain = re.sub(r":[\w:+-]+:`~?!?([^`<]+?)(?: *<[^`>]*>)?`", r"\1", "\n\n".join(kept))
    return re.sub(r"`+([^`<]+?)(?: *<[^`>]*>)?`+_*", r"\1", plain).replace("**", "").replace("::", ":")


def _titled(block: str) -> str:
    """An underlined title becomes a marked one; other rules go."""
    rule = r"[=~^*#'\"+.-]{3,}"
    block = re.sub(rf"^(\w.*)\n{rule}$", r"# \1", block, flags=re.MULTILINE)
    return re.sub(rf"^{rule}\n?", "", block, flags=re.MULTILINE)


def _novels(database: bytes) -> Iterator[tuple[str, str]]:
    """The novels in R's lazy-load database: each value is its length (4 bytes) and zlib-compressed serialised lines."""
    begin, number = 0, 0
    while begin < len(database):
        stream = zlib.decompressobj()
        serialised = stream.decompress(database[begin + 4 :])
        begin = len(database) - len(stream.unused_data)
        text = tidy("\n".join(_strings(serialised)))
        if len(text) > 100_000:
            yield from _parts(f"novel-{number}", text)
            number += 1


def _strings(serialised: bytes) -> Iterator[str]:
    """The character vectors of R's serialisation: each string is flags (type 9), a length and its bytes."""
    for match in re.finditer(rb"\x00\x04\x00\x09(....)", serialised, re.DOTALL):
        length = int.from_bytes(match[1], "big")
        yield serialised[match.end() : match.end() + length].decode("utf-8", errors="replace")
