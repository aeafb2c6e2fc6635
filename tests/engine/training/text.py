"""A vocabulary of letters for tests that need tokens and no model."""

from __future__ import annotations


def letters(text: str, control: bool) -> list[int]:
    """A tokenizer of one token a character."""
    return [ord(letter) for letter in text]
