"""The two kinds of error (DESIGN section 6): what the person can mend, and everything else, which is a bug of ours."""

from __future__ import annotations

from typing import Any


class UserError(Exception):
    """Shown as a sentence that says what happened and what to do. `code` is stable, for programs."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


CANCELLED = UserError("cancelled", "Stopped.")
