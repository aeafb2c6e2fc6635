"""A reading on the side: a session's model, lent to a stream with a selection of its own and stored nowhere.

It knows sessions, and nothing of questions or documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from engine.locret.selection import Selection
from engine.session import Session


class UnstoredSession(Session):
    """A session that takes up no stored reading and leaves none."""

    def _load(self, key: str) -> bool:  # noqa: ARG002
        return False

    def _store(self, key: str, state: str, replacing: str | None = None) -> None:  # noqa: ARG002
        return


@contextmanager
def aside(session: Session, selection: Selection) -> Iterator[Session]:
    """Stores what the session holds, then lends its cache. Afterwards the session is empty, whatever happened, and
    takes up what is stored when it next advances.

    selection: of the same capacity as the session's own, for which the runtime was opened.
    """
    session.store_now()
    parameters = {**session.model.parameters, "selection": selection.as_dict(), "aside": True}
    try:
        yield UnstoredSession(replace(session.model, selection=selection, parameters=parameters), session.store)
    finally:
        session.clear()
