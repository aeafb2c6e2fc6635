"""How often the encoding of a text that names none is guessed right, beside charset-normalizer and chardet where they
are installed: pieces of four lengths in every language and encoding of LANGUAGES, and the time a piece takes.

`python -m tests.benchmarks.encodings FOLDER...`: translations as programs bring them along, which nobody wrote for
this: folders that hold LANGUAGE/LC_MESSAGES/*.mo, such as the system keeps and as Django has. A reading is right
where every letter of it is.
"""

from __future__ import annotations

import gettext
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.documents.charsets import codec_named
from engine.documents.text import decode

# Language, by the name of its folder -> the encodings that files in it are found in.
LANGUAGES = {
    "en_GB": "cp1252",
    "de": "cp1252 iso8859-15 cp850",
    "fr": "cp1252 iso8859-15 cp850",
    "es": "cp1252 mac_roman",
    "pt_BR": "cp1252",
    "it": "cp1252",
    "nl": "cp1252",
    "sv": "cp1252 iso8859-15",
    "da": "cp1252",
    "fi": "cp1252",
    "pl": "cp1250 iso8859-2 cp852",
    "cs": "cp1250 iso8859-2 cp852",
    "sk": "cp1250 iso8859-2",
    "hu": "cp1250 iso8859-2",
    "sl": "cp1250 iso8859-2",
    "hr": "cp1250 iso8859-2",
    "tr": "cp1254",
    "lt": "cp1257",
    "lv": "cp1257",
    "et": "cp1257",
    "ru": "cp1251 koi8_r cp866 iso8859-5",
    "uk": "cp1251 koi8_u",
    "bg": "cp1251",
    "sr": "cp1251 iso8859-5",
    "el": "cp1253 iso8859-7",
    "he": "cp1255",
    "ar": "cp1256",
    "th": "cp874",
    "ja": "shift_jis euc_jp",
    "zh_CN": "gb18030",
    "zh_Hans": "gb18030",
    "zh_TW": "big5",
    "zh_Hant": "big5",
    "ko": "cp949",
}
LENGTHS = (60, 200, 1000, 5000)
PIECES = 20
"""Of each length, language and encoding."""
LEAST_CHARACTERS = 25
"""Of a translation: names and single words are no text of a language."""
_MARKS = re.compile(r"%[-#0 +'.*\d$]*(?:\([^)]*\))?[a-zA-Z]|\{[^}]*\}|<[^>]*>|[_&](?=\w)")

Read = Callable[[bytes], str | None]


def main() -> int:
    """A table a question."""
    folders = [Path(name) for name in sys.argv[1:]] or [Path("/usr/share/locale")]
    readers = dict(_readers())
    wrong: dict[str, Counter[tuple[str, str, int]]] = {name: Counter() for name in readers}
    seconds: Counter[tuple[str, int]] = Counter()
    tried: Counter[tuple[str, str, int]] = Counter()
    for language, codec, length, piece in _pieces(folders):
        tried[language, codec, length] += 1
        for name, read in readers.items():
            begun = time.perf_counter()
            text = read(piece)
            seconds[name, length] += time.perf_counter() - begun
            wrong[name][language, codec, length] += text != piece.decode(codec)
    _print(list(readers), wrong, tried, seconds)
    return 0


def _print(
    names: list[str],
    wrong: dict[str, Counter[tuple[str, str, int]]],
    tried: Counter[tuple[str, str, int]],
    seconds: Counter[tuple[str, int]],
) -> None:
    print("Wrong readings, " + ", ".join(names) + f"; {sum(tried.values())} pieces")
    print("bytes".rjust(24), *(str(length).rjust(14) for length in LENGTHS))
    for language, codec in dict.fromkeys((language, codec) for language, codec, _ in tried):
        cells = ["/".join(str(wrong[name][language, codec, length]) for name in names) for length in LENGTHS]
        print(f"{language} {codec}".rjust(24), *(cell.rjust(14) for cell in cells))
    for name in names:
        print()
        for length in LENGTHS:
            of = sum(count for (_, _, size), count in tried.items() if size == length)
            bad = sum(count for (_, _, size), count in wrong[name].items() if size == length)
            each = 1000 * seconds[name, length] / max(1, of)
            print(f"{name}, {length} bytes: {bad} of {of} wrong ({bad / max(1, of):.1%}), {each:.2f} ms a piece")


def _readers() -> Iterator[tuple[str, Read]]:
    yield "Keepsake", decode
    for module, guess in (("charset_normalizer", _normalizer), ("chardet", _chardet)):
        try:
            library = import_module(module)
        except ImportError:
            print(f"{module} is not installed")
            continue
        yield f"{module} {library.__version__}", _with(guess, library)


def _with(guess: Callable[[Any, bytes], str | None], library: Any) -> Read:
    """The text by what a library says; Windows-1252 where it says nothing, as before there was a guess of our own."""

    def read(data: bytes) -> str:
        return data.decode(codec_named(guess(library, data) or "cp1252") or "cp1252", "replace")

    return read


def _normalizer(library: Any, data: bytes) -> str | None:
    best = library.from_bytes(data).best()
    return best.encoding if best is not None else None


def _chardet(library: Any, data: bytes) -> str | None:
    found = library.detect(data)["encoding"]
    return str(found) if found else None


def _pieces(folders: list[Path]) -> Iterator[tuple[str, str, int, bytes]]:
    """(language, encoding, length, bytes of text): of whole letters, from the beginning of a sentence on, at least one
    beyond ASCII.
    """
    for language, codecs in LANGUAGES.items():
        sentences = list(_sentences(folders, language))
        for codec in codecs.split():
            chance = random.Random(f"{language} {codec}")
            written = [sentence for sentence in sentences if _can_be_written(sentence, codec)]
            for length in LENGTHS if len(written) > PIECES else ():
                for _ in range(PIECES):
                    piece = b""
                    while piece.isascii():
                        piece = _piece(chance, written, codec, length)
                    yield language, codec, length, piece


def _piece(chance: random.Random, sentences: list[str], codec: str, length: int) -> bytes:
    text = ""
    while len(text.encode(codec)) < length:
        text += chance.choice(sentences) + chance.choice(" \n")
    return text.encode(codec)[:length].decode(codec, "ignore").encode(codec)


def _can_be_written(sentence: str, codec: str) -> bool:
    try:
        return sentence.encode(codec).decode(codec) == sentence
    except UnicodeEncodeError:
        return False


def _sentences(folders: list[Path], language: str) -> Iterator[str]:
    """What is translated, each once, without what programs put in."""
    seen: set[str] = set()
    for folder in folders:
        for file in sorted(folder.glob(f"{language}/LC_MESSAGES/*.mo")):
            for translation in _translations(file):
                text = " ".join(_MARKS.sub("", translation).split())
                if text not in seen and not text.isascii() and len(text) >= LEAST_CHARACTERS:
                    seen.add(text)
                    yield text


def _translations(file: Path) -> Iterator[str]:
    with file.open("rb") as opened:
        try:
            catalogue: dict[Any, str] = vars(gettext.GNUTranslations(opened))["_catalog"]
        except (OSError, ValueError, LookupError):
            return
    for original, text in catalogue.items():
        if original and text and text != original:
            yield text


if __name__ == "__main__":
    sys.exit(main())
