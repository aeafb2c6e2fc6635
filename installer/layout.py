"""Where the installer's things lie in a checkout. Knows names, not contents."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """The folders and files of one checkout; `root` is the folder of pyproject.toml."""

    root: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The interpreter of .venv."""
        return self.venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    @property
    def log(self) -> Path:
        """What pip, the compiler and apt-get print."""
        return self.venv / "install.log"

    @property
    def stamp(self) -> Path:
        """Written last: what the finished installation was made from."""
        return self.venv / "keepsake-installed.json"

    @property
    def unpacking(self) -> Path:
        """What writes the starter model's weights once more."""
        return self.root / "engine" / "unpack_weights.py"

    @property
    def pyproject(self) -> Path:
        return self.root / "pyproject.toml"

    @property
    def constraints(self) -> Path:
        return self.root / "installer" / "constraints.txt"


def this_checkout() -> Layout:
    """The checkout that this file is part of."""
    return Layout(Path(__file__).resolve().parent.parent)
