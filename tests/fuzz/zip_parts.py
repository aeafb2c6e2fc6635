"""A package with one part changed: bytes changed anywhere else break its checksums, which shows nothing of a reader."""

from __future__ import annotations

import zipfile
from io import BytesIO


def parts_of(data: bytes) -> dict[str, bytes]:
    """Name -> bytes; nothing where it is no package."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as package:
            return {info.filename: package.read(info) for info in package.infolist() if info.file_size < 2**20}
    except Exception:  # whatever a spoiled package does to zipfile
        return {}


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """The same package with another part of that name; what is no package comes back as it is."""
    parts = parts_of(data)
    if not parts:
        return data
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        for part, kept in {**parts, name: content}.items():
            package.writestr(part, kept)
    return file.getvalue()
