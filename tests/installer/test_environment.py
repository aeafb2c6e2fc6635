"""Making .venv for real, and mending what an interruption left."""

from __future__ import annotations

import pytest

from installer import environment
from installer.layout import Layout
from tests.installer.conftest import FakeVenv


def test_a_folder_that_is_no_environment_is_replaced(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    layout.venv.mkdir()
    (layout.venv / "left over").touch()
    environment.ensure(layout)
    assert environment.works(layout)
    assert not (layout.venv / "left over").exists()
    assert "made again" in capsys.readouterr().err


def test_an_environment_whose_python_is_gone_does_not_work(layout: Layout, venv: FakeVenv) -> None:
    assert environment.works(layout)
    layout.python.unlink()
    layout.python.symlink_to("/nowhere/python3")
    assert not environment.works(layout)


def test_an_environment_without_pip_does_not_work(layout: Layout, venv: FakeVenv) -> None:
    venv.answer("import sys, pip", 1)
    assert not environment.works(layout)


def test_a_package_that_pip_did_not_finish_is_forgotten(layout: Layout, venv: FakeVenv) -> None:
    packages = layout.venv / "lib" / "python3.11" / "site-packages"
    whole, half, aside = (packages / name for name in ("a-1.dist-info", "b-1.dist-info", "~b"))
    for folder in (whole, half, aside):
        folder.mkdir(parents=True)
        (folder / "METADATA").touch()
    (whole / "INSTALLER").touch()
    environment.ensure(layout)
    assert [folder.name for folder in packages.iterdir()] == ["a-1.dist-info"]
