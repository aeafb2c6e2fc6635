from __future__ import annotations

import hashlib
import io
import os
import stat
import time
import zipfile
from pathlib import Path

import psutil
import pytest

from engine.documents import archive_members, safe_zip
from engine.documents.archive import Listing, members
from engine.documents.archive_members import OpenArchive
from engine.documents.bounded import pool
from engine.documents.extract import extract, file_sha256
from engine.documents.limits import MIB
from engine.documents.reader import Unreadable
from engine.documents.source import file_source
from engine.errors import UserError
from tests.engine.documents.locked_zip import locked_zip
from tests.engine.documents.test_extract import pdf_of

FILES = {
    "a/page 10.txt": "ten",
    "a/page 2.txt": "two",
    "b.txt": "b",
    ".git/config": "no",
    "a/.hidden": "no",
    "a/node_modules/x/index.js": "no",
    "a/node_modules/y.js": "no",
    "__MACOSX/a/._page 2.txt": "no",
    "Thumbs.db": "no",
    "../../outside.txt": "no",
    "/etc/outside.txt": "no",
}


def zip_of(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def listed(path: Path) -> Listing:
    found = members(path)
    assert found is not None
    return found


def test_an_archive_is_listed_like_a_folder(tmp_path: Path) -> None:
    found = listed(zip_of(tmp_path / "a.zip", dict(FILES)))
    assert [(member.name, member.skipped) for member in found.members] == [
        (".git", "hidden"),
        ("__MACOSX", "generated"),
        ("a/.hidden", "hidden"),
        ("a/node_modules", "generated"),
        ("a/page 2.txt", None),
        ("a/page 10.txt", None),
        ("b.txt", None),
        ("Thumbs.db", "hidden"),
    ]
    assert found.unsafe == 2
    assert [member.size for member in found.members if member.skipped is None] == [3, 3, 1]


def test_of_two_files_of_one_name_the_later_one_is_read_and_the_other_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        for name in ("a.txt", "A.txt", "a.txt", ".hidden", ".hidden"):
            archive.writestr(name, f"{name} {len(archive.namelist())}")
    found = listed(tmp_path / "a.zip").members
    assert [(member.name, member.skipped) for member in found] == [
        (".hidden", "hidden"),
        ("A.txt", None),
        ("a.txt", "replaced"),
        ("a.txt", None),
    ]
    assert extract(tmp_path / "a.zip", member="a.txt").pages[0].text == "a.txt 2"


def test_what_is_no_archive_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_text("a text after all")
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 and nothing else")
    zip_of(tmp_path / "book.zip", {"mimetype": "application/epub+zip"})
    for name in ("a.zip", "broken.zip", "book.zip"):
        assert members(tmp_path / name) is None
    assert members(tmp_path) is None
    assert listed(zip_of(tmp_path / "empty.docx", {})) == Listing((), 0)
    with pytest.raises(OSError, match="gone"):
        members(tmp_path / "gone.zip")


def test_files_of_an_archive_are_read_by_their_name(tmp_path: Path) -> None:
    document = pdf_of(tmp_path / "a.pdf", 3).read_bytes()
    path = zip_of(tmp_path / "a.zip", {"x/a.pdf": document, "note": "a note", "x/table.txt": "one\r\ntwo"})
    before = set(tmp_path.rglob("*"))
    seen: list[tuple[int, int | None]] = []
    read = extract(path, lambda page, count: seen.append((page.number, count)), member="x/a.pdf")
    assert (read.kind, read.outcome, seen) == ("pdf", "read", [(1, 3), (2, 3), (3, 3)])
    assert read.sha256 == hashlib.sha256(document).hexdigest() == file_sha256(path, member="x/a.pdf")
    assert extract(path, member="note").pages[0].text == "a note"
    assert extract(path, member="x/table.txt").pages[0].text == "one\ntwo"
    assert set(tmp_path.rglob("*")) == before


def test_an_archive_in_an_archive_is_left_out(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("deep.txt", "never seen")
    path = zip_of(tmp_path / "a.zip", {"inner.zip": inner.getvalue()})
    assert [member.name for member in listed(path).members] == ["inner.zip"]
    extracted = extract(path, member="inner.zip")
    assert (extracted.outcome, extracted.reason, extracted.pages) == ("refused", "unsupported_type", ())
    assert extracted.message == "Archives within a folder or another file are left out. Drop it by itself."


def test_links_and_locked_files_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("locked.txt", "secret")
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.rfind(mark) + place] |= 1
    path.write_bytes(data)
    assert [(member.name, member.skipped) for member in listed(path).members] == [
        ("link.txt", "link"),
        ("locked.txt", "encrypted"),
    ]
    extracted = extract(path, member="locked.txt")
    assert (extracted.outcome, extracted.reason) == ("needs_password", "encrypted")


def test_a_locked_file_opens_with_its_password_and_says_which_one_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    words = "The otter keeps the key. " * 40
    path.write_bytes(locked_zip({"notes/a.txt": words.encode(), "b.txt": b"b"}, "M\u00f6we 7".encode("cp437")))
    assert [(member.name, member.skipped) for member in listed(path).members] == [
        ("b.txt", "encrypted"),
        ("notes/a.txt", "encrypted"),
    ]
    for wrong in ("heron", "otter", "\u6587", ""):
        extracted = extract(path, member="notes/a.txt", password=wrong)
        assert (extracted.kind, extracted.outcome) == ("archive", "needs_password")
        assert extracted.reason == ("wrong_password" if wrong else "encrypted")
    opened = extract(path, member="notes/a.txt", password="M\u00f6we 7")
    assert (opened.kind, opened.outcome, opened.pages[0].text) == ("text", "read", words)
    assert opened.sha256 == hashlib.sha256(words.encode()).hexdigest()


def test_what_no_password_opens_here_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    data = bytearray(locked_zip({"a.txt": b"a"}, b"heron"))
    data[data.rfind(b"PK\x01\x02") + 10] = 99  # WinZip's AES
    path.write_bytes(data)
    (member,) = listed(path).members
    assert member.skipped == "locked"
    extracted = extract(path, member="a.txt", password="heron")
    assert (extracted.outcome, extracted.reason) == ("refused", "locked")


def test_a_name_that_is_not_in_the_archive(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"a.txt": "a", "../b.txt": "b"})
    assert extract(path, member="c.txt").reason == extract(path, member="../b.txt").reason == "no_such_file"
    with pytest.raises(Unreadable):
        file_sha256(path, member="c.txt")
    assert extract(tmp_path / "gone.zip", member="a.txt").reason == "no_such_file"


