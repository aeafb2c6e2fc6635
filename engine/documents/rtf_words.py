"""What RTF's control words mean for text: which groups hold none, which hold another story, which words are characters
(specification 1.9.1). It knows no state.
"""

from __future__ import annotations

# Groups that hold no text, or text that another group holds too.
SKIPPED = frozenset((
    "fonttbl", "colortbl", "stylesheet", "info", "pict", "fldinst", "object", "objdata", "objname", "objalias",
    "listtable", "listoverridetable", "revtbl", "filetbl", "rsidtbl", "xmlnstbl", "themedata",
    "colorschememapping", "datastore", "latentstyles", "generator", "pgdsctbl", "bkmkstart", "bkmkend", "private",
    "xe", "tc", "template", "sp", "shprslt", "nonshppict", "nonesttables", "pntxta", "pntxtb", "atnid",
    "atrfstart", "atrfend", "atntime", "atnref", "atndate", "atnicn", "atnparent", "mmathPr", "falt", "panose",
    "background", "wgrffmtfilter", "userprops", "docvar", "docvars", "keycode", "upr", "formfield", "datafield",
    "passwordhash", "protusertbl", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn",
))  # fmt: skip
# Groups marked as those that an older program may pass over, whose text is wanted all the same.
KNOWN = frozenset((
    "shpinst", "shptxt", "shppict", "ud", "moMath", "mr", "moMathPara", "nesttableprops", "annotation",
    "atnauthor", "fldrslt", "result", "footnote", "header", "footer", "headerr", "footerr", "headerl", "footerl",
    "headerf", "footerf", "listtext", "pntext", "dptxbxtext", "do",
))  # fmt: skip
STORIES = {
    "footnote": "Footnote",
    "annotation": "Comment",
    "shptxt": "",
    "dptxbxtext": "",
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "Header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "Footer"),
}
CHARACTERS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "softline": "\n", "emdash": "\u2014", "endash": "\u2013",
    "bullet": "\u2022", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d",
    "emspace": " ", "enspace": " ", "qmspace": " ", "ltrmark": "\u200e", "rtlmark": "\u200f", "zwj": "\u200d",
    "zwnj": "\u200c", "~": "\u00a0", "_": "-", "-": "",
}  # fmt: skip
ESCAPED = ("\\", "{", "}")
BREAKS = frozenset(("par", "sect", "page", "column", "\n", "\r"))
