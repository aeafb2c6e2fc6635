"""Marks of notes, raised and lowered digits, and addresses, as they are written in a line. It reads no tree."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from engine.documents.flow import Flow

LONGEST_ADDRESS = 300
_RAISED = str.maketrans(
    "0123456789+-n", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u207f"
)
_LOWERED = str.maketrans("0123456789", "\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089")
_CAN_BE_RAISED = re.compile(r"[0-9+\-n]+")
_ADDRESS = re.compile(r"(?:https?://|mailto:)(?P<rest>\S+)", re.I)


class Addresses:
    """Of links, for after the paragraph that they stand in. host: of the page; links that stay there are not kept."""

    def __init__(self, host: str) -> None:
        self._stays = re.compile(rf"{re.escape(host)}(?:[/:?#]|$)", re.I) if host else None
        self._waiting: list[tuple[str, str]] = []
        self._seen: set[str] = set()

    def add(self, text: str, address: str) -> None:
        """text: that is linked. An address that it says itself, and one that was kept before, is not kept."""
        found = _ADDRESS.match(address)
        if found is None or len(address) > LONGEST_ADDRESS or address in self._seen:
            return
        rest = found["rest"].rstrip("/").removeprefix("www.")
        if rest.lower() not in text.lower() and not (self._stays and self._stays.match(rest)):
            self._seen.add(address)
            self._waiting.append((text, address))

    def write(self, flow: Flow) -> None:
        """Those that wait."""
        for text, address in self._waiting:
            flow.note(text, address)
        self._waiting.clear()


def raised(text: str) -> str:
    """Digits stay apart from those before them: "10\u00b2", not "102"."""
    return text.translate(_RAISED) if _CAN_BE_RAISED.fullmatch(text) else text


def lowered(text: str) -> str:
    """As `raised`: "101\u2082", not "1012"."""
    return text.translate(_LOWERED)


def note_mark(text: str) -> str:
    """The mark of a note, apart from the word that it stands at: "[4]"."""
    mark = text.strip().strip("[]()")
    return f"[{mark}]" if mark else text


def refers(raised_node: LexborNode) -> bool:
    """Whether raised text is a link, as the mark of a note is."""
    parent = raised_node.parent
    return raised_node.css_first("a") is not None or (parent is not None and parent.tag == "a")
