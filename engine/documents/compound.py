"""What a file of the older compound form is (Microsoft's [MS-CFB]), by the names of the streams in it.

The form holds older Office files, Outlook messages, and newer Office files that a password locks. It reads the list of
streams and none of them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

from engine.documents.kinds import OLDER_OFFICE, Kind
from engine.documents.reasons import SENTENCES, unsupported
from engine.documents.source import Source

LOCKED = "This file needs a password. Open it in the program it comes from, save a copy without one and drop that."
_STREAMS = {
    "WordDocument": "older Word files",
    "Workbook": "older Excel files",
    "Book": "older Excel files",
    "PowerPoint Document": "older PowerPoint files",
    "__properties_version1.0": "Outlook messages",
    "VisioDocument": "Visio drawings",
    "Quill": "Publisher files",
}
_ENTRY_BYTES, _FIRST_DIFAT, _MOST_SECTORS, _NO_SECTOR = 128, 109, 1024, 0xFFFFFFFA


def compound_kind(source: Source) -> Kind:
    """Why it is not read. Raises OSError."""
    with source.open() as file:
        names = set(_names(file))
    if "EncryptedPackage" in names:
        return Kind("unknown", "encrypted", LOCKED)
    plural = next((plural for name, plural in _STREAMS.items() if name in names), None)
    if plural is None and len(names) < 2:
        return Kind("unknown", "damaged", SENTENCES["damaged"])
    return Kind("unknown", "unsupported_type", unsupported(plural or OLDER_OFFICE))


def _names(file: BinaryIO) -> Iterator[str]:
    header = file.read(512)
    if len(header) < 512:
        return
    shift = struct.unpack_from("<H", header, 30)[0]
    size = 1 << (shift if shift in (9, 12) else 9)
    sector, seen = struct.unpack_from("<I", header, 48)[0], 0
    while sector < _NO_SECTOR and seen < _MOST_SECTORS:
        entries = _sector(file, sector, size)
        for start in range(0, len(entries) - _ENTRY_BYTES + 1, _ENTRY_BYTES):
            length = struct.unpack_from("<H", entries, start + 64)[0]
            if 2 <= length <= 64:
                yield entries[start : start + length - 2].decode("utf-16-le", "replace")
        sector, seen = _next(file, header, sector, size), seen + 1


def _next(file: BinaryIO, header: bytes, sector: int, size: int) -> int:
    """The sector after this one, from the file allocation table."""
    per_sector = size // 4
    table = _table_sector(file, header, sector // per_sector, size)
    return _word(_sector(file, table, size), sector % per_sector) if table < _NO_SECTOR else _NO_SECTOR


def _table_sector(file: BinaryIO, header: bytes, number: int, size: int) -> int:
    """Where that part of the table is: the first 109 stand in the header, the others in a chain of sectors."""
    if number < _FIRST_DIFAT:
        return _word(header[76:], number)
    number, per_sector, sector = number - _FIRST_DIFAT, size // 4 - 1, struct.unpack_from("<I", header, 68)[0]
    for _ in range(min(number // per_sector, _MOST_SECTORS)):
        sector = _word(_sector(file, sector, size), per_sector) if sector < _NO_SECTOR else _NO_SECTOR
    return _word(_sector(file, sector, size), number % per_sector) if sector < _NO_SECTOR else _NO_SECTOR


def _sector(file: BinaryIO, number: int, size: int) -> bytes:
    file.seek((number + 1) * size)
    return file.read(size)


def _word(data: bytes, number: int) -> int:
    found = data[number * 4 : number * 4 + 4]
    return int.from_bytes(found, "little") if len(found) == 4 else _NO_SECTOR
