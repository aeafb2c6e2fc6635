"""The cells of a row of an Excel sheet -> what they show (ISO/IEC 29500-1, section 18.3.1.4). It knows no parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from xml.etree.ElementTree import Element

from engine.documents.hidden_cells import HiddenColumns, hidden_row
from engine.documents.number_format import BUILT_IN, GENERAL, shown
from engine.documents.office_names import is_on, whole
from engine.documents.scripts import LEVEL, LOWERED, PLAIN, RAISED, Look, struck, written

MOST_EMPTY = 30
"""Empty cells in a row that are kept between two others, so that one in the last column costs no thousand."""
_LETTERS = re.compile("[A-Za-z]{1,3}")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MIDNIGHT = "T00:00:00"
_HEIGHTS = {"superscript": RAISED, "subscript": LOWERED}


class Cells:
    """strings: those that cells share. styles: root of the styles part, or None. from_1904: which day dates begin.
    lost: why some of the strings are missing, or None.
    """

    def __init__(
        self, strings: list[str], styles: Element | None, from_1904: bool = False, lost: str | None = None
    ) -> None:
        self._strings, self._from_1904, self.lost = strings, from_1904, lost
        self._codes = [] if styles is None else _codes(styles)
        self._struck = set() if styles is None else _struck(styles)

    def text(self, cell: Element) -> str:
        """Of an {x}c element."""
        text = self._text(cell)
        return struck(text).strip() if self._struck and whole(cell.get("s")) in self._struck else text

    def _text(self, cell: Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            inline = cell.find("{x}is")
            return "" if inline is None else joined(inline)
        saved = (cell.findtext("{x}v") or "").strip()
        return self._shown(saved, kind, whole(cell.get("s"))) if saved else _formula(cell)

    def _shown(self, saved: str, kind: str, style: int) -> str:
        match kind:
            case "n":
                code = self._codes[style] if 0 <= style < len(self._codes) else GENERAL
                return shown(saved, code, self._from_1904)
            case "s":
                number = whole(saved, -1)
                return self._strings[number] if 0 <= number < len(self._strings) else ""
            case "b":
                return {"1": "TRUE", "0": "FALSE"}.get(saved, saved)
            case "d":
                return saved.removesuffix("Z").removesuffix(_MIDNIGHT).replace("T", " ")
        return _unescaped(saved)


def hidden_columns(columns: Element) -> Iterator[tuple[int, int]]:
    """(first, last) of those that are hidden. columns: the {x}cols element of a sheet."""
    for column in columns.findall("{x}col"):
        if is_on(column.get("hidden")):
            yield whole(column.get("min")), whole(column.get("max"))


def row_cells(row: Element, cells: Cells, hidden: HiddenColumns) -> list[str]:
    """What a row holds, with empty cells before and between those that have text."""
    found: list[str] = []
    empty, column = 0, 0
    for cell in row.findall("{x}c"):
        place = _column(cell.get("r", "")) or column + 1
        empty += max(0, place - column - 1)
        column = max(place, column)
        text = cells.text(cell)
        if text:
            found.extend([""] * min(empty, MOST_EMPTY))
            found.append(hidden.marked(column, text))
            empty = 0
        else:
            empty += 1
    return hidden_row(found) if is_on(row.get("hidden")) else found


def joined(item: Element) -> str:
    """The text of a string with runs, without how it is pronounced."""
    pieces: list[tuple[str, Look]] = []
    for child in item:
        texts = (child,) if child.tag == "{x}t" else child.findall("{x}t") if child.tag == "{x}r" else ()
        look = _look(child.find("{x}rPr"))
        pieces.extend((_unescaped(text.text or ""), look) for text in texts)
    return written(pieces)


def _look(properties: Element | None) -> Look:
    if properties is None:
        return PLAIN
    above, line = properties.find("{x}vertAlign"), properties.find("{x}strike")
    height = LEVEL if above is None else _HEIGHTS.get(above.get("val", ""), LEVEL)
    return Look(height, line is not None and is_on(line.get("val"), True))


def _formula(cell: Element) -> str:
    """Of a cell whose value no program has saved yet: nothing is computed here either."""
    formula = cell.findtext("{x}f")
    return f"={formula.strip()}" if formula else ""


def _column(reference: str) -> int:
    """ "AB12" -> 28; 0 where there is none."""
    return _number(reference.rstrip("0123456789"))


@lru_cache(maxsize=20_000)
def _number(letters: str) -> int:
    number = 0
    for letter in letters.upper() if _LETTERS.fullmatch(letters) else "":
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _unescaped(text: str) -> str:
    """ "_x000D_" stands for what XML cannot hold."""
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda found: _character(int(found[1], 16)), text)


def _character(code: int) -> str:
    return " " if code < 0x20 or 0xD800 <= code < 0xE000 else chr(code)


def _codes(styles: Element) -> list[str]:
    """The format's code of each cell style."""
    own = {whole(found.get("numFmtId")): found.get("formatCode", "") for found in styles.iter("{x}numFmt")}
    found = [whole(element.get("numFmtId")) for element in styles.findall("{x}cellXfs/{x}xf")]
    return [own.get(number, BUILT_IN.get(number, GENERAL)) for number in found]


def _struck(styles: Element) -> set[int]:
    """The cell styles whose text is struck."""
    fonts = [_look(font).struck for font in styles.findall("{x}fonts/{x}font")]
    found = [whole(element.get("fontId")) for element in styles.findall("{x}cellXfs/{x}xf")]
    return {style for style, font in enumerate(found) if 0 <= font < len(fonts) and fonts[font]}
