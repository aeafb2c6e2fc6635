"""The name of an encoding, as a page or a message gives it -> text. It knows no format.

Names mean what browsers take them for (WHATWG Encoding Standard, section 4.2): "iso-8859-1" is Windows-1252, "gb2312"
all of GB 18030. UTF-7 is never believed: it hides marks from whoever looks for them.
"""

from __future__ import annotations

import codecs

MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "hz": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "utf-16": "utf-16-le",
    "utf-32": "utf-32-le",
}
ALIASES = {
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "ks_c_5601-1987": "cp949",
    "windows-949": "cp949",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gb18030",
    "x-x-big5": "big5hkscs",
    "iso-8859-8-i": "iso8859-8",
    "x-mac-roman": "mac_roman",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "koi": "koi8_r",
    "x-cp1251": "cp1251",
    "x-cp1252": "cp1252",
    "unicode-1-1-utf-8": "utf-8",
}
NEVER = frozenset({"utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "mbcs", "oem", "undefined"})
_LONGEST_NAME = 40
_MOST_REPLACED = 0.01


def codec_named(name: str) -> str | None:
    """The codec that this name means, or None where it means none of text."""
    name = name.strip().strip("\"'").lower()
    if not name or len(name) > _LONGEST_NAME or not name.isascii() or not name.isprintable():
        return None
    try:
        found = codecs.lookup(ALIASES.get(name, name))
    except (LookupError, ValueError):
        return None
    if found.name in NEVER or not found._is_text_encoding:
        return None
    return MEANT.get(found.name, found.name)


def decoded_as(data: bytes, name: str) -> str | None:
    """The text, or None where it is not in that encoding: more than one sign in a hundred would be lost. Bytes that are
    UTF-8 are read as UTF-8 whatever they are said to be: no other text looks so by chance.
    """
    codec = codec_named(name)
    if codec is None:
        return None
    is_wide = codec.startswith(("utf-16", "utf-32"))
    if (is_wide or not data.isascii()) and not (is_wide and b"\0" in data):
        try:
            return data.decode()
        except UnicodeDecodeError:
            pass
    try:
        text = data.decode(codec, "replace")
    except (UnicodeError, ValueError):
        return None
    return text if text.count("\ufffd") <= _MOST_REPLACED * len(text) else None
