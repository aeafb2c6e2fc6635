"""What decides a file's pages besides its bytes, as a short text: pages made by another recipe are other pages."""

from __future__ import annotations

from engine.documents.extract import EXTRACTOR
from engine.documents.reader import Recognition


def recipe_of(recognition: Recognition | None) -> str:
    """ "2", or "2 eng+deu" where text in pictures is recognised in these languages."""
    return str(EXTRACTOR) if recognition is None else f"{EXTRACTOR} {'+'.join(recognition.languages)}"
