"""Above the memory meter: a training of retaining heads, how far it is, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout

from app import training_words as words
from app.records import TrainingRun
from app.theme import Theme
from app.widgets.buttons import push_button
from app.widgets.labels import ElidedLabel, label, paint_as
from app.widgets.sparkline import FEWEST, Sparkline


class TrainingRow(QFrame):
    """Hidden while there is no run. `discard` comes after the person has said so twice; a run that is through is
    discarded at once, as its heads stay."""

    pause = Signal()
    resume = Signal()
    discard = Signal()
    show_log = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "note")
        self._run: TrainingRun | None = None
        self._asking = False
        self._title = ElidedLabel("", "section", Qt.TextElideMode.ElideRight)
        self._progress = label("", "secondary", wrap=True)
        self._learning = label(words.TO_LEARN, "secondary")
        self._curve = Sparkline(theme, "How what is still to be learned has fallen")
        self._bar = QProgressBar(textVisible=False)
        self._bar.setAccessibleName("Training done")
        self._may_close = label(words.MAY_CLOSE, "secondary", wrap=True)
        self.pause_button = _button("Pause", "Pause training", self.pause)
        self.resume_button = _button("Go on", "Go on training", self.resume)
        self.log_button = _button("Show log", "Show the log of the training", self.show_log)
        self.discard_button = push_button("Discard")
        self.discard_button.clicked.connect(self._discard)
        self.keep_button = push_button("Keep")
        self.keep_button.setAccessibleName("Keep the training")
        self.keep_button.clicked.connect(self._keep)
        self._lay_out()
        self.hide()

    def set_run(self, run: TrainingRun | None) -> None:
        """Shows a run; None hides the row."""
        said = self.text()
        if run is None or self._run is None or run.state != self._run.state:
            self._asking = False
        changed = run is not None and (self._run is None or run.state != self._run.state)
        self._run = run
        self.setVisible(run is not None)
        if run is not None:
            self._refresh(run)
            if changed and self.text() != said:
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.text()))

    def text(self) -> str:
        """The sentences shown."""
        return f"{self._title.text()} {self._progress.text()}".strip()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title, 1)
        for button in (self.pause_button, self.resume_button, self.log_button, self.discard_button, self.keep_button):
            head.addWidget(button)
        facts = QHBoxLayout()
        facts.setSpacing(8)
        facts.addWidget(self._progress, 1)
        facts.addWidget(self._learning)
        facts.addWidget(self._curve)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 12, 12)
        column.setSpacing(4)
        column.addLayout(head)
        column.addLayout(facts)
        column.addWidget(self._bar)
        column.addWidget(self._may_close)

    def _refresh(self, run: TrainingRun) -> None:
        title = words.discard(run) if self._asking else words.title(run)
        self._title.setText(title)
        self._progress.setText(words.progress(run))
        paint_as(self._progress, "error" if run.state == "failed" else "secondary")
        losses = [] if run.state in ("done", "failed") else run.losses
        self._learning.setVisible(len(losses) >= FEWEST)
        self._curve.show_figures(losses)
        self._bar.setVisible(run.state not in ("done", "failed"))
        self._bar.setRange(0, max(run.steps, 1))
        self._bar.setValue(run.step)
        self._may_close.setVisible(run.state in ("starting", "running") and not self._asking)
        # Before its first step a run takes no notice of a pause.
        self.pause_button.setVisible(run.state == "running" and not self._asking)
        self.resume_button.setText("Try again" if run.state == "failed" else "Go on")
        self.resume_button.setVisible(run.state in ("pausing", "paused", "stopped", "failed") and not self._asking)
        self.log_button.setVisible(run.state == "failed" and not self._asking)
        self.discard_button.setText("Close" if run.state == "done" else "Discard")
        self.discard_button.setAccessibleName("Close this notice" if run.state == "done" else "Discard the training")
        self.keep_button.setVisible(self._asking)
        self.setAccessibleName(self.text())

    def _discard(self) -> None:
        assert self._run is not None
        if self._asking or self._run.state == "done":
            self._asking = False
            self.discard.emit()
        else:
            self._asking = True
            self._refresh(self._run)
            self.keep_button.setFocus()

    def _keep(self) -> None:
        self._asking = False
        if self._run is not None:
            self._refresh(self._run)
            self.discard_button.setFocus()


def _button(text: str, name: str, pressed: SignalInstance) -> QPushButton:
    made = push_button(text)
    made.setAccessibleName(name)
    made.clicked.connect(pressed)
    return made
