"""The lines that Keepsake writes into a document for the model, and a document's own lines that look like them.

A document's own line that begins as one of ours gets a backslash before its bracket, and one more where it has some. So
no document can claim to be another one or to be on another page, and what it says can be told from what the model sees.
"""

from __future__ import annotations

import re

from engine.documents.places import WORDS

_ENDS = r"\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
"""Characters that end a line for anyone who reads the text, as in str.splitlines."""
_BLANK = rf"[^\S{_ENDS}]"
_UNSEEN = r"[\xad\u200b-\u200f\u2060-\u2064\ufeff]"
_PARTS = "|".join(sorted(set(WORDS.values())))
_OURS = rf"document{_BLANK}*+:|(?:[^{_ENDS}]*?,{_BLANK}*+)?(?:{_PARTS}){_BLANK}*+\d"
_LINE_BEGINS = rf"(?<![^{_ENDS}])((?:{_BLANK}|{_UNSEEN})*+)"
_LOOKS_LIKE_OURS = re.compile(rf"{_LINE_BEGINS}(\\*\[{_BLANK}*+(?:{_OURS}))", re.IGNORECASE)
_LINE_ENDS = re.compile(rf"[{_ENDS}]+")


def of_document(name: str) -> str:
    """The line above a document of one piece, without its end."""
    return f"[Document: {_on_one_line(name)}]"


def of_part(name: str, heading: str, first: bool) -> str:
    """The line above a part, without its end. heading: of `places.heading`. first: whether it is the first line of the
    document, which alone says in which folder it lies: a long path above each page would cost too much.
    """
    return f"[{_on_one_line(name if first else name.rpartition('/')[2])}, {_on_one_line(heading)}]"


def told_apart(text: str) -> str:
    """A part's text with none of its lines like ours."""
    return _LOOKS_LIKE_OURS.sub(r"\1\\\2", text) if "[" in text else text


def _on_one_line(text: str) -> str:
    return _LINE_ENDS.sub(" ", text)
