"""Why a file or a page was not read: one code for programs, words for the person (what happened, then what to do).

It knows nothing of how the reason was found. No sentence names the file: it stands beside the file's name.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.documents.places import word

RECOGNISE = "Turn on text recognition (OCR) in the settings, or install its data (tesseract-ocr), and drop it again."
AS_PDF = "Save the file as PDF and drop that."
CLEARER = "Scan it larger and sharper, or install the data for its language (tesseract-ocr)."

SENTENCES = {
    "encrypted": "This file needs a password. Type it where it is asked for, or save a copy without one and drop that.",
    "wrong_password": "That password does not open this file. Check it and type it again.",
    "locked": "This is locked in a way that Keepsake cannot open. Unpack or decrypt it elsewhere and drop the copy.",
    "no_text_layer": f"Its pages are pictures without text. {RECOGNISE}",
    "unreadable_font": f"Its letters are shapes without names. {RECOGNISE}",
    "not_recognised": f"No text could be made out in its pictures. {CLEARER}",
    "unreadable_picture": f"Its pictures are damaged or of a kind that Keepsake cannot read. {AS_PDF}",
    "some_pages_need_ocr": f"Some pages are pictures without text. {RECOGNISE}",
    "damaged": "This file is damaged. Get another copy, or open it elsewhere, save it again and drop that.",
    "empty_file": "This file is empty. Check that it was saved or downloaded whole.",
    "no_text": "There is no text in this file. Check that it is the right one.",
    "wrong_type": "This file is not what its name says. Check where it came from, or save it again as PDF or text.",
    "unsupported_type": "Keepsake cannot read this kind of file yet. Save it as PDF or text and drop that.",
    "binary": "This file holds a program's data and no text. Drop a PDF or a text file instead.",
    "too_large": "This file is over 64 MB of text. Split it and drop the parts.",
    "too_large_unpacked": "Unpacked, this file is larger than any document. Check where it came from.",
    "unsafe_xml": "Parts of this file would grow without end when read, as harmful files do. Check where it came from.",
    "unsafe_archive": "This file names places outside itself, as harmful files do. Check where it came from.",
    "drm_protected": "This book is locked by its seller (DRM). Drop a copy without such a lock.",
    "too_slow": "This file took longer than any document should. Open it elsewhere, save it as PDF and drop that.",
    "too_much_memory": "This file needed more memory than any document should. Save it as PDF and drop that.",
    "too_deep": "This lies in a file that lies in a file, and so on. Take it out and drop it by itself.",
    "crashed": "The program that reads files ended on this one. Open it elsewhere, save it as PDF and drop that.",
    "some_parts_left_out": "Parts of this file could not be read.",
    "no_permission": "This computer does not let you open this. Change its permissions and drop it again.",
    "no_such_file": "This file is no longer there. Check where it went and drop it again.",
    "changed": "This file was written to while it was read. Drop it again once it is complete.",
    "disk_error": "The disk did not give this file whole. Check the disk or the connection and drop it again.",
    "hidden": "Hidden files and folders in a dropped folder are left out. Drop it by itself to have it read.",
    "generated": "Files that programs make for themselves are left out. Drop this by itself to have it read.",
    "ignored": "A .gitignore or .keepsakeignore of the folder leaves this out. Drop it by itself to have it read.",
    "link": "Links that lead out of the dropped folder or to folders are not followed. Drop what it points to.",
    "broken_link": "This link points to nothing. Drop the file that it should lead to.",
    "duplicate": "This link points to a file that is read anyway.",
    "replaced": "The archive holds a later file of this name, which is read. Unpack it to see the earlier one.",
    "outdated": "This file has changed since it was read. What was read then stays in memory beside the newer one.",
    "gone": "This file is no longer in its folder. What was read of it stays in memory.",
    "special_file": "This is a device or a channel and no file. Nothing can be read from it.",
}

# What lies in a folder and was never meant to be read: counted, and not said to be missing.
NO_DOCUMENTS = frozenset({"hidden", "generated", "ignored", "duplicate", "binary"})

PICTURE_AS_PDF = (
    "This is a picture and no PDF, whatever its name says. Rename it to .png or .jpg to have its text read."
)
"""Of the reason "wrong_type"."""

INSTEAD = {
    "pictures of this kind": "Save it as PNG or JPEG and drop that.",
    "sound and film": "Drop a written copy of what is said in it.",
    "archives": "Archives within a folder or another file are left out. Drop it by itself.",
    "archives of this kind": "Unpack it and drop what is in it.",
}


def reason_of_error(error: OSError) -> str:
    """Why the system did not give a file."""
    if isinstance(error, PermissionError):
        return "no_permission"
    return "no_such_file" if isinstance(error, FileNotFoundError) else "disk_error"


def pictures_sentence(reason: str, kind: str) -> str:
    """The sentence for a document of which all parts are pictures of text, as far as they are anything."""
    has_pages = reason != "no_text_layer" or word(kind) is not None
    return SENTENCES[reason] if has_pages else f"It holds pictures and no text. {RECOGNISE}"


def unsupported(kind: str) -> str:
    """The sentence for a known kind of file that is not read yet; `kind` in the plural, as in "Word files"."""
    if kind == "archives":
        return INSTEAD[kind]
    return f"Keepsake cannot read {kind} yet. {INSTEAD.get(kind, 'Save it as PDF and drop it again.')}"


def pages_sentence(reason: str, pages: Sequence[int], kind: str = "pdf", partly: bool = False) -> str:
    """The sentence for a document of which these parts, and only these, were not read, or not whole. kind: of document.
    partly: they were read as far as they go.
    """
    if partly:
        return _partly_sentence(reason, pages, kind)
    them = _name(pages, word(kind) or "part")
    are, have, picture = ("is", "has", "a picture") if len(pages) == 1 else ("are", "have", "pictures")
    copy, anew = "The others were read; get another copy for the rest.", "Save the file as a new PDF and drop that."
    what = {
        "damaged": f"{them} {are} damaged. {copy}",
        "no_text_layer": f"{them} {are} {picture} without text. {RECOGNISE}",
        "unreadable_font": f"{them} {have} letters without names. {RECOGNISE}",
        "not_recognised": f"{them} {are} {picture} in which no text could be made out. {CLEARER}",
        "unreadable_picture": f"{them} {have} pictures that are damaged or of a kind that is not read. {AS_PDF}",
        "unsafe_xml": f"{them} would grow without end when read and {are} left out. Check where the file came from.",
        "too_large_unpacked": f"{them} {are} larger than any document and {are} left out.",
        "too_slow": f"{them} took longer than a page should and {are} left out. {anew}",
        "too_much_memory": f"{them} needed too much memory and {are} left out. {anew}",
        "crashed": f"{them} ended the program that reads files and {are} left out. {anew}",
    }
    return what.get(reason) or f"{them} {are} left out. {SENTENCES[reason]}"


def _partly_sentence(reason: str, pages: Sequence[int], kind: str) -> str:
    one = word(kind)
    them = "This file" if one is None else _name(pages, one)
    is_one = one is None or len(pages) == 1
    are, have, hold = ("is", "has", "holds") if is_one else ("are", "have", "hold")
    copy = "Get another copy, or open it elsewhere, save it again and drop that."
    what = {
        "damaged": f"{them} {are} damaged and {have} been read as far as possible. {copy}",
        "unsafe_xml": f"{them} {hold} what would grow without end when read; the rest was read. Check its source.",
        "too_large_unpacked": f"{them} {hold} more than any document; its beginning was read. Split it.",
    }
    return what.get(reason) or f"{them} {have} been read in part. {SENTENCES[reason]}"


def left_out_sentence(names: Sequence[str]) -> str:
    """The sentence for what lies in a document and could not be read, by name."""
    known = [name for name in names if name]
    if not known:
        return "A part of it could not be read." if len(names) == 1 else f"{len(names)} parts of it could not be read."
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"Not read: {', '.join(known[:3])}{more}."


def pictures_left_out_sentence(reasons: Collection[str]) -> str | None:
    """What to do about pictures between the lines that may be pages of text; None where there are none."""
    if "no_text_layer" in reasons:
        return RECOGNISE
    return CLEARER if "not_recognised" in reasons else None


def locked_sentence(reasons: Collection[str]) -> str | None:
    """The sentence for what lies in a document, is locked and can be opened here; None where nothing is."""
    if "wrong_password" in reasons:
        return "That password does not open all that is locked in it. Check it and type it again."
    return "What is locked in it opens with its password." if "encrypted" in reasons else None


def _name(pages: Sequence[int], one: str) -> str:
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
    return f"{one.capitalize() if len(pages) == 1 else one.capitalize() + 's'} {words}"
