"""Settings: the memory budget, how the window looks, and where the engine runs."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QDialog, QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.engine_client import EngineClient
from app.records import Plan
from app.settings import BY_KEY, Settings
from app.theme import MODES, SCALE_STEP, Theme
from app.widgets.budget_slider import BudgetSlider
from app.widgets.buttons import push_button
from app.widgets.labels import label, rule
from engine.protocol import Failure


class SettingsDialog(QDialog):
    """Looks change at once; budget and engine command when saved. `command_changed` when the engine is another."""

    command_changed = Signal()

    def __init__(self, client: EngineClient, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self.setMinimumWidth(560)
        self._client = client
        self._settings = settings
        self._theme = theme
        self.save_button = push_button("Save", "primary")
        self.save_button.clicked.connect(self._save)
        self.save_button.setDefault(True)
        self.budget = BudgetSlider(client)
        self.budget.planned.connect(self._planned)
        self.budget.moved.connect(lambda: self.save_button.setEnabled(False))
        self.budget.setEnabled(False)
        self.command = QLineEdit(settings.text("engine/command"))
        self.command.setPlaceholderText("This computer")
        self.command.setAccessibleName(BY_KEY["engine/command"].label)
        self._error = label("", "error", wrap=True)
        self._error.hide()
        self._size = label()
        self._lay_out()
        theme.changed.connect(self._show_size)
        self._show_size()
        client.call("settings_get", done=self._loaded, failed=self._refuse)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(8)
        column.addWidget(label("Memory", "section"))
        column.addWidget(label("The most memory that Keepsake may use, for documents of any length.", "secondary"))
        column.addWidget(self.budget)
        column.addSpacing(8)
        column.addWidget(rule())
        column.addSpacing(8)
        column.addLayout(self._line(BY_KEY["appearance/theme"].label, self._make_modes()))
        column.addLayout(self._line(BY_KEY["appearance/text_scale"].label, self._make_sizes()))
        column.addSpacing(8)
        column.addWidget(rule())
        column.addSpacing(8)
        column.addWidget(label(BY_KEY["engine/command"].label, "section"))
        column.addWidget(label(BY_KEY["engine/command"].help, "secondary"))
        column.addWidget(self.command)
        column.addWidget(self._error)
        column.addSpacing(16)
        column.addLayout(self._make_foot())

    def _line(self, name: str, control: QWidget) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(label(name, "section"), 1)
        row.addWidget(control)
        return row

    def _make_modes(self) -> QWidget:
        frame, row = _segments()
        self.modes = QButtonGroup(self)
        for mode in MODES:
            button = push_button(mode.capitalize(), "segment")
            button.setCheckable(True)
            button.setChecked(mode == self._theme.mode)
            button.setAccessibleName(f"Theme: {mode}")
            button.clicked.connect(lambda _=False, mode=mode: self._set_mode(mode))
            self.modes.addButton(button)
            row.addWidget(button)
        return frame

    def _make_sizes(self) -> QWidget:
        frame, row = _segments()
        smaller, larger = push_button("\u2212", "segment"), push_button("+", "segment")
        smaller.setAccessibleName("Smaller text")
        larger.setAccessibleName("Larger text")
        smaller.clicked.connect(lambda: self._set_scale(-SCALE_STEP))
        larger.clicked.connect(lambda: self._set_scale(SCALE_STEP))
        self._size.setMinimumWidth(56)
        self._size.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for widget in (smaller, self._size, larger):
            row.addWidget(widget)
        return frame

    def _make_foot(self) -> QHBoxLayout:
        cancel = push_button("Cancel")
        cancel.clicked.connect(self.reject)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(self.save_button)
        return row

    def _loaded(self, result: dict[str, Any]) -> None:
        self.budget.setEnabled(True)
        self.budget.show_plan(Plan.of(result["plan"]))
        self.budget.slider.setFocus()

    def _planned(self, plan: Plan) -> None:
        self.save_button.setEnabled(plan.ok)

    def _set_mode(self, mode: str) -> None:
        self._theme.set_mode(mode)
        self._settings.set("appearance/theme", mode)

    def _set_scale(self, step: int) -> None:
        self._theme.set_scale(self._theme.scale + step)
        self._settings.set("appearance/text_scale", self._theme.scale)

    def _show_size(self) -> None:
        self._size.setText(f"{self._theme.scale} %")

    def _save(self) -> None:
        if self.command.text().strip() != self._settings.text("engine/command"):
            self._settings.set("engine/command", self.command.text().strip())
            self.command_changed.emit()
        if not self.budget.isEnabled():
            self.accept()
            return
        changes = {"changes": {"budget_mb": self.budget.budget_mb()}}
        self._client.call("settings_set", changes, done=lambda _: self.accept(), failed=self._refuse)

    def _refuse(self, failure: Failure) -> None:
        self._error.setText(failure.message)
        self._error.show()


def _segments() -> tuple[QFrame, QHBoxLayout]:
    frame = QFrame()
    frame.setProperty("role", "segments")
    row = QHBoxLayout(frame)
    row.setContentsMargins(2, 2, 2, 2)
    row.setSpacing(2)
    return frame, row
