"""What a training process has printed: its end, and its last sentence."""

from __future__ import annotations

from pathlib import Path

LONGEST = 20_000


def tail(path: Path) -> str:
    """The last lines of a file, whole; empty where there is none."""
    try:
        printed = path.read_bytes()
    except OSError:
        return ""
    kept = printed[-LONGEST:]
    whole = kept if len(kept) == len(printed) else kept.partition(b"\n")[2]
    return whole.decode(errors="replace")


def last_words(path: Path) -> str:
    """The last line if it is a sentence, as the command prints it where the person can mend something; else empty."""
    lines = [line.strip() for line in tail(path).splitlines() if line.strip()]
    return lines[-1] if lines and lines[-1].endswith(".") else ""
