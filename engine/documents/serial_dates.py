"""Days and times as a sheet counts them -> as ISO 8601 writes them (ISO/IEC 29500-1, section 18.17.4)."""

from __future__ import annotations

from datetime import date, timedelta

DAY_SECONDS = 86400
_LAST_DAY = 2958465  # 9999-12-31
_LEAP_DAY_THAT_WAS_NOT = 60
_FROM_1900_TO_1904 = 1462


def day_text(days: int, from_1904: bool) -> str | None:
    """None where there is no such day. The 1900 system counts a 29 February 1900, which there never was."""
    if from_1904:
        days += _FROM_1900_TO_1904
    if not 0 < days <= _LAST_DAY:
        return None
    if days == _LEAP_DAY_THAT_WAS_NOT and not from_1904:
        return "1900-02-29"
    shift = 0 if days > _LEAP_DAY_THAT_WAS_NOT else 1
    return (date(1899, 12, 30) + timedelta(days=days + shift)).isoformat()


def clock_text(ticks: int, unit: int, with_seconds: bool) -> str:
    """ticks: since midnight, `unit` to the second. Seconds that are not asked for are given where there are any."""
    seconds, rest = divmod(ticks, unit)
    minutes, seconds = divmod(seconds, 60)
    text = f"{minutes // 60:02d}:{minutes % 60:02d}"
    return text + (f":{seconds:02d}" + (f".{rest:03d}" if unit > 1 else "") if with_seconds or seconds else "")


def elapsed_text(value: float, letters: str) -> str:
    """value: in days. letters: which of h, m and s are counted; hours beyond a day are not days."""
    seconds = round(abs(value) * DAY_SECONDS)
    minutes, rest = divmod(seconds, 60)
    text = f"{minutes // 60}:{minutes % 60:02d}" if "h" in letters else str(minutes) if "m" in letters else ""
    if "s" in letters:
        text = f"{text}:{rest:02d}" if text else str(seconds)
    return f"-{text}" if value < 0 else text
