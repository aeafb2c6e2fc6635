"""Characters of the fonts Symbol and Wingdings -> the characters that they show. Other fonts have letters where letters
are; these two have none, and a document that uses them names only places in the font.
"""

from __future__ import annotations

_PRIVATE = range(0xF000, 0xF100)
# Adobe's Symbol encoding, from 0x20 and from 0xA0.
_SYMBOL_LOW = (
    " !\u2200#\u2203%&\u220b()\u2217+,\u2212./0123456789:;<=>?"
    "\u2245\u0391\u0392\u03a7\u0394\u0395\u03a6\u0393\u0397\u0399\u03d1\u039a\u039b\u039c\u039d\u039f"
    "\u03a0\u0398\u03a1\u03a3\u03a4\u03a5\u03c2\u03a9\u039e\u03a8\u0396[\u2234]\u22a5_"
    "\u203e\u03b1\u03b2\u03c7\u03b4\u03b5\u03c6\u03b3\u03b7\u03b9\u03d5\u03ba\u03bb\u03bc\u03bd\u03bf"
    "\u03c0\u03b8\u03c1\u03c3\u03c4\u03c5\u03d6\u03c9\u03be\u03c8\u03b6{|}\u223c"
)
_SYMBOL_HIGH = (
    "\u20ac\u03d2\u2032\u2264\u2044\u221e\u0192\u2663\u2666\u2665\u2660\u2194\u2190\u2191\u2192\u2193"
    "\u00b0\u00b1\u2033\u2265\u00d7\u221d\u2202\u2022\u00f7\u2260\u2261\u2248\u2026|\u2014\u21b5"
    "\u2135\u2111\u211c\u2118\u2297\u2295\u2205\u2229\u222a\u2283\u2287\u2284\u2282\u2286\u2208\u2209"
    "\u2220\u2207\u00ae\u00a9\u2122\u220f\u221a\u22c5\u00ac\u2227\u2228\u21d4\u21d0\u21d1\u21d2\u21d3"
    "\u25ca\u27e8\u00ae\u00a9\u2122\u2211"
)
_SYMBOL = {
    **{0x20 + place: character for place, character in enumerate(_SYMBOL_LOW)},
    **{0xA0 + place: character for place, character in enumerate(_SYMBOL_HIGH)},
    0xF1: "\u27e9",
    0xF2: "\u222b",
}
# What documents use Wingdings for: boxes, ticks, arrows, bullets.
_WINGDINGS = {
    0x20: " ",
    0x6C: "\u25cf",
    0x6E: "\u25a0",
    0x6F: "\u25a1",
    0x71: "\u2751",
    0x76: "\u2756",
    0x9F: "\u2022",
    0xA7: "\u25aa",
    0xA8: "\u25fb",
    0xD8: "\u27a2",
    0xDF: "\u2190",
    0xE0: "\u2192",
    0xE1: "\u2191",
    0xE2: "\u2193",
    0xE8: "\u2794",
    0xF0: "\u21e8",
    0xFB: "\u2717",
    0xFC: "\u2713",
    0xFD: "\u2612",
    0xFE: "\u2611",
}
_UNKNOWN = "\u25aa"


def shown(font: str, code: int) -> str:
    """What a font shows for a code, which may lie in the private use area (U+F000 and on), as Office writes it. An
    ornament that has no character is a small square.
    """
    low = code - 0xF000 if code in _PRIVATE else code
    name = font.strip().lower()
    if name == "symbol":
        return _SYMBOL.get(low, _UNKNOWN)
    if name.startswith(("wingdings", "webdings")):
        return _WINGDINGS.get(low, _UNKNOWN) if name == "wingdings" else _UNKNOWN
    if not 0x20 <= low < 0x110000 or 0xD800 <= low < 0xE000:
        return ""
    return chr(low)
