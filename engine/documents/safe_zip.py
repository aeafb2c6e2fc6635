"""The parts of an archive, within bounds that are looked at before anything is unpacked. Nothing is ever written.

It knows the ZIP form (APPNOTE.TXT 6.3.10) and nothing of what the parts hold.
"""

from __future__ import annotations

import copy
import errno
import re
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from engine.documents.limits import (
    LARGEST_DIRECTORY,
    LARGEST_PART,
    LARGEST_UNPACKED,
    MIB,
    MOST_ENTRIES,
    MOST_RATIO,
    RATIO_FROM,
)
from engine.documents.reader import Unreadable
from engine.documents.reasons import unsupported
from engine.documents.source import Source

ENCRYPTED, STRONG = 0x1 | 0x40 | 0x2000, 0x40 | 0x2000
AES = 99
"""The method that says so (WinZip's). Only the older lock, PKWARE's own, is undone here."""
PASSWORD_LETTERS = ("utf-8", "cp437", "cp1252")
"""What packers make a password's letters into."""
# Of the other methods zipfile unpacks as much as it is given at once, however large that becomes.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_END, _END_64, _LOCATOR_64, _ENTRY = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"PK\x01\x02"
_END_BYTES, _END_64_BYTES, _LOCATOR_BYTES, _LONGEST_COMMENT = 22, 56, 20, 65535


# Windows' own; elsewhere a colon is a letter like any other.
_DRIVE = re.compile("[A-Za-z]:(?:/|$)")


class SafeZip:
    """names: of the files in it, in its own order, "/" between folders; of two of one name the later one counts, as
    for other programs. replaced: how many came before it, by name. unsafe: names that lead out of it; they are not
    among `names`. Raises Unreadable: damaged, too_large_unpacked; OSError. Close it after use.
    """

    def __init__(self, source: Source, largest_part: int = LARGEST_PART) -> None:
        self._file = source.open()
        self._left, self._largest_part = LARGEST_UNPACKED, largest_part
        try:
            with _damaged():
                _refuse_large_directory(self._file, source.size)
                self._zip = zipfile.ZipFile(self._file)
            # Of a file without a name is_dir() raises IndexError.
            found = [info for info in self._zip.infolist() if not info.filename.endswith("/")]
            if sum(info.compress_size for info in found) > source.size:
                raise Unreadable("too_large_unpacked")  # the same bytes stand for many parts
        except BaseException:
            self._file.close()
            raise
        known = {_plain(info.filename): info for info in found}
        self.unsafe = [info.filename for info in found if not _is_safe(_plain(info.filename))]
        self._parts = {name: info for name, info in known.items() if _is_safe(name)}
        self.names = list(self._parts)
        counts = Counter(_plain(info.filename) for info in found)
        self.replaced = {name: counts[name] - 1 for name in self.names if counts[name] > 1}

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def size(self, name: str) -> int:
        """Bytes of a part unpacked, as the archive claims. Raises KeyError."""
        return self._parts[name].file_size

    def is_encrypted(self, name: str) -> bool:
        """Whether a part needs a password. Raises KeyError."""
        return bool(self._parts[name].flag_bits & ENCRYPTED)

    def is_locked_for_good(self, name: str) -> bool:
        """Whether no password opens a part here. Raises KeyError."""
        info = self._parts[name]
        return self.is_encrypted(name) and bool(info.flag_bits & STRONG or info.compress_type == AES)

    def is_link(self, name: str) -> bool:
        """Whether a part is a link on Unix, and holds the name of what it links to. Raises KeyError."""
        return stat.S_ISLNK(self._parts[name].external_attr >> 16)

    def renew(self) -> None:
        """What was read so far counts no more, as each part is a document of its own."""
        self._left = LARGEST_UNPACKED

    def read(self, name: str, password: str | None = None, kept: bool = True) -> bytes:
        """A part, unpacked. What all calls give together counts, not what the archive claims. kept: whether it counts:
        a picture is let go of before the next one. Raises KeyError; Unreadable: too_large_unpacked, encrypted,
        wrong_password, locked, damaged, unsupported_type (packed by a method of its own); OSError.
        """
        if not self.is_encrypted(name):
            return self._read(name, kept)
        if self.is_locked_for_good(name):
            raise Unreadable("locked")
        if not password:
            raise Unreadable("encrypted")
        for key in _keys(password):
            try:
                return self._read(name, kept, key)
            except Unreadable as unreadable:
                if unreadable.reason != "damaged":
                    raise
        raise Unreadable("wrong_password")  # a wrong one now and then unpacks to bytes that make no sense

    def _read(self, name: str, kept: bool, key: bytes | None = None) -> bytes:
        info = self._parts[name]
        if info.compress_type not in METHODS:
            raise Unreadable("unsupported_type", unsupported("archives of this kind"))
        largest = min(self._largest_part, self._left) if kept else self._largest_part
        if info.file_size > largest or _ratio_is_odd(info.file_size, info.compress_size):
            raise Unreadable("too_large_unpacked")
        pieces: list[bytes] = []
        got = 0
        with _damaged(), self._zip.open(_to_its_end(info), pwd=key) as part:
            while piece := part.read(MIB):
                got += len(piece)
                if got > largest or _ratio_is_odd(got, info.compress_size):
                    raise Unreadable("too_large_unpacked")
                pieces.append(piece)
        self._left -= got if kept else 0
        return b"".join(pieces)

    def close(self) -> None:
        """Lets go of the file."""
        self._zip.close()
        self._file.close()


