"""Folders that are made and tried before the work begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import UserError
from engine.writable import writable


def test_only_folders_that_were_made_and_are_empty_are_removed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    used, empty = tmp_path / "there" / "used", tmp_path / "new" / "empty"
    with pytest.raises(RuntimeError), writable(used, empty, otherwise="-"):
        (used / "file").touch()
        raise RuntimeError
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "there", "used"]


def test_folders_stay_where_all_went_well(tmp_path: Path) -> None:
    with writable(tmp_path / "new", otherwise="-"):
        pass
    assert (tmp_path / "new").is_dir()
    assert not any((tmp_path / "new").iterdir())


def test_a_file_in_the_way_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "deep"):
        with (
            pytest.raises(UserError, match=r"there is a file of that name\. Choose another\."),
            writable(folder, otherwise="Choose another."),
        ):
            pass


def test_a_folder_that_takes_no_file_is_told_and_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("engine.writable.TemporaryFile", refused)
    with pytest.raises(UserError, match="Read-only file system"), writable(tmp_path / "new", otherwise="-"):
        pass
    assert not any(tmp_path.iterdir())
