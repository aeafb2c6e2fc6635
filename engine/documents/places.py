"""What the parts of a document are called, for the person and for the model. It knows kinds by name alone."""

from __future__ import annotations

from engine.documents.page import Page

WORDS = {
    "pdf": "page",
    "picture": "page",
    "pptx": "slide",
    "odp": "slide",
    "xlsx": "sheet",
    "ods": "sheet",
    "epub": "chapter",
    "email": "part",
}


def word(kind: str) -> str | None:
    """What a part of this kind of document is called; None where it is one piece."""
    return WORDS.get(kind)


def heading(kind: str, page: Page, before: Page | None) -> str | None:
    """What the model sees above a part, behind the document's name; None for a document of one piece. before: the part
    above it: a section is named where it changes.
    """
    name = word(kind)
    if name is None:
        return None
    if page.label is not None:
        return f"{name} {page.number}: {page.label}"
    named = page.section if before is None or before.section != page.section else None
    return f"{name} {page.number}" + (f", {named}" if named else "")


def place(kind: str, page: Page) -> str | None:
    """Where something stands in a document, for a reference: "page 4", "slide 4: Costs", a chapter's or sheet's own
    name; None in a document of one piece.
    """
    name = word(kind)
    if name is None:
        return None
    if name == "slide" and page.label is not None:  # titles are long, and several slides share them
        return f"{name} {page.number}: {page.label}"
    return page.label or f"{name} {page.number}"