@contextmanager
def _damaged() -> Iterator[None]:
    """What zipfile raises for bytes that make no archive."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        OverflowError,
        IndexError,
    ) as error:
        raise Unreadable("damaged") from error
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):
            raise
        raise Unreadable("damaged") from error  # a place before the beginning of the file


def _keys(password: str) -> list[bytes]:
    """As packers of several systems would have written it."""
    found = []
    for letters in PASSWORD_LETTERS:
        try:
            found.append(password.encode(letters))
        except UnicodeEncodeError:
            continue
    return list(dict.fromkeys(found))


def _to_its_end(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """zipfile stops at the size that the archive claims, which may be a lie; the checksum is looked at at the end."""
    found = copy.copy(info)
    found.file_size = 2**62
    return found


def _refuse_large_directory(file: BinaryIO, size: int) -> None:
    """Before the list is read, which takes many times its size in memory. zipfile goes by its length, others by the
    count; where there are two records of either, the larger one counts.
    """
    begin = max(0, size - _END_BYTES - _LONGEST_COMMENT)
    file.seek(begin)
    tail = file.read(_END_BYTES + _LONGEST_COMMENT)
    end = tail.rfind(_END)
    if end < 0 or len(tail) < end + _END_BYTES:
        raise Unreadable("damaged")
    found = [struct.unpack_from("<HI", tail, end + 10)]
    locator = begin + end - _LOCATOR_BYTES
    file.seek(max(0, locator))
    record = file.read(_LOCATOR_BYTES)
    if record.startswith(_LOCATOR_64):
        for place in (struct.unpack_from("<Q", record, 8)[0], locator - _END_64_BYTES):
            if 0 <= place <= size:
                file.seek(place)
                record_64 = file.read(_END_64_BYTES)
                if record_64.startswith(_END_64) and len(record_64) == _END_64_BYTES:
                    found.append(struct.unpack_from("<QQ", record_64, 32))
    length = max(length for _, length in found)
    if max(entries for entries, _ in found) > MOST_ENTRIES or length > LARGEST_DIRECTORY:
        raise Unreadable("too_large_unpacked")
    directory = max(0, locator - _END_64_BYTES - length)
    file.seek(directory)
    if file.read(begin + end - directory).count(_ENTRY) > MOST_ENTRIES:
        raise Unreadable("too_large_unpacked")
    file.seek(0)


def _ratio_is_odd(unpacked: int, packed: int) -> bool:
    return unpacked > RATIO_FROM and unpacked > MOST_RATIO * max(1, packed)


def _plain(name: str) -> str:
    return "/".join(part for part in name.replace("\\", "/").split("/") if part != ".")


def _is_safe(name: str) -> bool:
    folders = name.split("/")
    return bool(name) and "\0" not in name and ".." not in folders and folders[0] != "" and not _DRIVE.match(name)
