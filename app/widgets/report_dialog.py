"""A fault of ours: what went wrong, in a form that can be copied into a report."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.widgets.text_dialog import TextDialog
from engine.protocol import Failure


class ReportDialog(TextDialog):
    """Shows a failure of kind "bug" with its details."""

    def __init__(self, failure: Failure, log: str, parent: QWidget | None = None) -> None:
        super().__init__(
            "Keepsake ran into a fault of its own.",
            "What you wrote is stored. If it happens again, these details help to mend it.",
            _details(failure, log),
            "Details",
            "Copy details",
            parent,
        )
        self.setWindowTitle("Something went wrong")


def _details(failure: Failure, log: str) -> str:
    extra = "\n".join(f"{name}: {value}" for name, value in failure.details.items() if name != "traceback")
    parts = [f"{failure.code}: {failure.message}", extra, str(failure.details.get("traceback", "")), f"Log: {log}"]
    return "\n".join(part for part in parts if part)
