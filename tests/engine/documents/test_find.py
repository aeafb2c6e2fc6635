from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.documents.find import find_files, natural_key


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(root: Path) -> list[tuple[str, str | None]]:
    return [(found.name, found.skipped) for found in find_files([root])]


def test_a_folder_is_walked_in_natural_order(tmp_path: Path) -> None:
    for name in ("page 10.txt", "Page 2.txt", "page 1.txt", "b/2.txt", "b/11.txt", "A/x.md"):
        write(tmp_path / "drop" / name)
    assert [name for name, _ in names(tmp_path / "drop")] == [
        "A/x.md",
        "b/2.txt",
        "b/11.txt",
        "page 1.txt",
        "Page 2.txt",
        "page 10.txt",
    ]
    assert {found.folder for found in find_files([tmp_path / "drop"])} == {"drop"}


def test_what_a_folder_leaves_out_is_listed_with_its_reason(tmp_path: Path) -> None:
    drop = tmp_path / "drop"
    kept = write(drop / "kept.txt")
    for name in (".hidden.txt", ".git/HEAD", "~$kept.docx", "Thumbs.db", "node_modules/a/b.js", "__pycache__/c.pyc"):
        write(drop / name)
    outside = write(tmp_path / "outside" / "secret.txt")
    (drop / "again.txt").symlink_to(kept)
    (drop / "away.txt").symlink_to(outside)
    (drop / "away").symlink_to(outside.parent)
    (drop / "loop").symlink_to(drop)
    (drop / "gone.txt").symlink_to("nowhere")
    (drop / "self.txt").symlink_to("self.txt")
    assert dict(names(drop)) == {
        "kept.txt": None,
        ".hidden.txt": "hidden",
        ".git": "hidden",
        "~$kept.docx": "hidden",
        "Thumbs.db": "hidden",
        "node_modules": "generated",
        "__pycache__": "generated",
        "again.txt": "duplicate",
        "away.txt": "link",
        "away": "link",
        "loop": "link",
        "gone.txt": "broken_link",
        "self.txt": "broken_link",
    }


def test_what_is_dropped_itself_is_read_even_if_hidden_or_a_link(tmp_path: Path) -> None:
    target = write(tmp_path / "target.txt")
    hidden = write(tmp_path / ".hidden.txt")
    link = tmp_path / "link.txt"
    link.symlink_to(target)
    found = list(find_files([hidden, link]))
    assert [(item.path, item.folder, item.skipped) for item in found] == [(hidden, None, None), (link, None, None)]


def test_what_cannot_be_read_does_not_end_the_others(tmp_path: Path) -> None:
    gone = tmp_path / "gone.txt"
    gone.symlink_to("nowhere")
    paths = [tmp_path / "missing.txt", gone, "impossible\0name", write(tmp_path / "fine.txt")]
    assert [found.skipped for found in find_files(paths)] == ["no_such_file", "broken_link", "no_such_file", None]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert [found.skipped for found in find_files([tmp_path / "pipe"])] == ["special_file"]
    assert dict(names(tmp_path)) == {"pipe": "special_file"}


def test_a_folder_that_may_not_be_opened_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "drop" / "closed" / "in.txt")
    write(tmp_path / "drop" / "open.txt")
    scandir = os.scandir

    def guarded(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert names(tmp_path / "drop") == [("closed", "no_permission"), ("open.txt", None)]


def test_a_file_dropped_twice_is_found_once(tmp_path: Path) -> None:
    file = write(tmp_path / "drop" / "a.txt")
    assert len(list(find_files([file, tmp_path / "drop", tmp_path / "drop" / ".." / "drop" / "a.txt"]))) == 1


def test_natural_order_is_total() -> None:
    unordered = ["a10", "a9", "A9", "b", "10", "9", "", "9a", "٣"]
    assert sorted(unordered, key=natural_key) == ["", "٣", "9", "9a", "10", "A9", "a9", "a10", "b"]


def test_a_number_may_be_longer_than_python_reads() -> None:
    assert sorted(["9" * 5000, "1" + "0" * 5000, "007", "6"], key=natural_key)[:2] == ["6", "007"]
