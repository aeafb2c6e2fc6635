"""The version of the installed package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed


def version() -> str:
    try:
        return installed("keepsake")
    except PackageNotFoundError:
        return "unknown"
