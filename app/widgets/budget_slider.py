"""The memory budget: one slider, and what it buys, as the engine's plan says while it slides."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from app.engine_client import EngineClient
from app.records import Plan
from app.widgets.labels import label
from app.words import megabytes, number
from engine.protocol import Failure

PAUSE_MS = 80
STEP_MB = 8
# The slider reaches below what the model needs, so that a budget that cannot hold it is refused with the reason.
LOWEST_SHARE = 0.75


class BudgetSlider(QWidget):
    """`moved` at once, `planned(Plan)` when the engine has said what the budget buys; a refused one has `ok` False.
    `refused(Failure)` when there is no plan, as for a model that cannot be read."""

    moved = Signal()
    planned = Signal(object)
    refused = Signal(object)

    def __init__(self, client: EngineClient) -> None:
        super().__init__()
        self._client = client
        self._turn = 0
        self._wanted = 0
        self._changes: dict[str, str] = {}
        self.plan: Plan | None = None
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Memory budget in MB")
        self.slider.setMinimumHeight(24)
        self.slider.valueChanged.connect(self._moved)
        self._budget = label("", "figure")
        self._units, self._cache, self._model = label("", "figure"), label("", "figure"), label("", "figure")
        self.sentence = label("", "warning", wrap=True)
        self.sentence.hide()
        self._pause = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self._ask)
        self._lay_out()

    def show_plan(self, plan: Plan) -> None:
        """The plan in force: sets the slider's range and place."""
        self._wanted = round(plan.budget_mb)
        self._fit(plan)
        self._describe(plan)

    def want(self, budget_mb: float) -> None:
        """The budget to ask for where there is no plan yet."""
        self._wanted = round(budget_mb)

    def plan_for(self, changes: dict[str, str]) -> None:
        """Asks what the budget buys with these settings of the model in place of those in force."""
        self._changes = changes
        self._pause.stop()
        self.moved.emit()
        self._ask()

    def budget_mb(self) -> int:
        """The budget that the slider stands at, in MB."""
        return self._wanted if self.plan is None else self.slider.value()

    def facts(self) -> tuple[str, str, str]:
        """Units, memory and model, as shown."""
        return self._units.text(), self._cache.text(), self._model.text()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self.slider, 1)
        self._budget.setMinimumWidth(72)
        self._budget.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._budget)
        facts = QHBoxLayout()
        facts.setSpacing(24)
        for figure, words in (
            (self._units, "units kept in each head"),
            (self._cache, "for the memory"),
            (self._model, "for the model"),
        ):
            facts.addLayout(_fact(figure, words), 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(row)
        column.addLayout(facts)
        column.addWidget(self.sentence)

    def _moved(self) -> None:
        self._wanted = self.slider.value()
        self._changed()

    def _changed(self) -> None:
        self._turn += 1
        self._budget.setText(megabytes(self.budget_mb()))
        self._pause.start()
        self.moved.emit()

    def _ask(self) -> None:
        self._turn += 1
        turn = self._turn

        def done(result: dict[str, Any]) -> None:
            if turn == self._turn:
                self._answered(Plan.of(result["plan"]))

        def failed(failure: Failure) -> None:
            if turn == self._turn:
                self._describe_nothing()
                self.refused.emit(failure)

        params: dict[str, Any] = {**self._changes, "budget_mb": self.budget_mb()}
        self._client.call("plan", params, done=done, failed=failed)

    def _answered(self, plan: Plan) -> None:
        self._fit(plan)
        self._describe(plan)
        if self.budget_mb() != round(plan.budget_mb):
            self._changed()

    def _fit(self, plan: Plan) -> None:
        """The range that the plan's model allows, with the slider as near to what the person set as that lets it."""
        self.slider.blockSignals(True)
        self.slider.setRange(round(plan.minimum_mb * LOWEST_SHARE), round(plan.maximum_mb))
        self.slider.setSingleStep(STEP_MB)
        self.slider.setPageStep(max(1, (self.slider.maximum() - self.slider.minimum()) // 10))
        self.slider.setValue(self._wanted)
        self.slider.blockSignals(False)

    def _describe_nothing(self) -> None:
        for figure in (self._units, self._cache, self._model):
            figure.setText("\u2013")
        self.sentence.hide()

    def _describe(self, plan: Plan) -> None:
        self.plan = plan
        self._budget.setText(megabytes(self.budget_mb()))
        self._units.setText(number(plan.units))
        self._cache.setText(megabytes(plan.cache_mb))
        self._model.setText(megabytes(plan.model_mb))
        self.sentence.setText(plan.message or "")
        self.sentence.setVisible(bool(plan.message))
        self.planned.emit(plan)


def _fact(figure: QLabel, words: str) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(0)
    column.addWidget(figure)
    column.addWidget(label(words, "secondary"))
    return column
