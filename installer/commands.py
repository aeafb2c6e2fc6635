"""The commands `run` and `test`, from the command line to the exit status.

Knows what each needs installed and what it starts; how that is done is in the other files.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from installer import checks, environment, packages, stamp, system
from installer.failures import SetupError
from installer.layout import Layout, this_checkout

USAGE = """\
usage: python3 -m installer run                                set up what is missing and open the window
       python3 -m installer run ask FILE... "QUESTION"         ask without a window; `run ask --help` says more
       python3 -m installer run read|train|heads|evaluate ...  the engine's other commands
       python3 -m installer test [PYTEST ARGUMENTS]            set up what the tests need and run every check
"""
INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Carries out one command line on this checkout; returns the exit status."""
    layout = this_checkout()
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        match list(arguments):
            case ["run", *rest]:
                return run(layout, rest)
            case ["test", *rest]:
                return test(layout, rest)
            case ["-h" | "--help"]:
                print(USAGE, end="")
                return 0
            case _:
                print(USAGE, end="", file=sys.stderr)
                return 2
    except SetupError as failure:
        print(failure, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. The next run goes on from here.", file=sys.stderr)
        return INTERRUPTED


def run(layout: Layout, engine_arguments: Sequence[str]) -> int:
    """Opens the window, or with arguments gives them to the engine; sets up first what is missing."""
    if engine_arguments:
        set_up(layout, frozenset())
        return _become(layout, "engine.main", engine_arguments)
    set_up(layout, frozenset())
    if not system.has_screen():
        raise SetupError(system.NO_SCREEN)
    system.ensure_window_libraries(layout)
    return _become(layout, "app.main", ())


def test(layout: Layout, pytest_arguments: Sequence[str]) -> int:
    """Sets up what the tests need and runs every check."""
    set_up(layout, frozenset({"test"}))
    system.ensure_virtual_screen(layout)
    return checks.run_all(layout, pytest_arguments)


def set_up(layout: Layout, extras: frozenset[str]) -> None:
    """Makes .venv hold Keepsake with these extras and those it had; does nothing where it does. Raises SetupError."""
    if stamp.covers(layout, extras):
        return
    wanted = extras | stamp.installed_extras(layout)
    layout.stamp.unlink(missing_ok=True)
    environment.ensure(layout)
    packages.install(layout, wanted)
    stamp.write(layout, wanted)


def _become(layout: Layout, module: str, arguments: Sequence[str]) -> int:
    """This process goes on as the module, so that signals and the exit status are the module's own."""
    command = [str(layout.python), "-m", module, *arguments]
    if sys.platform != "win32":
        sys.stdout.flush()
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
