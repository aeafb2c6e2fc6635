"""A source -> its kind and an open reader. It decides by content which reader that is, and reads no page.

Hostile files are met here and in the readers: what is called on a person's file runs in a process that may die.
"""

from __future__ import annotations

from engine.documents.kinds import COMPOUND, PACKAGE, Kind, kind_of
from engine.documents.limits import DEEPEST_DOCUMENT
from engine.documents.reader import How, Reader, Unreadable
from engine.documents.readers import reader_of
from engine.documents.reasons import unsupported
from engine.documents.source import Source


def kind_of_source(source: Source) -> Kind:
    """By its first bytes, of a package by what is in it, and by its name where these leave it open. Raises OSError."""
    kind = kind_of(source.name, source.head)
    if kind.kind == PACKAGE:
        from engine.documents.packages import package_kind

        return package_kind(source)
    if source.head.startswith(COMPOUND) and kind.reason == "unsupported_type":
        from engine.documents.compound import compound_kind

        return compound_kind(source)
    return kind


def open_document(source: Source, how: How) -> tuple[str, Reader]:
    """(kind, reader). Raises Unreadable, with the kind as far as it is known, and OSError."""
    kind = kind_of_source(source)
    if kind.reason is not None:
        raise Unreadable(kind.reason, kind.message, kind.kind)
    if kind.kind == "archive":
        raise Unreadable("unsupported_type", unsupported("archives"), kind.kind)
    if how.depth > DEEPEST_DOCUMENT:
        raise Unreadable("too_deep", kind=kind.kind)
    try:
        return kind.kind, reader_of(kind.kind)(source, how)
    except Unreadable as unreadable:
        raise Unreadable(unreadable.reason, unreadable.message, unreadable.kind or kind.kind) from unreadable
