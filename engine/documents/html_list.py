"""The marks of a list's items: a dash, or the number that the page shows."""

from __future__ import annotations

from dataclasses import dataclass

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
ROMAN = (*_ROMAN, (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
AFTER = " "
"""The mark of what follows in the same item."""


@dataclass
class List:
    """numbered: whether its items have numbers; step: 1, or -1 where it counts down. style: "1", "a", "A", "i", "I"."""

    numbered: bool
    number: int = 1
    step: int = 1
    style: str = "1"
    _mark: str = "-"

    def begin(self, tag: str, attributes: dict[str, str | None]) -> None:
        """An item begins: "li", "dt" or, what belongs to the "dt" above it, "dd"."""
        self._mark = "-"
        if tag == "dd":
            self._mark = AFTER
        elif self.numbered:
            self.number = _number(attributes.get("value"), self.number)
            self._mark = f"{_shown(self.number, self.style)}."
            self.number += self.step

    def take_mark(self) -> str:
        """Of the item that begins, once; then AFTER."""
        mark, self._mark = self._mark, AFTER
        return mark


def list_of(tag: str, attributes: dict[str, str | None]) -> List:
    """The list that such an element begins."""
    if tag != "ol":
        return List(False)
    style = attributes.get("type") or "1"
    return List(
        True,
        _number(attributes.get("start"), 1),
        -1 if "reversed" in attributes else 1,
        style if style in "1aAiI" else "1",
    )


def _number(text: str | None, otherwise: int) -> int:
    text = (text or "").strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 6 else otherwise


def _shown(number: int, style: str) -> str:
    if style == "1" or not 0 < number < 4000:
        return str(number)
    text = _letters(number) if style in "aA" else _roman(number)
    return text.upper() if style.isupper() else text


def _letters(number: int) -> str:
    text = ""
    while number:
        number, letter = divmod(number - 1, 26)
        text = chr(ord("a") + letter) + text
    return text


def _roman(number: int) -> str:
    text = ""
    for value, sign in ROMAN:
        text += sign * (number // value)
        number %= value
    return text
