"""A document's text as the model sees it, in pieces that know their page. Control tokens are not escaped here: the
pieces are tokenised as plain text, names and headings with them, so that control tokens in a document stay text."""

from __future__ import annotations

from collections.abc import Iterable

from engine.documents import markers
from engine.documents.page import Page
from engine.documents.places import heading


def render(name: str, pages: Iterable[Page], kind: str = "pdf") -> list[tuple[int, str]]:
    """(page number, text) of each part with text, in order; the first begins with the document's name, where the
    kind has parts all others, too.
    """
    parts = list(pages)
    return [(page.number, text) for page, text in zip(parts, rendered(name, parts, kind), strict=True) if text]


def rendered(name: str, pages: Iterable[Page], kind: str, before: Page | None = None) -> list[str]:
    """The text of each part, "" of one without text. before: the nearest part with text above the first, None if there
    is none.
    """
    texts = []
    for page in pages:
        if not page.text:
            texts.append("")
            continue
        above, first = heading(kind, page, before), before is None
        marker = markers.of_part(name, above, first) if above else markers.of_document(name) if first else None
        texts.append((f"{marker}\n" if marker else "") + f"{markers.told_apart(page.text)}\n\n")
        before = page
    return texts
