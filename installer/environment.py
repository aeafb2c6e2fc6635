"""Making .venv, and finding out whether an older one still works.

Knows Python's venv module; does not know what is installed in it.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys

from installer.failures import SPACE_NEEDED_GB, SetupError
from installer.layout import Layout
from installer.steps import run_logged, step
from installer.system import as_root, on_debian

HEALTH = "import sys, pip; sys.exit(sys.version_info < (3, 11))"


def ensure(layout: Layout) -> None:
    """Makes .venv, or repairs what an interrupted installation left of it. Raises SetupError."""
    if works(layout):
        _drop_half_installed(layout)
        return
    _check_venv_module()
    _check_space(layout)
    if layout.venv.exists():
        print("The folder .venv does not work; it is made again.", file=sys.stderr)
        shutil.rmtree(layout.venv)
    layout.venv.mkdir(parents=True)
    with step("Making .venv"):
        status, output = run_logged([sys.executable, "-m", "venv", layout.venv], layout.log)
        if status:
            raise SetupError(f"Python could not make {layout.venv}:\n{output.strip()}")


def works(layout: Layout) -> bool:
    """Whether .venv has a Python, new enough, with pip."""
    try:
        return subprocess.run([layout.python, "-c", HEALTH], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _drop_half_installed(layout: Layout) -> None:
    """Forgets packages that pip was unpacking when it was stopped, so that pip installs them again.

    pip writes INSTALLER after a package's files; it sets aside what it replaces under names that begin with `~`.
    """
    for packages in layout.venv.glob("lib*/**/site-packages"):
        for metadata in packages.glob("*.dist-info"):
            if not (metadata / "INSTALLER").exists():
                shutil.rmtree(metadata)
        for aside in packages.glob("~*"):
            shutil.rmtree(aside, ignore_errors=True)


def _check_venv_module() -> None:
    if importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip"):
        return
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    todo = as_root(f"apt-get install {python}-venv") if on_debian() else f"install {python} with its venv and ensurepip"
    raise SetupError(
        f"This Python cannot make a virtual environment: its venv or ensurepip module is missing. First: {todo}"
    )


def _check_space(layout: Layout) -> None:
    free_gb = shutil.disk_usage(layout.root).free / 1e9
    if free_gb < SPACE_NEEDED_GB:
        raise SetupError(
            f"Keepsake needs about {SPACE_NEEDED_GB} GB of disk, and {free_gb:.1f} GB is free at {layout.root}. "
            "Make room, then run this again."
        )
