"""A file's name as it is shown and told to the model: it says no more and nothing else than it seems to.

It knows nothing of files. The name that a file is opened by is another thing and stays as the file system has it.
"""

from __future__ import annotations

import re
import unicodedata

_HALF_CHARACTERS = re.compile("[\ud800-\udfff]+")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# Signs that turn what follows around, so that "txt.exe" reads "exe.txt", and signs of no width that no script needs:
# those between Arabic or Indic letters and within emoji are others. Unicode 15, UAX 9 and the block Tags.
_UNSEEN = re.compile("[\xad\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]+")
_HOLDS_NOTHING = frozenset({"Cf", "Cn", "Mn", "Zs"})


def display_name(name: str) -> str:
    """Valid Unicode on one line, in the order in which it is written, with at least one sign to be seen."""
    shown = _UNSEEN.sub("", _CONTROLS.sub(" ", _HALF_CHARACTERS.sub("\ufffd", name)))
    if name and all(unicodedata.category(sign) in _HOLDS_NOTHING for sign in shown):
        return "\ufffd"
    return shown
