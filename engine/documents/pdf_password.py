"""Whether a password opens a PDF. It keeps none."""

from __future__ import annotations

import unicodedata
from typing import Any, Literal

_FORMS: tuple[Literal["NFC", "NFKC", "NFD"], ...] = ("NFC", "NFKC", "NFD")


def opens(document: Any, password: str | None) -> bool:
    """document: of PyMuPDF; open afterwards. The password is tried as it was typed and as another program may have
    written it: an "é" can be one character or two.
    """
    if password is None:
        return False
    forms = dict.fromkeys([password, *(unicodedata.normalize(form, password) for form in _FORMS)])
    return any(document.authenticate(form) for form in forms)
