"""A cell's number and its format's code -> what the sheet shows (ISO/IEC 29500-1, section 18.8.31).

Dates are given as in ISO 8601, whatever order the format has them in, since a model cannot ask whether 3/4 is in March.
Digits, decimals, thousands, percentages, currency signs and words in the format are given as it says; colours, fill and
the width of blanks are left out. It knows no sheets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import cached_property, lru_cache

from engine.documents.serial_dates import DAY_SECONDS, clock_text, day_text, elapsed_text

GENERAL = "General"
# Section 18.8.30: what is not in the file because every program knows it. Those of 27 to 36 and 50 to 58 are dates of
# East Asian languages; 5 to 8 and 41 to 44 have the sign of the currency where the program runs, which no file tells.
BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "m/d/yy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: "m/d/yy h:mm", 37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;[Red](#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
    **dict.fromkeys((5, 6, 41, 42), "#,##0;-#,##0"),
    **dict.fromkeys((7, 8, 43, 44), "#,##0.00;-#,##0.00"),
    **dict.fromkeys((*range(27, 32), 36, *range(50, 55), 57, 58), "yyyy-m-d"),
    **dict.fromkeys((32, 33, 34, 35, 55, 56), "h:mm:ss"),
}  # fmt: skip
_LONGEST_CODE = 255
_MOST_DECIMALS = 30
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_.|\*.|\[(?P<bracket>[^\]]*)\]?|(?P<general>general)'
    r"|(?P<exponent>e[+-])|(?P<ampm>am/pm|a/p)|(?P<date>[ymdhsgeb]+)|(?P<digit>[0#?.,%/@])|(?P<other>.)",
    re.I | re.S,
)
_ELAPSED = re.compile(r"h+|m+|s+", re.I)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_LARGEST = 1e300
_EXACT = Context(prec=400)  # more digits than such a number has
_FRACTION_OF_SECOND = re.compile(r"s[.,]0", re.I)


@dataclass(frozen=True)
class _Section:
    """What the format has for one kind of number. tokens: (name of the group in _TOKEN, text)."""

    tokens: tuple[tuple[str, str], ...]
    condition: tuple[str, float] | None

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.tokens)

    @cached_property
    def letters(self) -> str:
        return "".join(text.lower() for name, text in self.tokens if name in ("date", "elapsed"))

    @cached_property
    def is_moment(self) -> bool:
        return not self.names.isdisjoint(("date", "elapsed", "ampm"))


def shown(text: str, code: str, from_1904: bool = False) -> str:
    """text: a number as the file has it. from_1904: which day is the first. What makes no sense stays as it is."""
    try:
        value = float(text)
        number = Decimal(text)
    except (InvalidOperation, ValueError):
        return text
    if not abs(value) < _LARGEST:
        return text
    if code == GENERAL:
        return general(value)
    sections = _sections(code[:_LONGEST_CODE])
    section, signed = _chosen(sections, value)
    if "general" in section.names or not section.tokens:
        return _general(value if signed else abs(value), section) if section.tokens or len(sections) == 1 else ""
    if section.is_moment:
        return _moment(value, section, code, from_1904)
    return _digits(number if signed else abs(number), section)


def general(value: float) -> str:
    """Fifteen digits, as many as a sheet keeps."""
    return f"{value + 0.0:.15g}".replace("e+", "E+").replace("e-", "E-") if value else "0"


@lru_cache(maxsize=4096)
def _sections(code: str) -> tuple[_Section, ...]:
    found: list[_Section] = []
    tokens: list[tuple[str, str]] = []
    condition: tuple[str, float] | None = None
    for match in _TOKEN.finditer(code):
        name, text = match.lastgroup or "", match[match.lastgroup] if match.lastgroup else ""
        if name == "other" and text == ";":
            found.append(_Section(tuple(tokens), condition))
            tokens, condition = [], None
        elif name == "bracket":
            compared = _CONDITION.fullmatch(text.strip())
            if compared:
                condition = compared[1], float(compared[2])
            elif _ELAPSED.fullmatch(text):
                tokens.append(("elapsed", text))
            elif text.startswith("$") and text[1:].partition("-")[0]:
                tokens.append(("quoted", text[1:].partition("-")[0]))
        elif name in ("escaped", "other"):
            tokens.append(("quoted", text))
        elif name:
            tokens.append((name, text))
    return (*found, _Section(tuple(tokens), condition))


def _chosen(sections: tuple[_Section, ...], value: float) -> tuple[_Section, bool]:
    """(section, whether the number keeps its sign in it). The fourth is for texts."""
    numbers = sections[:3]
    if any(section.condition for section in numbers):
        for section in numbers:
            if section.condition is None or _holds(value, *section.condition):
                return section, True
        return numbers[-1], True
    if len(numbers) == 1:
        return numbers[0], True
    if value < 0:
        return numbers[1], False
    return (numbers[2], True) if value == 0 and len(numbers) == 3 else (numbers[0], True)


def _holds(value: float, sign: str, bound: float) -> bool:
    return {
        "<": value < bound,
        ">": value > bound,
        "=": value == bound,
        "<=": value <= bound,
        ">=": value >= bound,
        "<>": value != bound,
    }[sign]


def _general(value: float, section: _Section) -> str:
    said = [general(value) if name == "general" else text if name == "quoted" else "" for name, text in section.tokens]
    return "".join(said).strip() or general(value)


def _digits(number: Decimal, section: _Section) -> str:
    places = [place for place, (name, _) in enumerate(section.tokens) if name == "digit"]
    pattern = "".join(section.tokens[place][1] for place in places if section.tokens[place][1] in "0#?.,/")
    if not pattern.strip(",."):
        is_text = ("digit", "@") in section.tokens
        words = "".join(general(float(number)) if token == ("digit", "@") else token[1] for token in section.tokens)
        return f"-{words}" if number < 0 and not is_text else words
    if "exponent" in section.names:
        return _scientific(number, section)
    number = number.scaleb(2 * sum(text == "%" for _, text in section.tokens), _EXACT)
    is_fraction = "/" in pattern
    body = _fraction(number) if is_fraction else _fixed(number, pattern)
    holders = [place for place in places if section.tokens[place][1] in "0#?.,/"]
    spread = {holders[0]: body.lstrip("-")} if is_fraction else _spread(body.lstrip("-"), holders, section)
    said = "".join(
        spread.get(place, text if (name == "quoted" and not (is_fraction and text.isdecimal())) or text == "%" else "")
        for place, (name, text) in enumerate(section.tokens)
    ).strip()
    return f"-{said}" if body.startswith("-") else said


def _spread(body: str, holders: list[int], section: _Section) -> dict[int, str]:
    """Words between the digits, as in a telephone number: one digit a place from the right, the rest at the first. What
    follows the point stays together.
    """
    point = next((place for place in holders if section.tokens[place][1] == "."), None)
    whole = [place for place in holders if point is None or place < point]
    digits, dot, rest = body.partition(".")
    parted = whole and any(section.tokens[place][0] == "quoted" for place in range(whole[0], whole[-1]))
    if not parted or not digits.isdecimal():
        return {holders[0]: body}
    found = {} if point is None else {point: dot + rest}
    for place in reversed(whole[1:]):
        found[place], digits = digits[-1:], digits[:-1]
    return {**found, whole[0]: digits}


def _fixed(number: Decimal, pattern: str) -> str:
    whole, _, part = pattern.partition(".")
    scale = sum(len(digits) - len(digits.rstrip(",")) for digits in (whole, part))
    decimals = min(sum(sign in "0#?" for sign in part), _MOST_DECIMALS)
    rounded = number.scaleb(-3 * scale, _EXACT).quantize(Decimal((0, (1,), -decimals)), ROUND_HALF_UP, _EXACT)
    digits, _, rest = f"{abs(rounded):f}".partition(".")
    needed = sum(sign == "0" for sign in whole)
    digits = digits.lstrip("0").rjust(needed, "0") if needed else digits.lstrip("0")
    if "," in whole.rstrip(","):
        digits = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", digits)
    least = sum(sign == "0" for sign in part)
    while len(rest) > least and rest.endswith("0"):
        rest = rest[:-1]
    # Nothing is shown of a zero that no place is kept for: an account's "-"??.
    body = f"{digits}.{rest}" if rest else digits or ("0" if "." in pattern else "")
    return f"-{body}" if rounded < 0 else body


def _scientific(number: Decimal, section: _Section) -> str:
    names = [name for name, _ in section.tokens]
    before = "".join(text for name, text in section.tokens[: names.index("exponent")] if name == "digit")
    after = "".join(text for name, text in section.tokens[names.index("exponent") :] if name == "digit")
    sign = section.tokens[names.index("exponent")][1][1]
    places, decimals = (sum(one in "0#?" for one in part) for part in (before + ".").split(".")[:2])
    decimals, step = min(decimals, _MOST_DECIMALS), max(1, places)
    # Of several places before the point the exponent is a multiple.
    power = number.adjusted() // step * step if number else 0
    mantissa = f"{number.scaleb(-power, _EXACT):.{decimals}f}"
    if abs(Decimal(mantissa)) >= 10**step:
        power += step
        mantissa = f"{number.scaleb(-power, _EXACT):.{decimals}f}"
    shown_sign = "-" if power < 0 else "+" if sign == "+" else ""
    return f"{mantissa}E{shown_sign}{str(abs(power)).rjust(after.count('0'), '0')}"


def _fraction(number: Decimal) -> str:
    """Decimals say the same and are read more easily."""
    return general(round(float(number), 6))


def _moment(value: float, section: _Section, code: str, from_1904: bool) -> str:
    letters = section.letters
    fine = bool(_FRACTION_OF_SECOND.search(code))
    unit = 1000 if fine else 1
    ticks = round(value * DAY_SECONDS * unit)
    days, ticks = divmod(ticks, DAY_SECONDS * unit)
    if "elapsed" in section.names:
        return elapsed_text(value, letters)
    has_time = any(letter in letters for letter in "hs")
    is_minute = has_time and set(letters) <= set("hsm")
    has_day = not is_minute and any(letter in letters for letter in "ymdeg")
    clock = clock_text(ticks, unit, "s" in letters) if has_time else ""
    if not has_day:
        return clock if value >= 0 else general(value)
    day = day_text(days, from_1904)
    if day is None:
        return general(value)
    if "d" not in letters:
        day = day[:4] if "m" not in letters and not has_time else day[:7] if "y" in letters else day
    return f"{day} {clock}".strip()
