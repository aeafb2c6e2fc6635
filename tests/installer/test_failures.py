"""Every failure that set-up foresees is a sentence that says what to do."""

from __future__ import annotations

import importlib.util
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from installer import commands, environment, packages, system
from installer.failures import SetupError, explain
from installer.layout import Layout
from tests.installer.conftest import FakeVenv

NOTHING = frozenset[str]()
NO_WHEEL = "ERROR: No matching distribution found for llama-cpp-python>=0.3"
RETRY = (
    "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError('<HTTPSConnection object>: "
    "Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')'"
)


class DiskUsage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture
def empty_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A PATH on which there is nothing but what a test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    return folder


def put(folder: Path, *programs: str) -> None:
    """Programs that do nothing, found on a PATH that has the folder."""
    for program in programs:
        (folder / program).write_text("#!/bin/sh\n")
        (folder / program).chmod(0o755)


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "The disk is full"),
        (RETRY + "\n" + NO_WHEEL, "The package index cannot be reached"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]", "PIP_CERT"),
        ("g++: fatal error: Killed signal terminated program cc1plus\nninja: build stopped", "ran out of memory"),
        ("CMake Error at CMakeLists.txt:3", "did not compile"),
        ("ERROR: No matching distribution found for torch==2.13.0", "no build for Python"),
        ("something new\nand strange", "ends with:\n    something new\n    and strange"),
    ],
)
def test_what_a_log_tells_is_a_sentence(output: str, sentence: str) -> None:
    assert sentence in str(explain(output, Path(".venv/install.log")))


def test_harmless_retries_do_not_hide_a_full_disk() -> None:
    assert "The disk is full" in str(explain(RETRY + "\n[Errno 28] No space left on device", Path("log")))


def test_no_network_is_not_taken_for_a_missing_wheel(layout: Layout, venv: FakeVenv) -> None:
    venv.answer("--only-binary", 1, RETRY + "\n" + NO_WHEEL)
    with pytest.raises(SetupError, match="package index cannot be reached"):
        commands.set_up(layout, NOTHING)
    assert len(venv.calls()) == 1


@pytest.mark.parametrize(
    ("programs", "advice"),
    [(("apt-get", "gcc"), "apt-get install gcc g++ cmake"), (("dnf", "g++"), "dnf install gcc gcc-c++ cmake")],
)
def test_no_compiler_is_said_before_the_build(
    layout: Layout, venv: FakeVenv, empty_path: Path, programs: tuple[str, ...], advice: str
) -> None:
    put(empty_path, *programs)
    venv.answer("--only-binary", 1, NO_WHEEL)
    with pytest.raises(SetupError) as raised:
        commands.set_up(layout, NOTHING)
    assert advice in str(raised.value)
    assert len(venv.calls()) == 1


def test_no_compiler_on_a_mac(monkeypatch: pytest.MonkeyPatch, empty_path: Path) -> None:
    monkeypatch.setattr(packages.sys, "platform", "darwin")
    with pytest.raises(SetupError, match="xcode-select --install"):
        packages._check_compilers()


def test_a_compiler_named_by_the_person_is_enough(monkeypatch: pytest.MonkeyPatch, empty_path: Path) -> None:
    put(empty_path, "clang++")
    monkeypatch.setenv("CC", "/somewhere/cc")
    packages._check_compilers()


@pytest.mark.parametrize(("flags", "native"), [("avx2 avx512f", True), ("avx2 amx_bf16 amx_tile amx_int8", False)])
def test_the_build_is_native_but_where_amx_would_break_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flags: str, native: bool
) -> None:
    cpu = tmp_path / "cpuinfo"
    cpu.write_text(f"flags\t\t: {flags}\n")
    monkeypatch.setattr(packages, "CPU_FLAGS", cpu)
    assert ("GGML_NATIVE=OFF" not in packages._pip_environment({})["CMAKE_ARGS"]) is native


def test_what_the_build_leaves_out_is_named_by_a_file_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "CPU_FLAGS", Path("nowhere"))
    vision, common = shlex.split(packages._pip_environment({})["CMAKE_ARGS"])
    assert vision == "-DLLAVA_BUILD=OFF"
    name, _, file = common.partition("=")
    assert name == "-DCMAKE_PROJECT_llama_cpp_INCLUDE"
    assert "set(LLAMA_BUILD_COMMON OFF)" in Path(file).read_text(encoding="utf-8")


def test_build_options_of_the_person_come_first() -> None:
    assert "LLAVA_BUILD=OFF" in packages._pip_environment({})["CMAKE_ARGS"]
    assert packages._pip_environment({"CMAKE_ARGS": "-DGGML_CUDA=ON"})["CMAKE_ARGS"] == "-DGGML_CUDA=ON"


def test_no_space_is_said_before_anything_is_made(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: DiskUsage(10**11, 0, 1_200_000_000))
    with pytest.raises(SetupError, match=r"needs about 3 GB of disk, and 1\.2 GB is free"):
        commands.set_up(layout, NOTHING)
    assert not layout.venv.exists()


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_no_venv_module(layout: Layout, monkeypatch: pytest.MonkeyPatch, empty_path: Path, missing: str) -> None:
    put(empty_path, "apt-get")
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == missing else found(name))
    with pytest.raises(SetupError, match=r"apt-get install python3\.\d+-venv"):
        environment.ensure(layout)


def test_missing_libraries_as_somebody_else_than_root(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, empty_path: Path
) -> None:
    put(empty_path, "apt-get")
    monkeypatch.setattr(system, "_is_root", lambda: False)
    monkeypatch.setattr(system, "_loads", lambda library: "xcb-cursor" not in library)
    with pytest.raises(SetupError, match="First: sudo apt-get install libxcb-cursor0 xvfb"):
        system.ensure_virtual_screen(layout)


def test_missing_libraries_where_packages_have_other_names(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, empty_path: Path
) -> None:
    monkeypatch.setattr(system, "_loads", lambda library: "xcb-cursor" not in library)
    with pytest.raises(SetupError, match="what Debian calls libxcb-cursor0 is missing"):
        system.ensure_window_libraries(layout)


def test_missing_libraries_are_installed_as_root(
    layout: Layout, venv: FakeVenv, monkeypatch: pytest.MonkeyPatch, empty_path: Path
) -> None:
    noted = layout.root / "apt-calls"
    (empty_path / "apt-get").write_text(f'#!/bin/sh\necho "$*" >> "{noted}"\n')
    (empty_path / "apt-get").chmod(0o755)
    monkeypatch.setattr(system, "_is_root", lambda: True)
    monkeypatch.setattr(system, "_loads", lambda library: "xcb-cursor" not in library)
    system.ensure_virtual_screen(layout)
    assert noted.read_text().splitlines() == ["update", "install -y --no-install-recommends libxcb-cursor0 xvfb"]


def test_nothing_is_installed_where_nothing_is_missing(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "_loads", lambda _library: True)
    system.ensure_window_libraries(layout)
    assert not layout.log.exists()


def test_a_failing_apt_get_is_explained(
    layout: Layout, venv: FakeVenv, monkeypatch: pytest.MonkeyPatch, empty_path: Path
) -> None:
    (empty_path / "apt-get").write_text("#!/bin/sh\necho 'E: Could not resolve host'\nexit 100\n")
    (empty_path / "apt-get").chmod(0o755)
    monkeypatch.setattr(system, "_is_root", lambda: True)
    monkeypatch.setattr(system, "_loads", lambda _library: False)
    with pytest.raises(SetupError, match="cannot be reached"):
        system.ensure_window_libraries(layout)
