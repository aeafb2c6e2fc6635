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


@pytest.mark.parametrize("line", ["3\n", '{"sample": 3}\n', '{"sample": 3, "row": {}}\n'])
def test_a_line_of_another_kind_is_refused(line: str, tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    SampleFile(path, PARAMETERS)
    with path.open("a") as file:
        file.write(line)
    with pytest.raises(UserError, match="holds no samples"):
        SampleFile(path, PARAMETERS)


@pytest.mark.parametrize("content", ["words\n", "[1, 2]\n", '{"sample": 3}\n', "3\n"])
def test_a_file_of_another_kind_is_refused_and_left_alone(content: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(content)
    with pytest.raises(UserError, match="holds no samples"):
        SampleFile(path, PARAMETERS)
    assert path.read_text() == content


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Choose another file"):
        SampleFile(tmp_path / "nowhere" / "samples.jsonl", PARAMETERS)
    with pytest.raises(UserError, match="Choose another file"):
        SampleFile(tmp_path, PARAMETERS)


def test_without_a_file_samples_are_kept_in_memory() -> None:
    file = SampleFile(None, PARAMETERS)
    file.add(1, FULL, FIGURES)
    assert file.get(1, FULL) == FIGURES
