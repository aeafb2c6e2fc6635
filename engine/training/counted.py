"""Numbers of things in words."""

from __future__ import annotations


def counted(number: int, thing: str) -> str:
    """ "1 document", "1,200 documents"."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
