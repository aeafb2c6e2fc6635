"""Samples come back from their file; other parameters, and files of another kind, are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import UserError
from engine.evaluation.sample_file import SampleFile

PARAMETERS = {"tokens": 300, "seed": 1}
FULL, NEWEST = {"policy": "full", "kept": 1.0}, {"policy": "newest", "kept": 0.25, "selection": {"budget": 75}}
FIGURES = [["needle", "newest", 0.25, 1.0], ["continuation", "newest", 0.25, 2.125]]


def test_samples_come_back(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    file = SampleFile(path, PARAMETERS)
    file.add(0, NEWEST, FIGURES)
    file.add(2, FULL, FIGURES[:1])
    again = SampleFile(path, PARAMETERS)
    for samples in (file, again):
        assert samples.get(0, NEWEST) == FIGURES and samples.get(2, FULL) == FIGURES[:1]
        assert samples.get(0, FULL) is None and samples.get(2, NEWEST) is None
        assert samples.get(0, {**NEWEST, "selection": {"budget": 76}}) is None


def test_the_lines_of_two_files_can_be_put_together(tmp_path: Path) -> None:
    path, other = tmp_path / "samples.jsonl", tmp_path / "other.jsonl"
    SampleFile(path, PARAMETERS).add(0, NEWEST, FIGURES)
    SampleFile(other, PARAMETERS).add(0, FULL, FIGURES[:1])
    with path.open("a") as file:
        file.write(other.read_text().split("\n", 1)[1])
    both = SampleFile(path, PARAMETERS)
    assert both.get(0, NEWEST) == FIGURES and both.get(0, FULL) == FIGURES[:1]


def test_a_line_that_was_cut_off_is_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    SampleFile(path, PARAMETERS).add(0, FULL, FIGURES)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"sample": 1, "fig')
    file = SampleFile(path, PARAMETERS)
    assert file.get(0, FULL) == FIGURES and file.get(1, FULL) is None
    file.add(1, FULL, FIGURES)
    again = SampleFile(path, PARAMETERS)
    assert again.get(0, FULL) == again.get(1, FULL) == FIGURES
    path.write_bytes(whole[:10])
    assert SampleFile(path, PARAMETERS).get(0, FULL) is None


def test_other_parameters_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    SampleFile(path, PARAMETERS).add(0, FULL, FIGURES)
    with pytest.raises(UserError, match=r"other values of: runtime, seed\. Use .* with --checkpoint\.$"):
        SampleFile(path, {**PARAMETERS, "runtime": "torch", "seed": 3})
    assert SampleFile(path, PARAMETERS).get(0, FULL) == FIGURES


DAMAGED = {
    "no object": b"3",
    "no row": b'{"sample": 3}',
    "no figures": b'{"sample": 3, "row": {}}',
    "a figure cut short": b'{"sample": 3, "row": {}, "figures": [["needle", "newest", 0.25]]}',
    "a figure of another kind": b'{"sample": 3, "row": {}, "figures": [["needle", "newest", 0.25, null]]}',
    "no list": b'{"sample": 3, "row": {}, "figures": {"needle": 1}}',
    "zeros": b"\0" * 40,
    "no text": b"\xff\xfe{",
    "endless": b"[" * 200_000,
}


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_line_is_named_and_left_out(line: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "samples.jsonl"
    SampleFile(path, PARAMETERS).add(0, FULL, FIGURES)
    with path.open("ab") as file:
        file.write(line + b"\n")
    SampleFile(path, PARAMETERS).add(1, FULL, FIGURES)
    assert f"Line 3 of {path} is damaged and left out." in capsys.readouterr().err
    before = path.read_bytes()
    samples = SampleFile(path, PARAMETERS)
    assert samples.get(0, FULL) == samples.get(1, FULL) == FIGURES
    assert samples.get(3, {}) is None
    assert path.read_bytes() == before


@pytest.mark.parametrize("end", ["", "\n", "\nsecond line", '\n{"sample": 3}\n'])
@pytest.mark.parametrize("content", ["words", "[1, 2]", '{"sample": 3}', "3", "[" * 200_000])
def test_a_file_of_another_kind_is_refused_and_left_alone(content: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(content + end)
    with pytest.raises(UserError, match="holds no samples"):
        SampleFile(path, PARAMETERS)
    assert path.read_text() == content + end


def test_the_cut_line_of_a_file_of_others_stays(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    SampleFile(path, PARAMETERS).add(0, FULL, FIGURES)
    with path.open("a") as file:
        file.write('{"sample": 1, "fig')
    before = path.read_bytes()
    with pytest.raises(UserError, match="other values of: seed"):
        SampleFile(path, {**PARAMETERS, "seed": 2})
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Choose another file"):
        SampleFile(tmp_path / "nowhere" / "samples.jsonl", PARAMETERS)
    with pytest.raises(UserError, match="Choose another file"):
        SampleFile(tmp_path, PARAMETERS)


def test_without_a_file_samples_are_kept_in_memory() -> None:
    file = SampleFile(None, PARAMETERS)
    file.add(1, FULL, FIGURES)
    assert file.get(1, FULL) == FIGURES
