from __future__ import annotations

import struct
import zipfile
import zlib
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.documents import safe_zip
from engine.documents.reader import Unreadable
from engine.documents.safe_zip import SafeZip
from engine.documents.source import Source, file_source
from tests.engine.documents.office_files import zipped

PARTS: dict[str, str | bytes] = {"a.txt": "first", "b/c.txt": "second " * 100}


def opened(data: bytes) -> SafeZip:
    return SafeZip(Source("a.zip", data=data))


def read_all(source: Source) -> None:
    archive = SafeZip(source)
    try:
        for name in PARTS:
            archive.read(name)
    finally:
        archive.close()


def refused(data: bytes, part: str | None = None) -> str:
    with pytest.raises(Unreadable) as raised:
        archive = opened(data)
        if part is not None:
            archive.read(part)
    return raised.value.reason


def patched(data: bytes, **fields: int) -> bytes:
    """With other numbers in the first entry of the directory."""
    places = {
        "flags": (8, "<H"),
        "method": (10, "<H"),
        "packed": (20, "<I"),
        "unpacked": (24, "<I"),
        "offset": (42, "<I"),
    }
    out, start = bytearray(data), data.index(b"PK\x01\x02")
    for name, value in fields.items():
        place, form = places[name]
        struct.pack_into(form, out, start + place, value)
    return bytes(out)


def test_parts_are_read_by_name_and_what_leads_out_is_none() -> None:
    names = [
        "a.txt",
        "Re: b.txt",
        "b:c/d.txt",
        "b\\c.txt",
        "./d.txt",
        "e/./f.txt",
        "../up.txt",
        "/root.txt",
        "C:/x.txt",
        "e/../../f.txt",
        "folder/",
    ]
    archive = opened(zipped(dict.fromkeys(names, "x")))
    assert archive.names == ["a.txt", "Re: b.txt", "b:c/d.txt", "b/c.txt", "d.txt", "e/f.txt"]
    assert [name.replace("\\", "/") for name in archive.unsafe] == [
        "../up.txt",
        "/root.txt",
        "C:/x.txt",
        "e/../../f.txt",
    ]
    assert ("b/c.txt" in archive, "../up.txt" in archive, archive.size("d.txt"), archive.read("b/c.txt")) == (
        True,
        False,
        1,
        b"x",
    )


def test_of_two_parts_of_one_name_the_later_one_counts() -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("a", "first")
        archive.writestr("a", "second")
    assert opened(out.getvalue()).read("a") == b"second"


def test_a_size_that_is_a_lie_hides_nothing() -> None:
    data = zipped({"a": bytes(3_000_000)})
    assert len(opened(data).read("a")) == 3_000_000
    assert len(opened(patched(data, unpacked=10)).read("a")) == 3_000_000
    for claimed in (10, 3_000_000, 2**31):
        archive = SafeZip(Source("a.zip", data=patched(data, unpacked=claimed)), largest_part=2_000_000)
        with pytest.raises(Unreadable) as raised:
            archive.read("a")
        assert raised.value.reason == "too_large_unpacked"


def test_a_ratio_that_no_text_has_and_the_sum_of_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(zipped({"a": bytes(20_000_000)}), "a") == "too_large_unpacked"
    monkeypatch.setattr(safe_zip, "LARGEST_UNPACKED", 150)
    archive = opened(zipped({"a": "x" * 100, "b": "y" * 100}))
    archive.read("a")
    with pytest.raises(Unreadable) as raised:
        archive.read("b")
    assert raised.value.reason == "too_large_unpacked"


def test_the_same_bytes_for_many_parts() -> None:
    """As in the archives of 2019 that need no archive within them: every entry points to one kernel."""
    kernel = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = kernel.compress(bytes(10**6)) + kernel.flush()
    crc = zlib.crc32(bytes(10**6))
    numbers = struct.pack("<HHHHHIII", 20, 0, 8, 0, 0, crc, len(packed), 10**6)
    local = b"PK\x03\x04" + numbers + struct.pack("<HH", 1, 0) + b"a" + packed
    entries = b"".join(
        b"PK\x01\x02"
        + struct.pack("<H", 20)
        + numbers
        + struct.pack("<HHHHHII", 5, 0, 0, 0, 0, 0, 0)
        + f"{n:05}".encode()
        for n in range(1000)
    )
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1000, 1000, len(entries), len(local), 0)
    assert refused(local + entries + end) == "too_large_unpacked"


def test_a_list_that_is_longer_than_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_zip, "MOST_ENTRIES", 50)
    data = zipped({f"{number}": "x" for number in range(60)})
    assert refused(data) == "too_large_unpacked"
    end = data.rindex(b"PK\x05\x06")
    lying = bytearray(data)
    struct.pack_into("<HH", lying, end + 8, 3, 3)
    assert refused(bytes(lying)) == "too_large_unpacked"


def test_the_64_bit_records_are_looked_at_wherever_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped(PARTS)
    end = data.rindex(b"PK\x05\x06")
    length, start = struct.unpack_from("<II", data, end + 12)

    def with_64(entries: int, place: int | None = None) -> bytes:
        record = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, entries, entries, length, start)
        locator = b"PK\x06\x07" + struct.pack("<IQI", 0, end if place is None else place, 1)
        return data[:end] + record + locator + data[end:]

    assert opened(with_64(2)).read("a.txt") == b"first"
    assert refused(with_64(10**6)) == "too_large_unpacked"
    monkeypatch.setattr(safe_zip, "LARGEST_DIRECTORY", 10)
    assert refused(with_64(2, place=2**63)) == "too_large_unpacked"


@pytest.mark.parametrize(
    ("flags", "method", "reason"),
    [
        (1, 8, "encrypted"),
        (0x41, 8, "locked"),
        (1, 99, "locked"),
        (0, 12, "unsupported_type"),
        (0, 14, "unsupported_type"),
        (0, 9, "unsupported_type"),
    ],
)
def test_locked_parts_and_other_methods(flags: int, method: int, reason: str) -> None:
    data = patched(zipped(PARTS), flags=flags, method=method)
    assert opened(data).is_encrypted("a.txt") == (flags != 0)
    assert refused(data, "a.txt") == reason


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(10), zipped(PARTS)[:-30], zipped(PARTS)[40:]]
)
def test_damage(data: bytes, tmp_path: Path) -> None:
    assert refused(data, "a.txt") == "damaged"
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    with pytest.raises(Unreadable):
        read_all(file_source(path))


def test_a_checksum_that_is_wrong_and_a_place_beyond_the_file() -> None:
    stored = zipped(PARTS, zipfile.ZIP_STORED)
    assert refused(stored.replace(b"first", b"worst"), "a.txt") == "damaged"
    assert refused(patched(stored, offset=2**31), "a.txt") == "damaged"


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_change_gives_parts_or_an_outcome(tmp_path: Path, data: st.DataObject) -> None:
    archive = bytearray(zipped(PARTS))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(archive) - 1))
        archive[place] = data.draw(st.sampled_from([0, 1, 8, 0x50, 0x7F, 0x80, 0xFF, archive[place] ^ 1]))
    path = tmp_path / "a.zip"
    path.write_bytes(archive)
    for source in (Source("a.zip", data=bytes(archive)), file_source(path)):
        with suppress(Unreadable, KeyError):
            read_all(source)
