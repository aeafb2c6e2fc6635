"""The parts of an archive, within bounds that are looked at before anything is unpacked. Nothing is ever written.

It knows the ZIP form and nothing of what the parts hold.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
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
from engine.documents.source import Source

ENCRYPTED = 0x1
_END, _END_64, _LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_LONGEST_END = 22 + 65535


class SafeZip:
    """names: of the files in it, in its own order, "/" between folders. unsafe: names that lead out of it; they are not
    among `names`. Raises Unreadable: damaged, too_large_unpacked; OSError. Close it after use.
    """

    def __init__(self, source: Source, largest_part: int = LARGEST_PART) -> None:
        self._file = source.open()
        self._left, self._largest_part = LARGEST_UNPACKED, largest_part
        try:
            self._refuse_large_directory(self._file, source.size)
            self._zip = zipfile.ZipFile(self._file)
            found = [info for info in self._zip.infolist() if not info.is_dir()]
            if sum(info.compress_size for info in found) > source.size:
                raise Unreadable("too_large_unpacked")  # the same bytes stand for many parts
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error, EOFError) as error:
            self._file.close()
            raise Unreadable("damaged") from error
        except BaseException:
            self._file.close()
            raise
        known = {_plain(info.filename): info for info in found}
        self.unsafe = [info.filename for info in found if not _is_safe(_plain(info.filename))]
        self._parts = {name: info for name, info in known.items() if _is_safe(name)}
        self.names = list(self._parts)

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def size(self, name: str) -> int:
        """Bytes of a part unpacked, as the archive claims. Raises KeyError."""
        return self._parts[name].file_size

    def is_encrypted(self, name: str) -> bool:
        """Whether a part needs a password. Raises KeyError."""
        return bool(self._parts[name].flag_bits & ENCRYPTED)

    def is_link(self, name: str) -> bool:
        """Whether a part is a link on Unix, and holds the name of what it links to. Raises KeyError."""
        return stat.S_ISLNK(self._parts[name].external_attr >> 16)

    def renew(self) -> None:
        """What was read so far counts no more, as each part is a document of its own."""
        self._left = LARGEST_UNPACKED

    def read(self, name: str) -> bytes:
        """A part, unpacked. Raises KeyError; Unreadable: too_large_unpacked, encrypted, damaged."""
        info = self._parts[name]
        if self.is_encrypted(name):
            raise Unreadable("encrypted")
        largest = min(self._largest_part, self._left)
        if info.file_size > largest or _ratio_is_odd(info.file_size, info.compress_size):
            raise Unreadable("too_large_unpacked")
        pieces: list[bytes] = []
        got = 0
        try:
            with self._zip.open(info) as part:
                while piece := part.read(MIB):
                    got += len(piece)
                    if got > largest or _ratio_is_odd(got, info.compress_size):
                        raise Unreadable("too_large_unpacked")
                    pieces.append(piece)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as error:
            raise Unreadable("damaged") from error
        self._left -= got
        return b"".join(pieces)

    def close(self) -> None:
        """Lets go of the file."""
        self._zip.close()
        self._file.close()

    @staticmethod
    def _refuse_large_directory(file: BinaryIO, size: int) -> None:
        """Before the list is read, which takes many times its size in memory."""
        file.seek(max(0, size - _LONGEST_END))
        tail = file.read(_LONGEST_END)
        end = tail.rfind(_END)
        if end < 0 or len(tail) < end + 22:
            raise Unreadable("damaged")
        entries, length = struct.unpack_from("<HI", tail, end + 10)
        locator = tail.rfind(_LOCATOR_64, 0, end)
        if locator >= 0:
            file.seek(struct.unpack_from("<Q", tail, locator + 8)[0])
            record = file.read(56)
            if record.startswith(_END_64) and len(record) == 56:
                entries, length = struct.unpack_from("<QQ", record, 32)
        if entries > MOST_ENTRIES or length > LARGEST_DIRECTORY:
            raise Unreadable("too_large_unpacked")
        file.seek(0)


def _ratio_is_odd(unpacked: int, packed: int) -> bool:
    return unpacked > RATIO_FROM and unpacked > MOST_RATIO * max(1, packed)


def _plain(name: str) -> str:
    return name.replace("\\", "/").removeprefix("./")


def _is_safe(name: str) -> bool:
    folders = name.split("/")
    return bool(name) and "\0" not in name and ".." not in folders and folders[0] != "" and ":" not in folders[0]
