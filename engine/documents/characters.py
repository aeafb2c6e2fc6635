"""The characters that a PDF or a recogniser gives -> those of a text. It knows nothing of where they stand."""

from __future__ import annotations

import re
import unicodedata

# Ligatures and the shapes that Arabic letters take: the letters they stand for. Other compatibility signs (½, ²) stay.
PRESENTATION_FORMS = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufb4f\ufb50-\ufdff\ufe70-\ufefe]")
# Signs that stand at no place of Unicode's own, from fonts of signs alone: Symbol and Wingdings bullets, ticks.
PRIVATE_SIGNS = str.maketrans(
    {"\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "➢", "\uf0fc": "✓", "\uf0fe": "☑", "\uf06f": "☐", "\uf0a8": "☐"}
)
# What the letters of Zapf Dingbats show: the ticks and dots of forms. PDF 32000-1, annex D.6.
DINGBATS = str.maketrans("3456788lnuqotsHv", "✓✔✕✖✗✘✘●■◆❑❏▼▲★❖")
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
HALF_CHARACTERS = re.compile("[\ud800-\udfff]")
UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff]")
MOST_UNREADABLE = 0.2


def readable(text: str) -> str:
    """Letters in their base forms, no control characters, no blank lines."""
    text = PRESENTATION_FORMS.sub(lambda form: unicodedata.normalize("NFKC", form[0]), text.translate(PRIVATE_SIGNS))
    text = HALF_CHARACTERS.sub("\ufffd", CONTROLS.sub("", text))
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def is_unreadable(text: str) -> bool:
    """Whether too many characters have no name for the rest to be a text."""
    letters = re.sub(r"\s", "", text)
    return len(UNREADABLE.findall(letters)) > MOST_UNREADABLE * max(1, len(letters))
