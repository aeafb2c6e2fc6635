"""Archives with a password, which Python's zipfile reads and does not write (APPNOTE.TXT 6.3.10, section 6.1)."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib


class _Keys:
    def __init__(self, password: bytes) -> None:
        self._keys = [0x12345678, 0x23456789, 0x34567890]
        for byte in password:
            self._update(byte)

    def _update(self, byte: int) -> None:
        first, second, third = self._keys
        first = _crc(first, byte)
        second = ((second + (first & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        self._keys = [first, second, _crc(third, second >> 24)]

    def encrypt(self, data: bytes) -> bytes:
        out = bytearray()
        for byte in data:
            word = self._keys[2] | 2
            out.append(byte ^ (word * (word ^ 1) >> 8 & 0xFF))
            self._update(byte)
        return bytes(out)


def _crc(value: int, byte: int) -> int:
    return zlib.crc32(bytes([byte]), value ^ 0xFFFFFFFF) ^ 0xFFFFFFFF


def locked_zip(parts: dict[str, bytes], password: bytes) -> bytes:
    """The parts, each locked with the password."""
    out = io.BytesIO()
    plain: dict[str, zipfile.ZipInfo] = {}
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in parts.items():
            packer = zlib.compressobj(wbits=-15)
            packed = packer.compress(data) + packer.flush()
            crc = zlib.crc32(data)
            locked = _Keys(password).encrypt(bytes(11) + bytes([crc >> 24]) + packed)
            archive.writestr(name, locked)
            info = archive.getinfo(name)
            info.CRC, info.file_size, info.compress_type, info.flag_bits = crc, len(data), 8, info.flag_bits | 1
            plain[name] = info
    data = bytearray(out.getvalue())
    for info in plain.values():  # the list at the end is written from these; the head before each part is not
        at = info.header_offset
        struct.pack_into("<HH", data, at + 6, info.flag_bits, 8)
        struct.pack_into("<III", data, at + 14, info.CRC, info.compress_size, info.file_size)
    return bytes(data)
