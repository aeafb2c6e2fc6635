"""An RTF file's own tables of fonts and styles, which are no text but decide what is: which encoding a font has, which
styles are those of headings (specification 1.9.1, "Font table", "Style sheet").
"""

from __future__ import annotations

import re

from engine.documents.office_names import BODY_TEXT
from engine.documents.rtf_fonts import CHARSETS, SYMBOLS, Font, code_page

FONTS, STYLES = "fonttbl", "stylesheet"
TABLES = frozenset((FONTS, STYLES))
_HEADING = re.compile(r"heading ([1-9])\b", re.I)
_LONGEST_NAME = 200
_MOST = 10_000


class Tables:
    """fonts: by number. outlines: level of a heading, from 0, by the number of its style."""

    def __init__(self) -> None:
        self.fonts: dict[int, Font] = {}
        self.outlines: dict[int, int] = {}
        self._font = 0
        self._named = ""

    def word(self, table: str, name: str, number: int, style: int) -> int:
        """A control word in one of TABLES. style: which is being described -> which is from here on."""
        if table == STYLES:
            if name == "outlinelevel" and 0 <= number < BODY_TEXT and len(self.outlines) < _MOST:
                self.outlines[style] = number
            return number if name == "s" else style
        if name == "f" and len(self.fonts) < _MOST:
            self._font = number
            self.fonts[number] = Font()
        elif name in ("fcharset", "cpg") and self._font in self.fonts:
            font = self.fonts[self._font]
            font.encoding = CHARSETS.get(number) if name == "fcharset" else code_page(number)
            font.symbols = name == "fcharset" and number == SYMBOLS
        return style

    def text(self, table: str, data: bytes, style: int) -> None:
        """A name, or a piece of one; it ends with a semicolon."""
        self._named = (self._named + data.decode("latin-1"))[-_LONGEST_NAME:]
        if ";" not in self._named:
            return
        name, self._named = self._named.partition(";")[0].strip(), ""
        if table == FONTS and self._font in self.fonts:
            self.fonts[self._font].name = name
        elif table == STYLES and (heading := _HEADING.match(name)) and len(self.outlines) < _MOST:
            self.outlines.setdefault(style, int(heading[1]) - 1)
