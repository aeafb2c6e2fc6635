"""Where Tesseract's language data lies on this computer, and which of it to use. It recognises nothing.

No program is started to find it: Tesseract itself is inside PyMuPDF, only its data are files.
"""

from __future__ import annotations

import locale as locales
import os
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from engine.documents.reader import Recognition

ENDING = ".traineddata"
# Data that lies beside the languages and is none: orientation, equations.
NO_LANGUAGES = frozenset({"osd", "equ"})
ENGLISH = "eng"
# ISO 639-1 -> Tesseract's own names, where people have a system in that language.
NAMES = {
    "af": "afr",
    "ar": "ara",
    "be": "bel",
    "bg": "bul",
    "bn": "ben",
    "ca": "cat",
    "cs": "ces",
    "cy": "cym",
    "da": "dan",
    "de": "deu",
    "el": "ell",
    "en": ENGLISH,
    "es": "spa",
    "et": "est",
    "eu": "eus",
    "fa": "fas",
    "fi": "fin",
    "fr": "fra",
    "ga": "gle",
    "gl": "glg",
    "gu": "guj",
    "he": "heb",
    "hi": "hin",
    "hr": "hrv",
    "hu": "hun",
    "hy": "hye",
    "id": "ind",
    "is": "isl",
    "it": "ita",
    "ja": "jpn",
    "ka": "kat",
    "kk": "kaz",
    "kn": "kan",
    "ko": "kor",
    "lt": "lit",
    "lv": "lav",
    "mk": "mkd",
    "ml": "mal",
    "mr": "mar",
    "ms": "msa",
    "nb": "nor",
    "nl": "nld",
    "nn": "nor",
    "no": "nor",
    "pl": "pol",
    "pt": "por",
    "ro": "ron",
    "ru": "rus",
    "sk": "slk",
    "sl": "slv",
    "sq": "sqi",
    "sr": "srp",
    "sv": "swe",
    "sw": "swa",
    "ta": "tam",
    "te": "tel",
    "th": "tha",
    "tr": "tur",
    "uk": "ukr",
    "ur": "urd",
    "uz": "uzb",
    "vi": "vie",
}
CHINESE, TRADITIONAL = ("chi_sim", "chi_tra"), ("tw", "hk", "mo", "hant")


def recognition_for(setting: str, locale: str | None, chosen: str = "") -> Recognition | None:
    """English and the language of the person's system, as far as their data is here. setting: "auto" or "off". locale:
    as the system names it ("de_DE.UTF-8"), or None. chosen: other languages in their place, as Tesseract names them
    ("deu+fra"). None where it is off or no data is found.
    """
    if setting == "off":
        return None
    given = [language.strip() for language in chosen.split("+") if language.strip()]
    own = given[0] if given else language_of(locale)
    wanted = given or [language for language in dict.fromkeys((own, ENGLISH)) if language is not None]
    # Tesseract looks in one folder only, so the folder with the most of them is taken, the person's own language first.
    best: tuple[int, bool] = (0, False)
    found: Recognition | None = None
    for folder in data_folders():
        languages = tuple(language for language in wanted if language in languages_in(folder))
        rank = (len(languages), own in languages)
        if rank > best:
            best, found = rank, Recognition(languages, str(folder))
    return found


def language_of(locale: str | None) -> str | None:
    """Tesseract's name for the language of a locale; None where it has none."""
    if not locale:
        return None
    plain = locale.split(".")[0].split("@")[0].replace("-", "_").lower()
    if len(plain.split("_")[0]) > 3:  # Windows: "German_Germany"
        plain = locales.normalize(plain.split("_")[0]).split(".")[0].lower()
    language, *places = plain.split("_")
    if language == "zh":
        return CHINESE[any(place in TRADITIONAL for place in places)]
    return NAMES.get(language) or (language if language in NAMES.values() else None)


def languages_in(folder: Path) -> frozenset[str]:
    """The languages whose data lies in a folder, as Tesseract names them."""
    try:
        names = {path.name.removesuffix(ENDING) for path in folder.iterdir() if path.name.endswith(ENDING)}
    except OSError:
        return frozenset()
    return frozenset(names - NO_LANGUAGES)


def languages_here() -> list[str]:
    """All whose data is on this computer, as Tesseract names them, in the order of these names."""
    return sorted({language for folder in data_folders() for language in languages_in(folder)})


def data_folders() -> list[Path]:
    """Folders that may hold language data, in the order in which they are asked: what the person names, what was
    installed with Keepsake, for all or by `pip install --user`, the system's.
    """
    folders: list[Path] = []
    if prefix := os.environ.get("TESSDATA_PREFIX"):
        folders += [Path(prefix), Path(prefix, "tessdata")]
    folders.append(Path(sys.prefix, "share", "tessdata"))
    folders.append(Path(sysconfig.get_path("data", sysconfig.get_preferred_scheme("user")), "share", "tessdata"))
    folders += _newest_first(Path("/usr/share/tesseract-ocr").glob("*/tessdata"))
    folders += [Path("/usr/share/tessdata"), Path("/usr/local/share/tessdata"), Path("/opt/homebrew/share/tessdata")]
    for variable in ("PROGRAMFILES", "LOCALAPPDATA"):
        if programs := os.environ.get(variable):
            folders += [Path(programs, "Tesseract-OCR", "tessdata"), Path(programs, "Programs/Tesseract-OCR/tessdata")]
    return list(dict.fromkeys(folders))


def _newest_first(folders: Iterable[Path]) -> list[Path]:
    """By the version that the folder above is named for."""
    return sorted(folders, key=lambda folder: folder.parent.name, reverse=True)
