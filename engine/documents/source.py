"""Bytes to be read: a file, or what lies inside one. It knows nothing of kinds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

HEAD_BYTES = 4096


@dataclass(frozen=True)
class Source:
    """`name` is the file's own, with its ending. Either `path`, a file on the disk, or `data`, already unpacked."""

    name: str
    path: Path | None = None
    data: bytes = b""

    def open(self) -> BinaryIO:
        """From the beginning; can be sought in. Raises OSError."""
        return self.path.open("rb") if self.path is not None else BytesIO(self.data)

    @cached_property
    def size(self) -> int:
        """In bytes. Raises OSError."""
        return self.path.stat().st_size if self.path is not None else len(self.data)

    @cached_property
    def head(self) -> bytes:
        """The first HEAD_BYTES. Raises OSError."""
        with self.open() as file:
            return file.read(HEAD_BYTES)

    @property
    def has_plain_path(self) -> bool:
        """Whether libraries written in C can open the file by its path, which they take for valid Unicode."""
        try:
            return self.path is not None and bool(str(self.path).encode())
        except UnicodeEncodeError:
            return False

    def read(self) -> bytes:
        """All of it: for kinds that bound `size` first. Raises OSError."""
        return self.data if self.path is None else self.path.read_bytes()


def file_source(path: Path) -> Source:
    """A file of the disk under its own name."""
    return Source(path.name, path)
