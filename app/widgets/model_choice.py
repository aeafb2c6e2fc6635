"""Which model writes the answers: its name, and folded away the ways to another and what only few need.

Knows the engine's settings of these names; asks nothing of the engine and saves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.model_names import STARTER_MODEL, is_starter_model, model_name
from app.records import Heads
from app.theme import Theme
from app.training import WITHOUT_HEADS
from app.widgets.buttons import push_button
from app.widgets.disclosure import Disclosure
from app.widgets.labels import ElidedLabel, label
from app.widgets.segments import Segments

MODELS = "Models (*.gguf);;All files (*)"
HEADS = "Retaining heads (*.safetensors *.bin *.pt *.pth);;All files (*)"
RUNTIMES = {"auto": "Automatic", "llama.cpp": "llama.cpp", "torch": "torch"}
DEVICES = {"auto": "Automatic", "cpu": "CPU", "cuda": "CUDA", "mps": "MPS"}
FROM_HUB = "Downloaded once from huggingface.co; your documents never leave this computer."
STARTER = "The starter model. It came with Keepsake; you need not choose another."
BY_KEYDIFF = "KeyDiff chooses what is kept, without heads."
LOOKED_FOR = "looked for once the model is loaded"


class ModelChoice(QWidget):
    """`chosen(changes)` when another model, or another way to run it, is to be looked at, as `changes()` gives it;
    `typed(bool)` when the field holds something that is not chosen yet; `folded` when its height changes; `train` when
    retaining heads are to be trained for the model in force, of whose heads `heads` tells."""

    chosen = Signal(dict)
    typed = Signal(bool)
    folded = Signal()
    train = Signal()

    def __init__(self, theme: Theme, heads: Heads | None = None) -> None:
        super().__init__()
        self._known = heads
        self._policy: str | None = None
        self._settings: Mapping[str, Any] = {}
        self._model: str | None = None
        self._heads: str | None = None
        self._name = label()
        self._origin = ElidedLabel("", "secondary")
        self._notice = label("", "warning", wrap=True)
        self._looking = label("Looking at the model", "secondary")
        self._heads_found = ElidedLabel("", "secondary")
        self.hub_id = QLineEdit()
        self.hub_id.setPlaceholderText("owner/name")
        self.hub_id.setAccessibleName("Model on huggingface.co")
        self.hub_id.setAccessibleDescription(FROM_HUB)
        self.hub_id.textChanged.connect(self._typed)
        self.hub_id.returnPressed.connect(self._use_hub_id)
        self.use_button = push_button("Use")
        self.use_button.setAccessibleName("Use the model on huggingface.co")
        self.use_button.setEnabled(False)
        self.use_button.clicked.connect(self._use_hub_id)
        self.starter_button = _button("Starter model", "Starter model", lambda: self._choose(""))
        self.own_heads_button = _button("Automatic", "Automatic retaining heads", lambda: self._use_heads(""))
        self.train_button = _button("Train\u2026", "Train retaining heads", self.train.emit)
        self.everything_button = _button("Keep everything", "Keep everything that is read", self._keep_everything)
        self.everything_button.setAccessibleDescription(BY_KEYDIFF)
        self.runtime = Segments("Runs with", RUNTIMES, "auto")
        self.device = Segments("Runs on", DEVICES, "auto")
        for ways in (self.runtime, self.device):
            ways.chosen.connect(self._look)
        self.another = Disclosure(theme, "Another model", self._make_ways())
        self.advanced = Disclosure(theme, "Advanced", self._make_advanced())
        self._lay_out()

    def load(self, settings: Mapping[str, Any], status: Mapping[str, Any]) -> None:
        """The engine's settings and its `status`: what is in force."""
        self._settings = settings
        model, heads = status.get("model") or {}, status.get("heads")
        self._show_model(str(model.get("name") or ""), str(model.get("path") or settings.get("model") or ""))
        self._show_notice(str(model.get("message") or ""))
        self._show_heads("found" if heads or (self._known and self._known.heads) else "none found for this model")
        self._stand_in.setVisible(self._in_force("policy") == WITHOUT_HEADS)
        self.runtime.choose(str(settings.get("runtime") or "auto"))
        self.device.choose(str(settings.get("device") or "auto"))

    def changes(self) -> dict[str, str]:
        """What differs from the settings in force, by name."""
        now = {"model": self._model, "heads": self._heads, "policy": self._policy}
        now |= {"runtime": self.runtime.value(), "device": self.device.value()}
        before = {name: self._in_force(name) for name in ("model", "heads", "policy")}
        before |= {"runtime": self._in_force("runtime") or "auto", "device": self._in_force("device") or "auto"}
        return {name: value for name, value in now.items() if value is not None and value != before[name]}

    def facts(self) -> tuple[str, str, str, str]:
        """Name, origin, notice and retaining heads, as shown."""
        return self._name.text(), self._origin.text(), self._notice.text(), self._heads_found.text()

    def looked_at(self) -> None:
        """The engine has said what it thinks of the model chosen."""
        self._looking.hide()

    def choose_file(self) -> None:
        """Asks for a GGUF file."""
        self._ask_for("Choose a model", MODELS, self._choose)

    def choose_folder(self) -> None:
        """Asks for a folder with safetensors."""
        self._ask_for("Choose the folder of a model", "", self._choose)

    def choose_heads(self) -> None:
        """Asks for a file of retaining heads."""
        self._ask_for("Choose retaining heads", HEADS, self._use_heads)

    def _lay_out(self) -> None:
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        for widget in (self._name, self._origin, self._notice, self._looking, self.another, self.advanced):
            self._column.addWidget(widget)
        for hidden in (self._notice, self._looking, self.own_heads_button, self.starter_button):
            hidden.hide()
        for fold in (self.another, self.advanced):
            fold.toggled.connect(self._fold)

    def _fold(self) -> None:
        self._column.activate()
        self.folded.emit()

    def _make_ways(self) -> QWidget:
        body, column = _indented()
        file = _button("Choose file\u2026", "Choose file for the model", self.choose_file)
        folder = _button("Choose folder\u2026", "Choose folder for the model", self.choose_folder)
        column.addLayout(_row(file, folder, self.starter_button))
        column.addSpacing(4)
        column.addWidget(label("Or by its name on huggingface.co"))
        column.addLayout(_row(self.hub_id, self.use_button, stretch=False))
        column.addWidget(label(FROM_HUB, "secondary", wrap=True))
        column.addSpacing(4)
        heads = _button("Choose\u2026", "Choose retaining heads", self.choose_heads)
        buttons = (self.own_heads_button, heads, self.train_button)
        row = _row(label("Retaining heads"), self._heads_found, *buttons, stretch=False)
        row.setStretch(1, 1)
        column.addLayout(row)
        self._stand_in = QWidget()
        stand_in = _row(label(BY_KEYDIFF, "secondary", wrap=True), self.everything_button, stretch=False)
        stand_in.setContentsMargins(0, 0, 0, 0)
        stand_in.setStretch(0, 1)
        self._stand_in.setLayout(stand_in)
        column.addWidget(self._stand_in)
        return body

    def _make_advanced(self) -> QWidget:
        body, column = _indented()
        for name, control in (("Runs with", self.runtime), ("Runs on", self.device)):
            row = _row(label(name), control, stretch=False)
            row.setStretch(0, 1)
            column.addLayout(row)
        return body

    def _in_force(self, name: str) -> str:
        return str(self._settings.get(name) or "")

    def _ask_for(self, title: str, kinds: str, then: Callable[[str], None]) -> None:
        dialog = QFileDialog(self, title, "", kinds)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile if kinds else QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(then)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _choose(self, model: str, name: str = "") -> None:
        self._model = model
        self._show_model(name or model_name(model), model)
        self._show_notice("")
        if model != self.hub_id.text().strip():
            self.hub_id.clear()
        # Retaining heads belong to one model: those of the last one do not fit this one.
        self._heads = None if self._heads is None and not self._in_force("heads") else ""
        self._show_heads(LOOKED_FOR)
        self.train_button.setEnabled(False)  # it is about the model in force
        self._keep_everything()
        self._typed()
        self._look()

    def _look(self) -> None:
        self._looking.show()
        self.chosen.emit({name: value for name, value in self.changes().items() if name != "policy"})

    def _use_hub_id(self) -> None:
        written = self.hub_id.text().strip()
        if written:
            self._choose(written, written)

    def _typed(self) -> None:
        written = self.hub_id.text().strip()
        waiting = bool(written) and written != self._model
        self.use_button.setEnabled(waiting)
        self.typed.emit(waiting)

    def _use_heads(self, heads: str) -> None:
        self._heads = heads
        self._look()
        self._show_heads(PurePath(heads).name if heads else LOOKED_FOR)

    def _keep_everything(self) -> None:
        """What stood in for heads was chosen for one model, too."""
        if self._in_force("policy") == WITHOUT_HEADS:
            self._policy = "locret"
            self._stand_in.hide()
            self.folded.emit()

    def _show_model(self, name: str, place: str) -> None:
        starter = not place or is_starter_model(place)
        self._name.setText(STARTER_MODEL if starter else name)
        self._origin.setText(STARTER if starter else place if place != name else "From huggingface.co")
        self.starter_button.setVisible(not starter)

    def _show_notice(self, sentence: str) -> None:
        self._notice.setText(sentence)
        self._notice.setVisible(bool(sentence))

    def _show_heads(self, found: str) -> None:
        self._heads_found.setText(found)
        self.own_heads_button.setVisible(bool(self._in_force("heads") if self._heads is None else self._heads))


def _button(text: str, name: str, act: Callable[[], None]) -> QPushButton:
    made = push_button(text)
    made.setAccessibleName(name)
    made.clicked.connect(lambda _=False: act())
    return made


def _row(*widgets: QWidget, stretch: bool = True) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        row.addWidget(widget)
    if stretch:
        row.addStretch()
    return row


def _indented() -> tuple[QWidget, QVBoxLayout]:
    body = QWidget()
    column = QVBoxLayout(body)
    column.setContentsMargins(24, 0, 0, 8)
    column.setSpacing(8)
    return body, column
