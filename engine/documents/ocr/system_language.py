"""The language of the person's system, as the system names it."""

from __future__ import annotations

import locale
import os
import plistlib
import sys
from pathlib import Path

PREFERENCES = Path("Library", "Preferences", ".GlobalPreferences.plist")


def system_locale() -> str | None:
    """ "de_DE", "German_Germany", "de-DE", or None where none is set.

    macOS tells it to programs that a terminal starts, and to no others: it stands in the person's preferences.
    """
    if sys.platform == "darwin" and not (os.environ.get("LC_ALL") or os.environ.get("LANG")):
        return _preferred(Path.home() / PREFERENCES)
    return locale.getlocale()[0]


def _preferred(path: Path) -> str | None:
    """The first of the languages in a file of macOS's preferences."""
    try:
        preferences = plistlib.loads(path.read_bytes())
        return str(preferences["AppleLanguages"][0])
    except Exception:  # the file may be missing or of a form of its own, and a damaged one raises many types
        return None
