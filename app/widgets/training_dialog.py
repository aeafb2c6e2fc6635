"""Before training: what it is, what it reads, how long it takes here by a trial, and its start."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app import training_words as words
from app.records import Estimate, Texts
from app.theme import Theme
from app.training import Training
from app.widgets.buttons import push_button
from app.widgets.fitting_scroll import FittingScroll
from app.widgets.labels import ElidedLabel, label, paint_as
from app.widgets.segments import Segments

NARROWEST = 520
LENGTHS = {str(words.QUICK): "Quick", str(words.THOROUGH): "Thorough"}
SOURCES = {"documents": "Documents in Keepsake", "folder": "A folder", "standard": "Standard texts"}


class TrainingDialog(QDialog):
    """Closing it stops a trial; a training that was started goes on."""

    def __init__(self, training: Training, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Train retaining heads")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._training = training
        self._texts = Texts()
        self._folder = ""
        self._trying = False
        self._estimated = False
        self.sources = Segments("What it reads", SOURCES, "documents")
        self.sources.chosen.connect(lambda _: self._choose_again())
        self._about = label("", "secondary", wrap=True)
        self.lengths = Segments("How long", LENGTHS, str(words.THOROUGH))
        self.lengths.chosen.connect(lambda _: self._refresh())
        self._length = label("", "secondary", wrap=True)
        self.folder_button = push_button("Choose folder\u2026")
        self.folder_button.clicked.connect(self.choose_folder)
        self._folder_name = ElidedLabel("", "secondary")
        self._sentence = label("", wrap=True)
        self._bar = QProgressBar(textVisible=False)
        self._bar.setAccessibleName("Trial done")
        self._meanwhile = label(words.MEANWHILE, "secondary", wrap=True)
        self.close_button = push_button("Cancel")
        self.close_button.clicked.connect(self._leave)
        self.go_button = push_button("Estimate the time", "primary")
        self.go_button.clicked.connect(self._go)
        self.go_button.setDefault(True)
        self._lay_out()
        self._listen()
        self._refresh()
        training.ask_for_texts()

    def sentence(self) -> str:
        """What is said of the trial, or why there is none."""
        return "" if self._sentence.isHidden() else self._sentence.text()

    def about(self) -> str:
        """What is said of the texts chosen."""
        return self._about.text()

    def choose_folder(self) -> None:
        """Asks for a folder of texts."""
        dialog = QFileDialog(self, "Choose a folder of texts")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._use_folder)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def done(self, result: int) -> None:
        if self._trying:
            self._training.stop_estimate()
        super().done(result)

    def _lay_out(self) -> None:
        self._folder_row = QWidget()
        folder = QHBoxLayout(self._folder_row)
        folder.setContentsMargins(0, 0, 0, 0)
        folder.setSpacing(8)
        folder.addWidget(self.folder_button)
        folder.addWidget(self._folder_name, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(24, 0, 24, 0)
        foot.setSpacing(8)
        foot.addStretch()
        foot.addWidget(self.close_button)
        foot.addWidget(self.go_button)
        held = QWidget()
        held.setMinimumWidth(NARROWEST)
        column = QVBoxLayout(held)
        column.setContentsMargins(24, 24, 24, 8)
        column.setSpacing(8)
        column.addWidget(label("Train retaining heads", "section"))
        column.addWidget(label(words.WHAT_TRAINING_IS, "secondary", wrap=True))
        column.addSpacing(8)
        column.addWidget(label("What it reads", "section"))
        column.addLayout(_at_the_left(self.sources))
        column.addWidget(self._folder_row)
        column.addWidget(self._about)
        column.addSpacing(8)
        column.addWidget(label("How long", "section"))
        column.addLayout(_at_the_left(self.lengths))
        column.addWidget(self._length)
        column.addSpacing(8)
        for widget in (self._sentence, self._bar, self._meanwhile):
            column.addWidget(widget)
        column.addStretch()
        self._scroll = FittingScroll(held)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 16)
        self._whole.setSpacing(8)
        self._whole.addWidget(self._scroll, 1)
        self._whole.addLayout(foot)

    def _listen(self) -> None:
        training = self._training
        training.texts_known.connect(self._know_texts)
        training.tried.connect(self._tried)
        training.estimated.connect(self._know_estimate)
        training.untried.connect(self._untried)
        training.started.connect(self.accept)

    def _know_texts(self, texts: Texts) -> None:
        self._texts = texts
        if not texts.enough and self.sources.value() == "documents":
            self.sources.choose("standard" if texts.standard else "folder")
        self._refresh()

    def _use_folder(self, folder: str) -> None:
        self._folder = folder
        self._folder_name.setText(folder)
        self._choose_again()

    def _choose_again(self) -> None:
        """Another text takes another time."""
        self._estimated = False
        self._sentence.setText("")
        self._refresh()

    def _go(self) -> None:
        chosen = {"texts": self.sources.value()}
        if chosen["texts"] == "folder":
            chosen["folder"] = self._folder
        if self._estimated:
            self.go_button.setEnabled(False)
            self._training.start(chosen, self._steps())
        else:
            self._trying = True
            self._say(words.PREPARING)
            self._bar.setRange(0, 0)
            self._training.estimate(chosen)
            self._refresh()
            self.close_button.setFocus()

    def _leave(self) -> None:
        if self._trying:
            self._training.stop_estimate()
        else:
            self.reject()

    def _tried(self, step: int, steps: int) -> None:
        if step:
            self._bar.setRange(0, steps)
            self._bar.setValue(step)
        self._say(words.trial(step, steps))

    def _know_estimate(self, estimate: Estimate) -> None:
        self._trying, self._estimated = False, True
        self._say(words.estimate(estimate))
        self._announce()
        self._refresh()
        self.go_button.setFocus()

    def _untried(self, sentence: str) -> None:
        self._trying = False
        self._say(sentence, "error")
        self._announce()
        self._refresh()

    def _announce(self) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self._sentence.text()))

    def _say(self, sentence: str, role: str = "") -> None:
        paint_as(self._sentence, role)
        self._sentence.setText(sentence)

    def _refresh(self) -> None:
        source = self.sources.value()
        self.sources.buttons()[2].setVisible(self._texts.standard)
        self.sources.setEnabled(not self._trying)
        self._folder_row.setVisible(source == "folder")
        self.folder_button.setEnabled(not self._trying)
        self._length.setText(words.length(self._steps()))
        self._about.setVisible(self._texts.least > 0)
        self._about.setText(
            {
                "documents": words.documents(self._texts),
                "folder": words.FOLDER,
                "standard": words.STANDARD,
            }[source]
        )
        self._sentence.setVisible(bool(self._sentence.text()))
        self._bar.setVisible(self._trying)
        self._meanwhile.setVisible(self._estimated)
        self.go_button.setText("Start training" if self._estimated else "Estimate the time")
        self.go_button.setEnabled(not self._trying and self._ready(source))
        self.close_button.setText("Stop" if self._trying else "Cancel")
        self._scroll.refit()
        self._whole.activate()
        self.resize(self.width(), self.minimumSizeHint().height())

    def _steps(self) -> int:
        return int(self.lengths.value())

    def _ready(self, source: str) -> bool:
        return {"documents": self._texts.enough, "folder": bool(self._folder), "standard": True}[source]


def _at_the_left(widget: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addWidget(widget)
    row.addStretch()
    return row
