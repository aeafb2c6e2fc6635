"""Rules to ignore files: what git says about random trees, and our own file beside git's."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.find import find_files

NAMES = st.sampled_from(["a", "b", "ab", "abc", "a.txt", "b.log", "build", "a b", "[x]", "#c"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
COMMON = (
    "* !* *.txt !*.txt a* !a* /a /a/ !/a/ build/ !build/ build a/* !a/b **/b a/** !a/**/b a/**/b ? [ab] [!a] \\#c \\!x"
    " #a /* !/ab */b a?c ** /**/a \\[x\\] a//b **/ a/**/ */ /** !/** ! /"
)
RULES = st.one_of(
    st.sampled_from([*COMMON.split(" "), "", "a b", "a b ", "a\\ ", "# a"]),
    st.tuples(st.sampled_from(["", "!", "/", "!/"]), PATHS, st.sampled_from(["", "/", "/*", "/**"])).map("".join),
)
IGNORE_FILES = st.dictionaries(
    st.sampled_from(["", "a/", "a/b/", "build/", "ab/"]), st.lists(RULES, min_size=1, max_size=5), max_size=3
)


def make(root: Path, paths: list[str], rules: dict[str, list[str]], name: str = ".gitignore") -> None:
    for path in paths:
        file = root / path
        if not any(parent.is_file() for parent in (file, *file.parents)) and not file.is_dir():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("text")
    for folder, lines in rules.items():
        if (root / folder).is_dir():
            (root / folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(root: Path) -> set[str]:
    return {found.name for found in find_files([root]) if found.skipped is None}


def git_keeps(root: Path) -> set[str]:
    """The files that git would add. It compares bytes, so that "?" is no "ä": all names are ASCII."""
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DIR": str(root / ".git")}
    subprocess.run(["git", "init", "-q", str(root)], check=True, env=quiet, capture_output=True)
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--others", "--exclude-standard"],
        check=True,
        env={**quiet, "GIT_WORK_TREE": str(root)},
        capture_output=True,
    ).stdout.decode()
    return {name for name in listed.split("\0") if name and not Path(name).name.startswith(".")}


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git to agree with; the table below holds")
@settings(max_examples=60, deadline=None)
@given(paths=st.lists(PATHS, min_size=1, max_size=12), rules=IGNORE_FILES)
def test_git_says_the_same_of_any_tree(paths: list[str], rules: dict[str, list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "drop")
        root.mkdir()
        make(root, paths, rules)
        assert read(root) == git_keeps(root)


@pytest.mark.parametrize(
    ("rules", "kept"),
    [
        ({"": ["*.log"]}, {"a.txt", "build/b.txt", "src/build/c.txt", "src/a.txt"}),
        ({"": ["build/"]}, {"a.txt", "a.log", "src/a.txt", "src/b.log"}),
        ({"": ["/build"]}, {"a.txt", "a.log", "src/build/c.txt", "src/a.txt", "src/b.log"}),
        ({"": ["*.log", "!b.log"]}, {"a.txt", "build/b.txt", "src/build/c.txt", "src/a.txt", "src/b.log"}),
        ({"": ["src/*", "!src/a.txt"]}, {"a.txt", "a.log", "build/b.txt", "src/a.txt"}),
        ({"": ["*.log"], "src/": ["!*.log"]}, {"a.txt", "build/b.txt", "src/build/c.txt", "src/a.txt", "src/b.log"}),
        ({"": ["src/"], "src/": ["!*"]}, {"a.txt", "a.log", "build/b.txt"}),
        ({"": ["src/**"]}, {"a.txt", "a.log", "build/b.txt"}),
        ({"": ["*.log", "!src/"]}, {"a.txt", "build/b.txt", "src/build/c.txt", "src/a.txt"}),
    ],
)
def test_the_last_rule_that_fits_wins(tmp_path: Path, rules: dict[str, list[str]], kept: set[str]) -> None:
    files = ["a.txt", "a.log", "build/b.txt", "src/build/c.txt", "src/a.txt", "src/b.log"]
    make(tmp_path, files, rules)
    assert read(tmp_path) == kept


def test_our_own_rules_come_after_gits(tmp_path: Path) -> None:
    make(tmp_path, ["a.log", "b.log", "c.txt", "out/d.txt"], {"": ["*.log", "out/"]})
    make(tmp_path, [], {"": ["!b.log", "c.txt", "!out/"]}, ".keepsakeignore")
    assert read(tmp_path) == {"b.log", "out/d.txt"}


def test_an_ignored_folder_is_one_entry(tmp_path: Path) -> None:
    make(tmp_path, ["out/a.txt", "out/deep/b.txt", "c.txt"], {"": ["out"]})
    found = {entry.name: entry.skipped for entry in find_files([tmp_path])}
    assert found == {"c.txt": None, "out": "ignored", ".gitignore": "hidden"}


@pytest.mark.parametrize("rules", [b"\xff\xfe\n*.log\r\n", b"\xef\xbb\xbf*.log\n", b"a\0b\n[\n*.log"])
def test_a_file_of_rules_in_any_bytes_is_read_line_by_line(tmp_path: Path, rules: bytes) -> None:
    make(tmp_path, ["a.log", "b.txt"], {})
    (tmp_path / ".gitignore").write_bytes(rules)
    assert read(tmp_path) == {"b.txt"}


def test_rules_that_would_take_for_ever_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, ["a" * 200], {"": ["*a" * 40 + "b", "!c"]})
    assert read(tmp_path) == {"a" * 200}


def test_rules_behind_a_link_or_too_long_are_not_read(tmp_path: Path) -> None:
    make(tmp_path, ["drop/a.log", "rules"], {})
    (tmp_path / "rules").write_text("*.log")
    (tmp_path / "drop" / ".gitignore").symlink_to(tmp_path / "rules")
    (tmp_path / "drop" / ".keepsakeignore").write_text("*.log\n" * 200_000)
    assert read(tmp_path / "drop") == {"a.log"}
