"""What the system itself must bring: the libraries that Qt opens a window with, a screen, and Xvfb for the tests.

Knows Debian's package names; does not know Python's packages.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Sequence

from installer.failures import SetupError, explain
from installer.layout import Layout
from installer.steps import run_logged, step

# What Qt's libraries and its xcb plugin are linked with and do not bring, with the Debian package that carries each.
WINDOW_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
NO_SCREEN = (
    "Keepsake is set up, but there is no screen here to open its window on. Without one, ask like this: "
    'python3 -m installer run ask FILE... "QUESTION"'
)


def ensure_window_libraries(layout: Layout) -> None:
    """Installs what Qt's window needs of the system, or says what to install. Raises SetupError."""
    _ensure(layout, _missing_libraries(), "Qt cannot open a window here")


def ensure_virtual_screen(layout: Layout) -> None:
    """The same, and Xvfb, on whose screen the tests open the window. Raises SetupError."""
    screen = [] if not sys.platform.startswith("linux") or shutil.which("Xvfb") else ["xvfb"]
    _ensure(
        layout, [*_missing_libraries(), *screen], "The tests open a window on a virtual screen, and cannot do so here"
    )


def has_screen() -> bool:
    """Whether a window can be shown, or Qt has been told how to do without."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def on_debian() -> bool:
    """Whether packages come by apt-get."""
    return shutil.which("apt-get") is not None


def as_root(command: str) -> str:
    """The command as this person must type it."""
    return command if _is_root() else f"sudo {command}"


def _missing_libraries() -> list[str]:
    """Debian's packages whose libraries cannot be loaded."""
    if not sys.platform.startswith("linux"):
        return []
    return [package for library, package in WINDOW_LIBRARIES.items() if not _loads(library)]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _ensure(layout: Layout, packages: Sequence[str], trouble: str) -> None:
    if not packages:
        return
    names = " ".join(packages)
    if not on_debian():
        raise SetupError(f"{trouble}: what Debian calls {names} is missing. Install it, then run this again.")
    if not _is_root():
        raise SetupError(f"{trouble}. First: {as_root(f'apt-get install {names}')}")
    quietly = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with step(f"Installing {names}"):
        # A list that cannot be renewed may still do, so that the second command decides.
        run_logged(["apt-get", "update"], layout.log, quietly)
        status, output = run_logged(
            ["apt-get", "install", "-y", "--no-install-recommends", *packages], layout.log, quietly
        )
        if status:
            raise explain(output, layout.log)


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0
