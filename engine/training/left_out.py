"""Files that are not trained on, by the reason, in the words of the command line. It reads no file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

NAMED = 10
NO_JSON = "no JSON that can be read"
NO_PAIRS = "no question-answer pairs"
# What the reasons of engine.documents mean to somebody who names files on the command line.
_REASONS = {
    "encrypted": "protected by a password (save copies without one)",
    "locked": "locked in a way that cannot be opened here (decrypt or unpack them)",
    "no_text_layer": "pictures of pages without text (run text recognition on them)",
    "unreadable_font": "letters without names (run text recognition on them)",
    "some_pages_need_ocr": "some of the pages, which are pictures without text (run text recognition on them)",
    "damaged": "damaged (get other copies)",
    "some_pages_damaged": "some of the pages, which are damaged (get other copies)",
    "empty_file": "empty",
    "no_text": "no text in them",
    "wrong_type": "not what their names say",
    "unsupported_type": "of a kind that is not read (save them as PDF or text)",
    "binary": "a program's data and no text",
    "too_large": "over 64 MB of text (split them)",
    "too_large_unpacked": "larger than any document once they are unpacked",
    "too_slow": "of no end, or none that could be waited for (save them as PDF)",
    "too_much_memory": "of more than the memory that a document may need (save them as PDF)",
    "crashed": "such that the program that reads files ended on them (save them as PDF)",
    "unsafe_xml": "made to do harm when read",
    "unsafe_archive": "made to do harm when unpacked",
    "too_deep": "in files in files (take them out)",
    "not_recognised": "pictures in which no text was made out",
    "unreadable_picture": "pictures of a kind that is not read (save them as PDF)",
    "drm_protected": "locked by their seller",
    "some_parts_left_out": "some of the parts, which could not be read",
    "changed": "written to while they were read",
    "no_permission": "not open to you (change the permissions)",
    "no_such_file": "not there",
    "disk_error": "not given whole by the disk",
    "link": "links that lead out of the folder (name what they point to)",
    "broken_link": "links to nothing",
    "duplicate": "links to files that are read anyway",
    "replaced": "a later file of the archive has the same name",
    "ignored": "left out by a .gitignore or .keepsakeignore of the folder (name them to have them read)",
    "special_file": "devices or channels and no files",
}
# Of no interest to anybody: a folder's hidden files and what programs make for themselves.
_NOT_NAMED = frozenset({"hidden", "generated"})


def reason(code: str) -> str:
    """What a code of engine.documents.reasons means, as it stands behind "left out"."""
    return _REASONS.get(code, code)


@dataclass
class LeftOut:
    """names: of files, by the reason."""

    names: dict[str, list[str]] = field(default_factory=dict)

    def add(self, why: str, name: str) -> None:
        """why: a code of engine.documents.reasons, or words."""
        if why not in _NOT_NAMED:
            self.names.setdefault(reason(why), []).append(name)

    def lines(self) -> Iterator[str]:
        """One for each reason, with the first files' names."""
        for why, names in self.names.items():
            more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
            yield f"Left out, {why}: {', '.join(names[:NAMED])}{more}"