def test_names_for_the_eye(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"na\u00efve/\u6587.txt": "a", "two\nlines.txt": "b", "unsaid-xx.txt": "c"})
    unsaid = "unsaid-\u00e9.txt".encode()
    assert len(unsaid) == len("unsaid-xx.txt")
    path.write_bytes(path.read_bytes().replace(b"unsaid-xx.txt", unsaid))
    found = {member.shown: member.name for member in listed(path).members}
    assert set(found) == {"na\u00efve/\u6587.txt", "two lines.txt", "unsaid-\u00e9.txt"}
    assert [extract(path, member=name).outcome for name in found.values()] == ["read"] * 3


def test_a_bomb_among_the_files_is_refused_and_the_others_are_read(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"bomb.txt": b"\0" * (40 * MIB), "good.txt": "fine"})
    extracted = extract(path, member="bomb.txt")
    assert (extracted.outcome, extracted.reason, extracted.sha256) == ("refused", "too_large_unpacked", None)
    assert extract(path, member="good.txt").outcome == "read"


def test_each_file_has_the_bounds_of_a_document_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_zip, "LARGEST_UNPACKED", 10)
    archive = OpenArchive(file_source(zip_of(tmp_path / "a.zip", {"a": "a" * 6, "b": "b" * 6, "c": "c" * 11})))
    assert [archive.source(name).size for name in "abab"] == [6] * 4
    with pytest.raises(Unreadable) as raised:
        archive.source("c")
    assert raised.value.reason == "too_large_unpacked"
    archive.close()


def test_an_archive_larger_than_any_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_members, "LARGEST_ARCHIVE", 10)
    archive = OpenArchive(file_source(zip_of(tmp_path / "a.zip", {"a": "a" * 6, "b": "b" * 5})))
    with pytest.raises(Unreadable) as raised:
        archive.members()
    assert raised.value.reason == "too_large_unpacked"
    archive.close()


def test_listing_is_cancelled(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"a": "a"})
    with pytest.raises(UserError) as raised:
        members(path, cancelled=lambda: True)
    assert raised.value.code == "cancelled"


def test_a_long_list_comes_whole(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {f"{number}.txt": "" for number in range(1234)})
    assert [member.name for member in listed(path).members] == [f"{number}.txt" for number in range(1234)]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="shows what a process has open")  # noqa: PTH112
def test_the_archive_is_let_go_when_nothing_more_is_read_of_it(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"a.txt": "a"})
    assert extract(path, member="a.txt").outcome == "read"
    (worker,) = pool._idle
    late = time.monotonic() + 20
    while str(path) in [file.path for file in psutil.Process(worker._process.pid).open_files()]:
        assert time.monotonic() < late
        time.sleep(0.1)
    assert extract(path, member="a.txt").outcome == "read"
