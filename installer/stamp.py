"""The stamp in .venv: what the finished installation was made from, so that a second run installs nothing.

Knows what an installation depends on; does not know how it is made.
"""

from __future__ import annotations

import hashlib
import json
import os

from installer.layout import Layout
from installer.packages import STARTER_MODEL


def covers(layout: Layout, extras: frozenset[str]) -> bool:
    """Whether .venv was finished from the files as they are now, with at least these extras of pyproject.toml."""
    stamp = _read(layout)
    return layout.python.exists() and stamp.get("inputs") == _inputs(layout) and extras <= installed_extras(layout)


def installed_extras(layout: Layout) -> frozenset[str]:
    """The extras that the last finished installation had; none where there was none."""
    extras = _read(layout).get("extras")
    return frozenset(str(extra) for extra in extras) if isinstance(extras, list) else frozenset()


def write(layout: Layout, extras: frozenset[str]) -> None:
    """The installation is finished. Replaces the stamp in one move, so that it is whole or not there."""
    text = json.dumps({"inputs": _inputs(layout), "extras": sorted(extras)})
    unfinished = layout.stamp.with_suffix(".part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(layout.stamp)


def _read(layout: Layout) -> dict[str, object]:
    try:
        stamp = json.loads(layout.stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _inputs(layout: Layout) -> str:
    """Changes with the requirements, with the interpreter behind .venv, and when the checkout is moved."""
    parts = (
        layout.pyproject.read_bytes(),
        layout.constraints.read_bytes(),
        STARTER_MODEL.encode(),
        layout.unpacking.read_bytes() if layout.unpacking.exists() else b"",
        os.path.realpath(layout.python).encode(),
        str(layout.root).encode(),
    )
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
