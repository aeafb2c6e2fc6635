"""Marks of notes and addresses, as they are written in a line. It reads no tree."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from engine.documents.flow import Flow

LONGEST_ADDRESS = 300
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


def note_mark(text: str) -> str:
    """The mark of a note, apart from the word that it stands at: "[4]"."""
    mark = text.strip().strip("[]()")
    return f"[{mark}]" if mark else text


def refers(raised_node: LexborNode) -> bool:
    """Whether raised text is a link, as the mark of a note is."""
    parent = raised_node.parent
    return raised_node.css_first("a") is not None or (parent is not None and parent.tag == "a")
