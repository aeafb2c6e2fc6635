"""Pictures that a page holds in their addresses (RFC 2397) -> their bytes. Nothing is fetched."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from engine.documents.email_headers import base64_bytes

NAME = "picture"
"""Of one: its address has none."""
_PICTURE = re.compile(r"\s*data:image/([a-z0-9.+-]+)[^,]{0,200}?(;\s*base64)?\s*,", re.I)


def picture_of(address: str) -> bytes | None:
    """None: it lies elsewhere, or is a drawing."""
    found = _PICTURE.match(address)
    if found is None or found[1].lower().startswith("svg"):
        return None
    data = unquote_to_bytes(address[found.end() :])
    return base64_bytes(data) if found[2] else data
