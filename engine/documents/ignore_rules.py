"""What .gitignore and .keepsakeignore files leave out: nested as git nests them, the last rule that fits wins.

Rules of a deeper folder come after those of the folders above it, those of .keepsakeignore after those of .gitignore.
It knows paths within the dropped folder alone: neither rules above that folder nor those of git's own settings count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

FILES = (".gitignore", ".keepsakeignore")
LARGEST = 2**20
# Matching takes time to the power of the stars: a name can be made to fit a rule of twenty almost for ever.
MOST_STARS = 6


@dataclass(frozen=True)
class _Rule:
    """below: the path of the folder whose file holds the rule, "" for the dropped folder, else with a slash at its end.
    inside: whether it fits only what lies in the folder that it names ("build/**").
    """

    below: str
    fits: re.Pattern[str]
    inside: bool
    ignores: bool

    def names(self, path: str) -> bool:
        """Whether it speaks of this path itself, and not of a folder above it."""
        inner = path[len(self.below) :]
        if not self.fits.pattern.startswith("^"):  # "*" fits everything, "*/" all folders
            return self.fits.search(inner[-1:]) is not None
        found = self.fits.match(inner)
        return found is not None and (found.end() < len(inner) if self.inside else found.end() == len(inner))


class IgnoreRules:
    """The rules in force in one folder."""

    def __init__(self, rules: Sequence[_Rule] = ()) -> None:
        self._rules = rules

    def within(self, folder: Path, below: str) -> IgnoreRules:
        """With the rules of the files in `folder` itself, which is `below` in the dropped one ("" or with a slash)."""
        added = [rule for name in FILES for rule in _rules_of(folder / name, below)]
        return IgnoreRules([*self._rules, *added]) if added else self

    def ignore(self, path: str) -> bool:
        """path: within the dropped folder, with "/" between names, and at its end if it is a folder."""
        return next((rule.ignores for rule in reversed(self._rules) if rule.names(path)), False)


def _rules_of(file: Path, below: str) -> list[_Rule]:
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > LARGEST:
            return []
        text = file.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    except OSError:
        return []
    rules = (_rule(line.removesuffix("\r"), below) for line in text.split("\n"))
    return [rule for rule in rules if rule is not None]


def _rule(line: str, below: str) -> _Rule | None:
    if re.sub(r"\*\*+", "", line).count("*") + line.count("**") > MOST_STARS:
        return None
    try:
        # "a/**/" means the folders in a, at any depth.
        (pattern,) = GitIgnoreSpec.from_lines([re.sub(r"(^|/)\*\*/$", r"\1**/*/", line)]).patterns
    except ValueError:  # no rule that git would know
        return None
    if pattern.include is None or pattern.regex is None:
        return None
    return _Rule(below, pattern.regex, line.rstrip().endswith("/**"), bool(pattern.include))
