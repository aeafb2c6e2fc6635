"""Which encoding the bytes of an RTF file are in: that of the font that they are set in (RTF 1.9.1, "Font table"), or
that of the whole document.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from engine.documents.symbols import shown

DEFAULT = "cp1252"
DEFAULTS = {"ansi": DEFAULT, "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
SYMBOLS = 2
_CODE_PAGES = {65001: "utf-8", 10000: "mac_roman", 936: "gbk", 20127: "ascii"}


@dataclass
class Font:
    """encoding: None: that of the document. symbols: whether its bytes are places in the font and no letters."""

    name: str = ""
    encoding: str | None = None
    symbols: bool = False

    def decode(self, data: bytes, default: str) -> str:
        """default: the document's encoding. What makes no sense becomes U+FFFD."""
        if self.symbols:
            return "".join(shown(self.name or "Symbol", byte) for byte in data)
        return data.decode(self.encoding or default, "replace")


def code_page(number: int) -> str | None:
    """Python's name for a Windows code page; None if it has none."""
    name = _CODE_PAGES.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None
