"""Every check of the project, one after the other, and a summary. Knows the commands, not what they look at."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence

from installer.layout import Layout
from installer.steps import spoken

# The whole suite, a file on each core, in their own order: the slow ones of end_to_end begin early.
ALL_TESTS = ("-n", "logical", "--maxprocesses", "4", "--dist", "loadfile", "--no-loadscope-reorder")
LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def run_all(layout: Layout, pytest_arguments: Sequence[str]) -> int:
    """Runs all checks, even where one fails, with their output on the screen. 0 where all passed, otherwise 1."""
    outcomes = [_run(layout, name, arguments) for name, arguments in _checks(pytest_arguments)]
    print("\nSummary")
    for name, passed, seconds in outcomes:
        print(f"  {name:<13} {'passed' if passed else 'FAILED'}  {spoken(seconds)}")
    return 0 if all(passed for _, passed, _ in outcomes) else 1


def _checks(pytest_arguments: Sequence[str]) -> list[tuple[str, list[str]]]:
    return [
        ("ruff check", ["-m", "ruff", "check", "."]),
        ("ruff format", ["-m", "ruff", "format", "--check", "."]),
        ("mypy", ["-m", "mypy"]),
        ("import-linter", ["-c", LINT_IMPORTS]),
        ("pytest", ["-m", "pytest", *(pytest_arguments or ALL_TESTS)]),
    ]


def _run(layout: Layout, name: str, arguments: Sequence[str]) -> tuple[str, bool, float]:
    print(f"\n== {name}", flush=True)
    start = time.monotonic()
    # torch's own threads would only wait for each other where every core has a test.
    environment = {"OMP_NUM_THREADS": "1", **os.environ}
    status = subprocess.run([layout.python, *arguments], cwd=layout.root, env=environment, check=False).returncode
    return name, status == 0, time.monotonic() - start
