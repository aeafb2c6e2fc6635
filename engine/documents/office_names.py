"""The namespaces of Office Open XML (ISO/IEC 29500) under short names, in both spellings: that of the transitional
form, which all programs write, and that of the strict form, which some can be told to.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

_TRANSITIONAL = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"
_MICROSOFT = "http://schemas.microsoft.com/office/"
_BOTH = {
    "w": "wordprocessingml/{}main",
    "p": "presentationml/{}main",
    "x": "spreadsheetml/{}main",
    "a": "drawingml/{}main",
    "c": "drawingml/{}chart",
    "dgm": "drawingml/{}diagram",
    "pic": "drawingml/{}picture",
    "wp": "drawingml/{}wordprocessingDrawing",
    "xdr": "drawingml/{}spreadsheetDrawing",
    "r": "officeDocument/{}relationships",
    "m": "officeDocument/{}math",
}
NAMESPACES = {
    **{_TRANSITIONAL + path.format("2006/"): short for short, path in _BOTH.items()},
    **{_STRICT + path.format(""): short for short, path in _BOTH.items()},
    _TRANSITIONAL + "package/2006/content-types": "ct",
    _TRANSITIONAL + "package/2006/relationships": "rel",
    _TRANSITIONAL + "markup-compatibility/2006": "mc",
    "urn:schemas-microsoft-com:vml": "v",
    "urn:schemas-microsoft-com:office:office": "o",
    _MICROSOFT + "drawing/2014/chartex": "cx",
    _MICROSOFT + "powerpoint/2010/main": "p14",
    _MICROSOFT + "spreadsheetml/2018/threadedcomments": "xtc",
}
MOST_COLUMNS = 63
"""Of a table in a text: Word's own bound."""
BODY_TEXT = 9
"""The outline's level of what is no heading, from 0."""


def is_on(value: str | None, default: bool = False) -> bool:
    """ST_OnOff, as attributes spell it; None: the attribute is not there."""
    return default if value is None else value.lower() not in ("0", "false", "off", "none")


def whole(value: str | None, default: int = 0) -> int:
    """An attribute that is to be a whole number, or the default. Bounded to 32 bits, as the format bounds it."""
    try:
        return max(-(2**31), min(int(value[:20]), 2**31)) if value else default
    except ValueError:
        return default


def is_fallback(name: str, _: dict[str, str]) -> bool:
    """What an older program would show: the same text a second time."""
    return name == "{mc}Fallback"


def shown_children(element: Element) -> Iterator[Element]:
    """Of the same content for programs of different ages only the first."""
    if element.tag == "{mc}AlternateContent":
        choice = element.find("{mc}Choice")
        return iter(element if choice is None else choice)
    return iter(element)
