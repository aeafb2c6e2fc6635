"""The memory budget: one slider, and what it buys, as the engine's plan says while it slides."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from app.engine_client import EngineClient
from app.records import Plan
from app.widgets.labels import label
from app.words import megabytes, number

PAUSE_MS = 80
STEP_MB = 8
# The slider reaches below what the model needs, so that a budget that cannot hold it is refused with the reason.
LOWEST_SHARE = 0.75


class BudgetSlider(QWidget):
    """`moved` at once, `planned(Plan)` when the engine has said what the budget buys; a refused one has `ok` False."""

    moved = Signal()
    planned = Signal(object)

    def __init__(self, client: EngineClient) -> None:
        super().__init__()
        self._client = client
        self._turn = 0
        self.plan: Plan | None = None
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Memory budget in MB")
        self.slider.setMinimumHeight(24)
        self.slider.valueChanged.connect(self._moved)
        self._budget = label("", "figure")
        self._units, self._cache, self._model = label("", "figure"), label("", "figure"), label("", "figure")
        self.sentence = label("", "warning", wrap=True)
        self._pause = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self._ask)
        self._lay_out()

    def show_plan(self, plan: Plan) -> None:
        """The plan in force: sets the slider's range and place."""
        self.slider.blockSignals(True)
        self.slider.setRange(round(plan.minimum_mb * LOWEST_SHARE), round(plan.maximum_mb))
        self.slider.setSingleStep(STEP_MB)
        self.slider.setPageStep(max(1, (self.slider.maximum() - self.slider.minimum()) // 10))
        self.slider.setValue(round(plan.budget_mb))
        self.slider.blockSignals(False)
        self._describe(plan)

    def budget_mb(self) -> int:
        """The budget that the slider stands at, in MB."""
        return self.slider.value()

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
        self._budget.setText(megabytes(self.budget_mb()))
        self._pause.start()
        self.moved.emit()

    def _ask(self) -> None:
        self._turn += 1
        turn = self._turn

        def done(result: dict[str, Any]) -> None:
            if turn == self._turn:
                self._describe(Plan.of(result["plan"]))

        self._client.call("plan", {"budget_mb": self.budget_mb()}, done=done)

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
