"""A document's text as the model sees it, in pieces that know their page. Nothing is escaped here: the pieces are
tokenised as plain text, so that control tokens in a document stay text."""

from __future__ import annotations

from collections.abc import Iterable

from engine.documents.page import Page


def render(name: str, pages: Iterable[Page], kind: str = "pdf") -> list[tuple[int, str]]:
    """(page number, text) of each page with text, in order; the first begins with the document's name.

    Page headings only where the kind has pages ("pdf").
    """
    segments: list[tuple[int, str]] = []
    for page in pages:
        if page.text:
            header = "" if segments else f"[Document: {name}]\n"
            heading = f"[Page {page.number}]\n" if kind == "pdf" else ""
            segments.append((page.number, f"{header}{heading}{page.text}\n\n"))
    return segments
