"""How the Python that runs here is started once more, so that the process that is started is the one that works."""

from __future__ import annotations

import os
import sys


def interpreter() -> tuple[str, dict[str, str]]:
    """(program, what its environment holds besides).

    In a virtual environment on Windows python.exe only starts the real one as its child: whoever watches or ends that
    process would have the wrong one. The real one takes the environment from the variable, as multiprocessing has it
    do (CPython: Lib/multiprocessing/popen_spawn_win32.py, bpo-35797).
    """
    base: str = getattr(sys, "_base_executable", None) or sys.executable
    if sys.platform != "win32" or os.path.normcase(base) == os.path.normcase(sys.executable):
        return sys.executable, {}
    return base, {"__PYVENV_LAUNCHER__": sys.executable}
