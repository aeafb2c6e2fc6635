"""A web page, saved -> one page of text. Programs, styles, what is hidden and the site's frame are left out, by name.

Nothing is fetched: an address in a page is text. A page that would have no text without its frame is read with it, and
one that has text only for those who run no programs with that. What was made out in pictures that it holds stands at
its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from engine.documents.charsets import decoded_as
from engine.documents.data_address import NAME, picture_of
from engine.documents.flow import Flow, one_line
from engine.documents.html_flow import Read, parsed, read_tree
from engine.documents.inner_pictures import InnerPictures
from engine.documents.limits import LARGEST_TEXT
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Parts, Reader, Unreadable
from engine.documents.source import Source
from engine.documents.text import MARKS, decode

_DECLARED_WITHIN = 4096
_DECLARED = re.compile(
    rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]+)|<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I
)
_COMMENT = re.compile(rb"<!--.*?-->", re.S)
# Not without an end: what never ends would be looked for again and again.
_ONLY_WITHOUT_PROGRAMS = re.compile(r"</?noscript\b[^<>]*>", re.I)
_XHTML = re.compile(r"\A\s*<\?xml|<html[^>]*\sxmlns\s*=", re.I)


@dataclass(frozen=True)
class WebText:
    """text: with headings. title: of the page, "" where it has none. heading: the first in the text. pictures: the
    addresses of those that it shows. left_out: navigation and the like, and what is hidden.
    """

    text: str
    title: str
    heading: str
    pictures: Sequence[str]
    left_out: tuple[LeftOut, ...]


def open_html(source: Source, how: How) -> Reader:
    """Raises Unreadable: too_large, binary, no_text."""
    if source.size > LARGEST_TEXT:
        raise Unreadable("too_large")
    html = decode_html(source.read())
    if html is None:
        raise Unreadable("binary", kind="unknown")
    found = web_text(html)
    pictures = [data for data in map(picture_of, found.pictures) if data is not None]
    if not found.text and not pictures:
        raise Unreadable("no_text")
    left_out: list[LeftOut] = []

    def parts() -> Iterator[Page]:
        left_out[:] = found.left_out
        flow, inner = Flow(), InnerPictures(how.recognition, left_out)
        flow.exact(found.text)
        for data in pictures:
            inner.add_data(flow, NAME, data)
        yield inner.page(1, flow)

    return Parts(parts, left_out)


def decode_html(data: bytes, charset: str | None = None) -> str | None:
    """The page's text with its marks; None: no text. By its byte-order mark, then by charset, which came with it, then
    by what it says of itself, then by its bytes (HTML Standard, section 13.2.3.2).
    """
    if not data.startswith(tuple(mark for mark, _ in MARKS)):
        declared = _DECLARED.search(_COMMENT.sub(b"", data[:_DECLARED_WITHIN]))
        said = [group.decode("ascii", "replace") for group in (declared.groups() if declared else ()) if group]
        for name in filter(None, (charset, *said)):
            text = decoded_as(data, name)
            if text is not None and "\0" not in text:
                return text
    return decode(data)


def web_text(html: str, whole: bool = False) -> WebText:
    """whole: a part of a book or a message, which has no frame of a site around it."""
    found = _web_text(html, whole)
    if not found.text and _ONLY_WITHOUT_PROGRAMS.search(html):
        return _web_text(_ONLY_WITHOUT_PROGRAMS.sub(" ", html), whole)
    return found


def _web_text(html: str, whole: bool) -> WebText:
    parser = parsed(html, bool(_XHTML.search(html[:_DECLARED_WITHIN])))
    root = parser.root
    if root is None:
        return WebText("", "", "", (), ())
    host = "" if whole else _host(parser)
    read = read_tree(root, whole, host)
    frame = {part: signs for part, signs in read.frame.items() if signs}
    if len(read.text) < sum(signs for part, signs in frame.items() if part != "navigation") or not read.text:
        read, frame = read_tree(root, True, host), {}
    title_node = parser.css_first("head > title")
    title = one_line(title_node.text()) if title_node is not None else ""
    text = read.text
    if text and title and not whole and not read.heading and not text.startswith(title):
        text = f"# {title}\n\n{text}"
    return WebText(text, title, read.heading, read.pictures, _left_out(read, frame))


def _left_out(read: Read, frame: dict[str, int]) -> tuple[LeftOut, ...]:
    parts = [LeftOut("part", part) for part in frame]
    return (*parts, LeftOut("hidden", "")) if read.hidden else tuple(parts)


def _host(parser: LexborHTMLParser) -> str:
    """Of the site that the page was saved from, as far as it says so."""
    for selector, name in (("link[rel=canonical]", "href"), ("base", "href"), ('meta[property="og:url"]', "content")):
        node = parser.css_first(selector)
        try:
            host = urlsplit((node.attributes.get(name) or "") if node is not None else "").netloc
        except ValueError:
            continue
        if host:
            return host.removeprefix("www.")
    return ""
