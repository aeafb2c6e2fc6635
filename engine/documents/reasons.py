"""Why a file or a page was not read: one code for programs, words for the person (what happened, then what to do).

It knows nothing of how the reason was found. No sentence names the file: it stands beside the file's name.
"""

from __future__ import annotations

from collections.abc import Sequence

SENTENCES = {
    "encrypted": "This file needs a password. Save a copy without one and drop it again.",
    "wrong_password": "That password does not open this file. Check it and type it again.",
    "no_text_layer": "Its pages are pictures without text. Run text recognition (OCR) on the file and drop it again.",
    "unreadable_font": "Its letters are shapes without names. Run text recognition (OCR) on it and drop it again.",
    "some_pages_need_ocr": "Some pages are pictures without text. Run text recognition (OCR) on it and drop it again.",
    "damaged": "This file is damaged. Get another copy, or open it elsewhere, save it again and drop that.",
    "empty_file": "This file is empty. Check that it was saved or downloaded whole.",
    "no_text": "There is no text in this file. Check that it is the right one.",
    "wrong_type": "This file is not what its name says. Check where it came from, or save it again as PDF or text.",
    "unsupported_type": "Keepsake cannot read this kind of file yet. Save it as PDF or text and drop that.",
    "binary": "This file holds a program's data and no text. Drop a PDF or a text file instead.",
    "too_large": "This file is over 64 MB of text. Split it and drop the parts.",
    "no_permission": "This computer does not let you open this. Change its permissions and drop it again.",
    "no_such_file": "This file is no longer there. Check where it went and drop it again.",
    "disk_error": "The disk did not give this file whole. Check the disk or the connection and drop it again.",
    "hidden": "Hidden files and folders in a dropped folder are left out. Drop it by itself to have it read.",
    "generated": "Files that programs make for themselves are left out. Drop this by itself to have it read.",
    "link": "Links that lead out of the dropped folder or to folders are not followed. Drop what it points to.",
    "broken_link": "This link points to nothing. Drop the file that it should lead to.",
    "duplicate": "This link points to a file that is read anyway.",
    "special_file": "This is a device or a channel and no file. Nothing can be read from it.",
}

INSTEAD = {
    "pictures": "Run text recognition (OCR) on it, save that as PDF and drop it.",
    "sound and film": "Drop a written copy of what is said in it.",
    "archives": "Unpack it and drop what is in it.",
}


def unsupported(kind: str) -> str:
    """The sentence for a known kind of file that is not read yet; `kind` in the plural, as in "Word files"."""
    return f"Keepsake cannot read {kind} yet. {INSTEAD.get(kind, 'Save it as PDF and drop it again.')}"


def pages_sentence(reason: str, pages: Sequence[int]) -> str:
    """The sentence for a document of which these pages, and only these, were not read."""
    them, recognise = _name(pages), "Run text recognition (OCR) on the file and drop it again."
    are, have, picture = ("is", "has", "a picture") if len(pages) == 1 else ("are", "have", "pictures")
    what = {
        "damaged": f"{them} {are} damaged. The others were read; get another copy for the rest.",
        "no_text_layer": f"{them} {are} {picture} without text. {recognise}",
        "unreadable_font": f"{them} {have} letters without names. {recognise}",
    }
    return what[reason]


def _name(pages: Sequence[int]) -> str:
    """ "Page 4", "Pages 2 and 4", "Pages 1, 3 to 5 and 9"."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    parts: list[str] = []
    for first, last in runs:
        parts.extend(
            [str(first)] if first == last else [str(first), str(last)] if last == first + 1 else [f"{first} to {last}"]
        )
    words = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
    return f"{'Page' if len(pages) == 1 else 'Pages'} {words}"
