"""Settings: the model, the memory budget, how the window looks, and where the engine runs."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.engine_client import EngineClient
from app.records import Heads, Plan
from app.settings import BY_KEY, Settings
from app.theme import MODES, SCALE_STEP, Theme
from app.widgets.budget_slider import BudgetSlider
from app.widgets.buttons import push_button
from app.widgets.fitting_scroll import FittingScroll
from app.widgets.labels import label, paint_as, rule
from app.widgets.language_choice import LanguageChoice
from app.widgets.model_choice import ModelChoice
from app.widgets.segments import Segments, segment_row
from engine.protocol import Failure

NARROWEST = 560
NO_LANGUAGES = (
    "No language data is installed, so no text is recognised. Install Tesseract (tesseract-ocr) to change that."
)


class SettingsDialog(QDialog):
    """Looks change at once; the rest when saved. `command_changed` when the engine is another, `train` when retaining
    heads are to be trained, `recognise` when pictures of text can be read from now on. `heads`: what is known of those
    of the model in use."""

    command_changed = Signal()
    train = Signal()
    recognise = Signal()

    def __init__(
        self,
        client: EngineClient,
        settings: Settings,
        theme: Theme,
        parent: QWidget | None = None,
        heads: Heads | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self._client = client
        self._settings = settings
        self._theme = theme
        self.save_button = push_button("Save", "primary")
        self.save_button.clicked.connect(self._save)
        self.save_button.setDefault(True)
        self.budget = BudgetSlider(client)
        self.budget.planned.connect(self._planned)
        self.budget.refused.connect(self._refuse_model)
        self.budget.moved.connect(self._wait_for_plan)
        self.budget.setEnabled(False)
        self.model = ModelChoice(theme, heads)
        self.model.train.connect(self.train)
        self.model.chosen.connect(self.budget.plan_for)
        self.model.typed.connect(self._typed)
        self.model.folded.connect(self._shrink)
        self.model.setEnabled(False)
        self._budget_before = 0
        self._typing = False
        self._recognition_before = self._languages_before = ""
        self._without_languages = label(NO_LANGUAGES, "warning", wrap=True)
        self._without_languages.hide()
        self._planned_well = True
        self.command = QLineEdit(settings.text("engine/command"))
        self.command.setPlaceholderText("This computer")
        self.command.setAccessibleName(BY_KEY["engine/command"].label)
        self._error = label("", "error", wrap=True)
        self._error.setContentsMargins(24, 0, 24, 0)
        self._error.hide()
        self._size = label()
        self._lay_out()
        theme.changed.connect(self._show_size)
        self._show_size()
        client.call("settings_get", done=self._loaded, failed=self._not_loaded)

    def error(self) -> str:
        """Why something could not be done, empty while all is well."""
        return "" if self._error.isHidden() else self._error.text()

    def _lay_out(self) -> None:
        held = QWidget()
        held.setMinimumWidth(NARROWEST)
        column = QVBoxLayout(held)
        column.setContentsMargins(24, 24, 24, 8)
        column.setSpacing(8)
        column.addWidget(label("Model", "section"))
        column.addWidget(self.model)
        column.addSpacing(8)
        column.addWidget(rule())
        column.addSpacing(8)
        column.addWidget(label("Memory", "section"))
        column.addWidget(label("The most memory that Keepsake may use, for documents of any length.", "secondary"))
        column.addWidget(self.budget)
        column.addSpacing(8)
        column.addWidget(rule())
        column.addSpacing(8)
        column.addLayout(self._line("Text in pictures", self._make_recognition()))
        column.addWidget(label("Scanned pages and pictures are read letter by letter, which takes time.", "secondary"))
        self._languages_row = QWidget()
        languages = self._line("Its languages", self.languages)
        languages.setContentsMargins(0, 0, 0, 0)
        self._languages_row.setLayout(languages)
        column.addWidget(self._languages_row)
        column.addWidget(self._without_languages)
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
        column.addStretch()
        self._scroll = FittingScroll(held)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 16)
        self._whole.setSpacing(8)
        self._whole.addWidget(self._scroll, 1)
        self._whole.addWidget(self._error)
        self._whole.addLayout(self._make_foot())

    def _line(self, name: str, control: QWidget) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(label(name, "section"), 1)
        row.addWidget(control)
        return row

    def _make_recognition(self) -> QWidget:
        self.recognition = Segments("Text in pictures", {"auto": "Recognise", "off": "Leave out"}, "auto")
        self.recognition.setEnabled(False)
        self.languages = LanguageChoice()
        return self.recognition

    def _make_modes(self) -> QWidget:
        labels = {mode: mode.capitalize() for mode in MODES}
        self.modes = Segments(BY_KEY["appearance/theme"].label, labels, self._theme.mode)
        self.modes.chosen.connect(self._set_mode)
        return self.modes

    def _make_sizes(self) -> QWidget:
        frame = QFrame()
        row = segment_row(frame)
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
        row.setContentsMargins(24, 0, 24, 0)
        row.setSpacing(8)
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(self.save_button)
        return row

    def _loaded(self, result: dict[str, Any]) -> None:
        if result["plan"] is not None:
            self.budget.show_plan(Plan.of(result["plan"]))
        self._budget_before = self.budget.budget_mb()
        self._know_recognition(result["settings"])
        self.budget.slider.setFocus()
        self._client.call("status", done=self._know_model, failed=self._refuse)

    def _not_loaded(self, failure: Failure) -> None:
        """Without a model that can be read there is no plan; another model can be chosen all the same."""
        self._refuse(failure)
        self._client.call("status", done=self._know_model, failed=lambda _: None)

    def _know_model(self, status: dict[str, Any]) -> None:
        if self.budget.plan is None:
            self.budget.want(float(status["settings"].get("budget_mb") or 0))
            self._budget_before = self.budget.budget_mb()
        self.model.load(status["settings"], status)
        self.model.setEnabled(True)
        self._know_languages(status)
        if not self.recognition.isEnabled():
            self._know_recognition(status["settings"])

    def _know_recognition(self, settings: dict[str, Any]) -> None:
        self._recognition_before = str(settings["recognition"])
        self.recognition.choose(self._recognition_before)
        self.recognition.setEnabled(True)

    def _know_languages(self, status: dict[str, Any]) -> None:
        """With one language there is nothing to choose, without one nothing can be recognised."""
        installed = list(status["recognition_languages"])
        self._languages_before = str(status["settings"].get("recognition_languages") or "")
        self.languages.set_languages(installed, self._languages_before)
        self._languages_row.setVisible(len(installed) > 1 or bool(self._languages_before))
        self._without_languages.setVisible(not installed)
        self._shrink()

    def _wait_for_plan(self) -> None:
        self._planned_well = False
        self._allow_saving()

    def _planned(self, plan: Plan) -> None:
        self.model.looked_at()
        self._error.hide()
        self.budget.setEnabled(True)
        self._planned_well = plan.ok
        self._allow_saving()

    def _refuse_model(self, failure: Failure) -> None:
        """Without a plan there is nothing to save, unless there can be none before the model is downloaded."""
        self.model.looked_at()
        self._planned_well = failure.code == "not_downloaded"
        self._allow_saving()
        self._refuse(failure)

    def _typed(self, unused: bool) -> None:
        self._typing = unused
        self._allow_saving()

    def _allow_saving(self) -> None:
        """What the engine has not looked at cannot be saved, nor a model's name that is written and not used."""
        self.save_button.setEnabled(self._planned_well and not self._typing)

    def _shrink(self) -> None:
        self._scroll.refit()
        self._whole.activate()
        self.resize(self.width(), self.minimumSizeHint().height())

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
        changes: dict[str, Any] = dict(self.model.changes()) if self.model.isEnabled() else {}
        if self.budget.budget_mb() != self._budget_before:
            changes["budget_mb"] = self.budget.budget_mb()
        if self.recognition.isEnabled() and self.recognition.value() != self._recognition_before:
            changes["recognition"] = self.recognition.value()
        if self.languages.value() != self._languages_before:
            changes["recognition_languages"] = self.languages.value()
        if changes:
            self._client.call(
                "settings_set", {"changes": changes}, done=lambda _: self._saved(changes), failed=self._refuse
            )
        else:
            self.accept()

    def _saved(self, changes: dict[str, Any]) -> None:
        if changes.get("recognition") == "auto" or "recognition_languages" in changes:
            self.recognise.emit()
        self.accept()

    def _refuse(self, failure: Failure) -> None:
        paint_as(self._error, "secondary" if failure.code == "not_downloaded" else "error")
        self._error.setText(failure.message)
        self._error.show()
