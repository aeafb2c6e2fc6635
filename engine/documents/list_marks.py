"""What stands before the items of lists: numbers as letters, Roman or decimal, or a bullet. It knows no format."""

from __future__ import annotations

BULLET = "-"
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def spelled(number: int, form: str) -> str:
    """A number as ST_NumberFormat has it; forms that are not known are decimal."""
    if form == "none":
        return ""
    if form in ("lowerLetter", "upperLetter") and 0 < number <= 26 * 30:
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return text if form == "lowerLetter" else text.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        text = ""
        for amount, letters in _ROMAN:
            text += letters * (number // amount)
            number %= amount
        return text if form == "lowerRoman" else text.upper()
    return f"{number:02d}" if form == "decimalZero" else str(number)
