"""Samples come back from their file; other parameters, and files of another kind, are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import UserError
from engine.evaluation.sample_file import SampleFile

PARAMETERS = {"tokens": 300, "kept": [0.25, 0.125], "policies": ["full", "newest"]}
FIGURES = [["needle", "full", 1.0, 1.0], ["continuation", "newest", 0.25, 2.125]]


def test_samples_come_back(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    file = SampleFile(path, PARAMETERS)
    file.add(0, FIGURES)
    file.add(2, FIGURES[:1])
    assert SampleFile(path, PARAMETERS).samples == {0: FIGURES, 2: FIGURES[:1]} == file.samples


def test_a_line_that_was_cut_off_is_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    SampleFile(path, PARAMETERS).add(0, FIGURES)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"sample": 1, "fig')
    file = SampleFile(path, PARAMETERS)
    assert file.samples == {0: FIGURES}
    file.add(1, FIGURES)
    assert SampleFile(path, PARAMETERS).samples == {0: FIGURES, 1: FIGURES}
    path.write_bytes(whole[:10])
    assert SampleFile(path, PARAMETERS).samples == {}


def test_other_parameters_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    SampleFile(path, PARAMETERS).add(0, FIGURES)
    with pytest.raises(UserError, match=r"other values of: kept, seed\. Use"):
        SampleFile(path, {**PARAMETERS, "kept": [0.5], "seed": 3})
    assert SampleFile(path, PARAMETERS).samples == {0: FIGURES}


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
    file.add(1, FIGURES)
    assert file.samples == {1: FIGURES}
