"""Guesses how an answer goes on, so that many tokens of it are forwarded together: by torch on a processor that takes
hardly longer than one. It knows tokens alone.
"""

from __future__ import annotations

_KNOWN_BY, _LOOKED_UP = 2, 8


class Drafts:
    """Of one question: answers to it resemble each other, and repeat its words.

    A guess costs time where it is wrong, and changes no answer.
    """

    def __init__(self) -> None:
        self._answers: list[list[int]] = []

    def add(self, answer: list[int]) -> None:
        """An answer that was given, from another cache."""
        self._answers.append(answer)

    def after(self, asked: list[int], begun: list[int]) -> list[int]:
        """How the last answer that begins like this one goes on; else the _LOOKED_UP tokens that followed its last
        _KNOWN_BY where they stand in itself, the question or an answer; else nothing.
        """
        for answer in reversed(self._answers):
            if len(answer) > len(begun) and answer[: len(begun)] == begun:
                return answer[len(begun) :]
        if len(begun) < _KNOWN_BY:
            return []
        texts = ([*asked, *begun[:-1]], *reversed(self._answers))
        return next(filter(None, (_following(begun[-_KNOWN_BY:], text) for text in texts)), [])


def _following(newest: list[int], text: list[int]) -> list[int]:
    for end in range(len(text) - 1, len(newest) - 1, -1):
        if text[end - len(newest) : end] == newest:
            return text[end : end + _LOOKED_UP]
    return []
